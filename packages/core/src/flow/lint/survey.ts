import { LOOP_TYPES, loopSources } from "../../loop/form.ts";
import type { LoopFormKind } from "../../loop/form.ts";
import { readOperation } from "../../loop/operation.ts";
import type { NodeDefinition } from "../../nodes/definition.ts";
import type { NodeRegistry } from "../../nodes/registry.ts";
import { isNull } from "../authored.ts";
import { ownEntry } from "../ir.ts";
import type { Ir, IrEdge, IrNode, SlotReference, SlotType } from "../ir.ts";
import { calledSubflow, inputType, outputGiver } from "../slots.ts";

export type SurveyedNode = {
  readonly id: string;
  readonly node: IrNode;
  /** Null for an unknown type (D07); nothing else is said about such a node. */
  readonly definition: NodeDefinition | null;
  /** Subflows that list the node; more than one is D21. */
  readonly owners: readonly string[];
  /** Edges into the node by slot. */
  readonly into: ReadonlyMap<string, readonly IrEdge[]>;
  readonly outOf: readonly IrEdge[];
};

/** A place that enters a subflow. */
export type SubflowUse = {
  readonly node: SurveyedNode;
  readonly role: "call" | "condition" | "body" | "child" | "action";
  readonly subflow: string;
};

/** A flow indexed once, so that every rule is linear in its size. References may point anywhere. */
export type Survey = {
  readonly ir: Ir;
  readonly registry: NodeRegistry;
  readonly nodes: ReadonlyMap<string, SurveyedNode>;
  readonly uses: readonly SubflowUse[];
  /** Type of an output slot as `outputType` gives it, but each is worked out once. */
  readonly typeOf: (slot: SlotReference) => SlotType | null;
};

/** Indexes an IR; never throws on one that passes the schema. */
export function survey(ir: Ir, registry: NodeRegistry): Survey {
  const owners = new Map<string, Set<string>>();
  for (const [id, { members }] of Object.entries(ir.subflows)) {
    for (const member of members) setOf(owners, member).add(id);
  }
  const into = new Map<string, Map<string, IrEdge[]>>();
  const outOf = new Map<string, IrEdge[]>();
  for (const edge of ir.edges) {
    const slots = into.get(edge.to.node) ?? new Map<string, IrEdge[]>();
    into.set(edge.to.node, slots);
    push(slots, edge.to.slot, edge);
    push(outOf, edge.from.node, edge);
  }
  const nodes = new Map<string, SurveyedNode>();
  for (const [id, node] of Object.entries(ir.nodes)) {
    nodes.set(id, {
      id,
      node,
      definition: registry.find(node.definition),
      owners: [...(owners.get(id) ?? [])],
      into: into.get(id) ?? new Map(),
      outOf: outOf.get(id) ?? [],
    });
  }
  return {
    ir,
    registry,
    nodes,
    uses: [...nodes.values()].flatMap(usesOf),
    typeOf: typeResolver(ir, registry),
  };
}

/** Calls take the type of what they call, however long the chain; slots of a recursion have none (D24). */
function typeResolver(ir: Ir, registry: NodeRegistry): Survey["typeOf"] {
  const known = new Map<string, SlotType | null>();
  return (slot) => {
    const asked: string[] = [];
    let at: SlotType | SlotReference | null = slot;
    while (at !== null && typeof at !== "string") {
      const key = JSON.stringify([at.node, at.slot]);
      const found = known.get(key);
      asked.push(key);
      known.set(key, found ?? null);
      at = found !== undefined ? found : outputGiver(ir, registry, at);
    }
    for (const key of asked) known.set(key, at);
    return at;
  };
}

function usesOf(node: SurveyedNode): SubflowUse[] {
  const named = (role: SubflowUse["role"], attribute: string): SubflowUse[] => {
    const subflow = ownEntry(node.node.attributes, attribute);
    return subflow === undefined ? [] : [{ node, role, subflow }];
  };
  if (node.definition?.type === "flow.call") return named("call", "subflow");
  if (!isLoop(node)) return [];
  if (formOf(node) === "repeat") return named("child", "child");
  const action = actionOf(node);
  return [
    ...named("condition", "condition"),
    ...named("body", "body"),
    ...(action === null ? [] : [{ node, role: "action", subflow: action } as const]),
  ];
}

/** The form of a loop, or of one that has none or several by what lint reports about it. */
export function formOf({ node }: SurveyedNode): LoopFormKind {
  return loopSources(node)[0] ?? "script";
}

/** What the operation of a loop names as its action; null without one. */
function actionOf({ node }: SurveyedNode): string | null {
  const text = ownEntry(node.attributes, "operation");
  const read = text === undefined ? null : readOperation(text);
  return read?.ok && read.operation.kind === "action" ? read.operation.name : null;
}

/** Whether a node is a loop: it iterates, by whatever form. */
export function isLoop({ definition }: SurveyedNode): boolean {
  return LOOP_TYPES.has(definition?.type ?? "");
}

/** Whether a node has an output slot; true when only an error reported elsewhere (D07, D24, D25) keeps that from being known. */
export function hasOutput(
  { ir, typeOf }: Survey,
  { id, node, definition }: SurveyedNode,
  slot: string,
): boolean {
  if (!definition || typeOf({ node: id, slot }) !== null) return true;
  if (definition.type === "flow.input") return slot === "value";
  if (definition.type !== "flow.call") return false;
  const called = calledSubflow(ir, node);
  return called === undefined || ownEntry(called.outputs, slot) !== undefined;
}

/** Whether a node has an input slot; a call's slots are judged where calls are (D25, D26). */
export function hasInput({ ir, registry }: Survey, { id, definition }: SurveyedNode, slot: string): boolean {
  if (!definition || inputType(ir, registry, id, slot) !== null) return true;
  return definition.type === "flow.call" && slot !== "prev";
}

/** Whether a slot is wired, or written with something else than null. */
export function isGiven({ node, into }: SurveyedNode, slot: string): boolean {
  const pin = ownEntry(node.pins, slot);
  return into.has(slot) || (pin !== undefined && !isNull(pin));
}

/** Names of a node's inputs besides control. */
export function inputSlots({ node, definition }: SurveyedNode): string[] {
  const free = definition?.freeInputs ? Object.keys(node.inputs) : [];
  return [...Object.keys(definition?.inputs ?? {}), ...free];
}

function setOf(map: Map<string, Set<string>>, key: string): Set<string> {
  const found = map.get(key) ?? new Set<string>();
  map.set(key, found);
  return found;
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const found = map.get(key);
  if (found) found.push(value);
  else map.set(key, [value]);
}
