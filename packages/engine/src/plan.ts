import {
  LOOP_TYPES,
  PASSWORD,
  calledBy,
  definitionText,
  nodeHasEffects,
  parentGraph,
  readBurst,
  subflowGraph,
} from "@agentflow/core";
import type { Burst, Graph, NodeDefinition, NodeRegistry } from "@agentflow/core";
import type { FlowVersion, RequestStore } from "./ports/requests.ts";
import { literalsOf } from "./resolve-inputs.ts";

/** Outputs of a loop that hold its history, or what stands in it. */
const HISTORY_SLOTS: ReadonlySet<string> = new Set(["history", "result", "errors"]);

/** A flow version made ready to execute: graphs in execution order, definition texts, what its parts may do. */
export type FlowPlan = {
  readonly version: FlowVersion;
  readonly registry: NodeRegistry;
  readonly parent: Graph;
  readonly subflow: (id: string) => Graph;
  /** The node's definition; its `effects` are those of this very node. */
  readonly definition: (nodeId: string) => NodeDefinition;
  /** A node's input slots with their literal pins, in the order in which they are resolved. */
  readonly literals: (nodeId: string) => ReturnType<typeof literalsOf>;
  /** `definitionText` of a node, computed once. */
  readonly definitionText: (nodeId: string) => string;
  /** Whether a graph, with everything it calls, holds a node whose outputs are journaled. */
  readonly hasEffects: (graph: Graph) => boolean;
  /** Whether an iteration of this loop may journal outputs. */
  readonly iterationJournals: (loopId: string) => boolean;
  /** Whether nothing outside the run can notice an iteration of this loop, nor what is computed before it, before its commit. */
  readonly iteratesPurely: (loopId: string) => boolean;
  /** Whether any loop of the parent graph sets a burst. */
  readonly mayBurst: boolean;
  /** The burst that the loop of the parent graph with this path sets; null when it sets none. */
  readonly burst: (path: string) => Burst | null;
  /** Slots of a node that a `provide.password` of its graph is wired to. */
  readonly secretSlots: (nodeId: string) => readonly string[];
  /** Whether anything reads an output of the loop that its history makes; only then is the history loaded. */
  readonly readsHistory: (nodeId: string) => boolean;
};

/** Prepares a registered flow version. Throws on a graph with a cycle or an unknown node: lint keeps those out (D07, D15). */
export function planFlow(version: FlowVersion, registry: NodeRegistry): FlowPlan {
  const { ir } = version;
  const members = new Set(Object.values(ir.subflows).flatMap((one) => one.members));
  const definition = memo((nodeId: string): NodeDefinition => {
    const node = ir.nodes[nodeId];
    const found = registry.find(node?.definition ?? "");
    if (!node || !found) throw new Error(`node ${nodeId} has the unknown type ${node?.definition ?? ""}`);
    // Before a loop of the parent graph every iteration's job passes by, and what is there is not computed again (L-39).
    const once = found.outside !== null && !members.has(nodeId);
    return { ...found, effects: once || nodeHasEffects(found, node) };
  });
  const subflow = memo((id: string) => ordered(subflowGraph(ir, registry, id), version));
  const effects = memo((graph: Graph): boolean =>
    graph.order.some((id) => {
      const { effects: own, shown } = definition(id);
      return own || shown || works(id);
    }),
  );
  // What an operation is by itself is known when it runs.
  const works = (id: string): boolean =>
    ir.nodes[id]!.attributes["operation"] !== undefined ||
    calledBy(ir, ir.nodes[id]!).some((called) => effects(subflow(called)));
  const parent = ordered(parentGraph(ir, registry), version);
  const isPure = (id: string): boolean => {
    const { effects: own, outside, shown, type } = definition(id);
    return (
      !own &&
      outside === null &&
      !shown &&
      !LOOP_TYPES.has(type) &&
      calledBy(ir, ir.nodes[id]!).every(allPure)
    );
  };
  const allPure = memo((subflowId: string): boolean => subflow(subflowId).order.every(isPure));
  const iteratesPurely = memo((loopId: string): boolean => {
    const { condition, body } = ir.nodes[loopId]!.attributes;
    if (condition === undefined || body === undefined) return false;
    const before = parent.order.slice(0, parent.order.indexOf(loopId));
    return before.every(isPure) && allPure(condition) && allPure(body);
  });
  const burst = memo((loopId: string): Burst | null => {
    const pin = ir.nodes[loopId]?.pins["burst"];
    if (pin === undefined || "file" in pin) return null;
    const read = readBurst("json" in pin ? pin.json : pin.text);
    return read.ok ? read.burst : null;
  });
  return {
    version,
    registry,
    parent,
    mayBurst: parent.order.some((id) => burst(id) !== null),
    burst: memo((path: string) => burst((JSON.parse(path) as [string])[0])),
    iterationJournals: works,
    iteratesPurely,
    subflow,
    definition,
    literals: memo((nodeId: string) => literalsOf(ir, registry, nodeId, definition(nodeId))),
    definitionText: memo((nodeId: string) => definitionText(ir, nodeId)),
    hasEffects: effects,
    secretSlots: memo((nodeId: string) =>
      ir.edges
        .filter(({ from, to }) => to.node === nodeId && ir.nodes[from.node]?.definition === PASSWORD)
        .map(({ to }) => to.slot),
    ),
    readsHistory: memo((nodeId: string) => {
      const contracts = Object.values(ir.subflows).flatMap(({ outputs }) => Object.values(outputs));
      const read = [...ir.edges.map(({ from }) => from), ...contracts];
      return read.some(({ node, slot }) => node === nodeId && HISTORY_SLOTS.has(slot));
    }),
  };
}

/** Loads plans by flow version id and keeps the last `limit` used ones; versions are immutable, so nothing goes stale. */
export function createPlans(
  store: Pick<RequestStore, "flowVersionById">,
  registry: NodeRegistry,
  limit = 200,
): { load(flowVersionId: string): Promise<FlowPlan> } {
  const kept = new Map<string, FlowPlan>();
  return {
    async load(flowVersionId) {
      const known = kept.get(flowVersionId);
      if (known) {
        kept.delete(flowVersionId);
        kept.set(flowVersionId, known);
        return known;
      }
      const version = await store.flowVersionById(flowVersionId);
      if (!version) throw new Error(`no flow version ${flowVersionId}`);
      const plan = planFlow(version, registry);
      kept.set(flowVersionId, plan);
      const oldest = kept.keys().next().value;
      if (kept.size > limit && oldest !== undefined) kept.delete(oldest);
      return plan;
    },
  };
}

function ordered(graph: Graph | { readonly cycle: readonly string[] }, version: FlowVersion): Graph {
  if ("cycle" in graph)
    throw new Error(
      `flow ${version.flow} version ${version.version} has a cycle: ${graph.cycle.join(" → ")}`,
    );
  return graph;
}

function memo<K, V>(compute: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    if (known.has(key)) return known.get(key)!;
    const value = compute(key);
    known.set(key, value);
    return value;
  };
}
