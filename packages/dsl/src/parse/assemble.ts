import { compareEdges, compareText, outputType } from "@agentflow/core";
import type { Ir, IrEdge, IrNode, LiteralPin, NodeRegistry, SlotType } from "@agentflow/core";
import { linkChain } from "../chain.ts";
import type { Chain } from "../chain.ts";
import { findMembers } from "./members.ts";
import type { NodeDraft, RunDraft, SubflowDraft } from "./scope.ts";

/** What has been read of a file. */
export type Reading = {
  readonly drafts: ReadonlyMap<string, NodeDraft>;
  readonly subflows: readonly SubflowDraft[];
  readonly run: RunDraft | null;
};

/** The IR of what has been read (F-17): nodes in source order, edges unique and sorted, pins and slots by name. */
export function assemble({ drafts, subflows, run }: Reading, registry: NodeRegistry): Ir {
  const members = findMembers(drafts, subflows, run);
  const ir: Ir = {
    schema: 1,
    nodes: Object.fromEntries([...drafts].map(([id, draft]) => [id, toNode(draft)])),
    edges: sortedEdges([...drafts.values()].flatMap(dataEdges), allLinks(drafts, subflows, run)),
    subflows: Object.fromEntries(
      subflows.map(({ id, label, inputs, outputs, chain }) => {
        const { heads } = linkChain(chain);
        const contract = { inputs: Object.fromEntries(inputs), outputs: Object.fromEntries(outputs) };
        return [id, { label, ...contract, roots: [...heads], members: [...(members.get(id) ?? [])] }];
      }),
    ),
    run: run && { id: run.id, label: run.label, roots: [...linkChain(run.chain).heads] },
  };
  for (const draft of drafts.values()) addFreeInputs(ir, registry, draft);
  return ir;
}

function toNode(draft: NodeDraft): IrNode {
  const { type, label, script, scriptRef, body, bodyRef, pins, outputs, attributes } = draft;
  const named = {
    pins: sorted(pins),
    inputs: {},
    outputs: Object.fromEntries(outputs),
    attributes: sorted(attributes),
  };
  return { definition: type, label, script, scriptRef, body, bodyRef, ...named };
}

function sorted<T>(map: ReadonlyMap<string, T>): Record<string, T> {
  return Object.fromEntries([...map].sort(([a], [b]) => compareText(a, b)));
}

/** Free slots have the type of what is wired or written there, else text (F-7). A call's slots are its subflow's contract. */
function addFreeInputs(ir: Ir, registry: NodeRegistry, draft: NodeDraft): void {
  const { id, definition, pins, sources, templateSlots } = draft;
  const node = ir.nodes[id];
  if (!node || !definition || definition.type === "flow.call") return;
  const slots = [...pins.keys(), ...sources.keys()].sort(compareText);
  for (const slot of slots) {
    if (Object.hasOwn(definition.inputs, slot) || !(definition.freeInputs || templateSlots.has(slot)))
      continue;
    const source = sources.get(slot);
    const type = source ? outputType(ir, registry, source.node, source.slot) : literalType(pins.get(slot));
    node.inputs[slot] = type === null || type === "node" ? "text" : type;
  }
}

function literalType(pin: LiteralPin | undefined): SlotType {
  if (pin && "file" in pin) return "file";
  return pin && "json" in pin && /^[[{]/.test(pin.json) ? "json" : "text";
}

function dataEdges({ id, sources }: NodeDraft): readonly IrEdge[] {
  return [...sources].map(([slot, from]) => ({ from, to: { node: id, slot } }));
}

function allLinks(
  drafts: Reading["drafts"],
  subflows: readonly SubflowDraft[],
  run: RunDraft | null,
): readonly IrEdge[] {
  const edges: IrEdge[] = [];
  const chains = [...subflows.map(({ chain }) => chain), ...(run ? [run.chain] : [])];
  for (const chain of chains) addSteps(edges, chain);
  for (const { id, branches } of drafts.values()) {
    for (const exit of ["then", "else"] as const) {
      for (const head of addSteps(edges, branches[exit])) edges.push(control(id, exit, head));
    }
  }
  return edges;
}

function addSteps(edges: IrEdge[], chain: Chain): readonly string[] {
  const { heads, steps } = linkChain(chain);
  for (const [from, to] of steps) edges.push(control(from, "next", to));
  return heads;
}

function control(from: string, slot: string, to: string): IrEdge {
  return { from: { node: from, slot }, to: { node: to, slot: "prev" } };
}

function sortedEdges(...lists: readonly (readonly IrEdge[])[]): IrEdge[] {
  const edges = lists.flat().sort(compareEdges);
  return edges.filter((edge, index) => {
    const before = edges[index - 1];
    return !before || compareEdges(before, edge) !== 0;
  });
}
