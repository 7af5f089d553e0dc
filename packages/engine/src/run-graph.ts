import type { Graph, SlotReference, SlotValues } from "@agentflow/core";
import { authoredPart, fingerprintOf } from "./provenance.ts";
import type { Produced } from "./provenance.ts";
import { resolveInputs } from "./resolve-inputs.ts";
import { runNode } from "./run-node.ts";
import type { StepContext, Stop } from "./step-context.ts";

/** How a loop met in a graph is run: as jobs of its own in the parent graph, inline inside a subflow (L-20). */
export type LoopRunner = (loop: LoopVisit) => Promise<LoopEnd>;

export type LoopVisit = {
  readonly id: string;
  readonly inputs: SlotValues;
  /** Fingerprint parts of its wired slots; those fed by run products carry a source. */
  readonly parts: ReadonlyMap<string, ReturnType<typeof authoredPart>>;
};

export type LoopEnd = { readonly kind: "left"; readonly outputs: SlotValues } | Stop;

export type GraphEnd =
  | { readonly kind: "finished"; readonly read: (from: SlotReference) => Promise<string | Stop> }
  | Stop;

/** One walk over a graph. Nodes run one after another in execution order; each at most once (F-9). */
type Walk = {
  readonly context: StepContext;
  readonly graph: Graph;
  readonly given: (nodeId: string) => string | undefined;
  readonly runLoop: LoopRunner;
  readonly produced: Map<string, Produced>;
};

/**
 * Runs a graph: controlled nodes when a taken control edge reaches them, data sources when something that runs reads
 * them. `given` replaces the values of `provide.*` and `flow.input` nodes.
 */
export async function runGraph(
  context: StepContext,
  graph: Graph,
  given: (nodeId: string) => string | undefined,
  runLoop: LoopRunner,
): Promise<GraphEnd> {
  const walk: Walk = { context, graph, given, runLoop, produced: new Map() };
  for (const id of graph.order) {
    if (!isReached(walk, id)) continue;
    const stop = await produce(walk, id);
    if (stop) return stop;
  }
  return { kind: "finished", read: (from) => readSlot(walk, from) };
}

/** Controlled and reached: a root, or the target of a control edge that was taken. */
function isReached({ graph, produced }: Walk, id: string): boolean {
  if (graph.roots.includes(id)) return true;
  return (graph.entries.get(id) ?? []).some(({ node, slot }) => {
    const source = produced.get(node);
    return source !== undefined && (slot === "next" || source.exit === slot);
  });
}

function isControlled({ graph }: Walk, id: string): boolean {
  return graph.roots.includes(id) || graph.entries.has(id);
}

async function produce(walk: Walk, id: string): Promise<Stop | null> {
  if (walk.produced.has(id)) return null;
  const sources = walk.graph.sources.get(id) ?? new Map<string, SlotReference>();
  const wired = new Map<string, string>();
  for (const [slot, from] of sources) {
    const value = await readSlot(walk, from);
    if (typeof value !== "string") return value;
    wired.set(slot, value);
  }
  const inputs = resolveInputs(walk.context.plan, id, wired, walk.given(id));
  const parts = new Map(
    [...sources].map(([slot, from]) => [slot, authoredPart(walk.produced.get(from.node), from.slot)]),
  );
  const fingerprint = fingerprintOf(walk.context, id, parts, walk.given(id));
  const end = await runNode(walk.context, { id, inputs, fingerprint }, () =>
    walk.runLoop({ id, inputs, parts }),
  );
  if (end.kind !== "done") return end;
  const definition = walk.context.plan.definition(id);
  const authored =
    walk.context.frame.length === 0 &&
    !definition.effects &&
    end.pure &&
    [...parts.values()].every((part) => "value" in part);
  walk.produced.set(id, { outputs: end.outputs, exit: end.exit, authored, fingerprint });
  return null;
}

/** Value of an output slot: blank when its node was skipped; data sources outside the chain run now. */
async function readSlot(walk: Walk, from: SlotReference): Promise<string | Stop> {
  if (!walk.produced.has(from.node) && !isControlled(walk, from.node)) {
    const stop = await produce(walk, from.node);
    if (stop) return stop;
  }
  return walk.produced.get(from.node)?.outputs.get(from.slot) ?? "";
}
