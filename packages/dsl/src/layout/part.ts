import { ownEntry, parentGraph, subflowGraph } from "@agentflow/core";
import type { Cycle, Graph, Ir, NodeRegistry } from "@agentflow/core";

/** Where a node stands across the axis: data sources above it, display nodes below. */
export type Band = "source" | "chain" | "display";

/** One graph to be laid out by itself: the parent graph, or the inside of a subflow. */
export type Part = {
  /** Nodes in execution order. */
  readonly order: readonly string[];
  readonly roots: readonly string[];
  readonly bands: ReadonlyMap<string, Band>;
  /** Everything a node comes after: control and data. */
  readonly before: ReadonlyMap<string, readonly string[]>;
  /** Nodes whose `next` leads to a node. */
  readonly entered: ReadonlyMap<string, readonly string[]>;
  /** Where the `next` of a node leads, in source order. */
  readonly next: ReadonlyMap<string, readonly string[]>;
  /** Where the other exits of a node lead: those of a `control.if`, `then` first. */
  readonly branches: ReadonlyMap<string, readonly string[]>;
};

/** The graphs of a flow, the parent graph first, subflows in source order. Throws when one of them has a cycle (D15). */
export function partsOf(ir: Ir, registry: NodeRegistry): readonly Part[] {
  const graphs = [
    parentGraph(ir, registry),
    ...Object.keys(ir.subflows).map((id) => subflowGraph(ir, registry, id)),
  ];
  const places = new Map(Object.keys(ir.nodes).map((id, index) => [id, index]));
  return graphs.map((graph) => toPart(ir, registry, acyclic(graph), places));
}

function acyclic(graph: Graph | Cycle): Graph {
  if ("cycle" in graph) throw new Error(`a flow with a cycle has no layout: ${graph.cycle.join(" → ")}`);
  return graph;
}

function toPart(
  ir: Ir,
  registry: NodeRegistry,
  { order, roots, sources, entries }: Graph,
  places: ReadonlyMap<string, number>,
): Part {
  const before = new Map<string, string[]>();
  const entered = new Map<string, string[]>();
  const next = new Map<string, string[]>();
  const branches = new Map<string, string[]>();
  const exits = new Map<string, Map<string, string[]>>();
  for (const id of order.toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0))) {
    const data = [...(sources.get(id)?.values() ?? [])];
    const control = entries.get(id) ?? [];
    before.set(id, [...new Set([...data, ...control].map(({ node }) => node))]);
    for (const { node, slot } of control) {
      if (slot === "next") put(entered, id, node);
      const slots = exits.get(node) ?? new Map<string, string[]>();
      exits.set(node, slots);
      put(slots, slot, id);
    }
  }
  for (const [id, slots] of exits) {
    const exit = registry.find(ownEntry(ir.nodes, id)?.definition ?? "")?.exits ?? [];
    for (const slot of exit)
      for (const to of slots.get(slot) ?? []) put(slot === "next" ? next : branches, id, to);
  }
  const bands = new Map(order.map((id) => [id, bandOf(ir, registry, id)]));
  return { order, roots, bands, before, entered, next, branches };
}

function bandOf(ir: Ir, registry: NodeRegistry, id: string): Band {
  const definition = registry.find(ownEntry(ir.nodes, id)?.definition ?? "");
  if (definition?.control === false) return "source";
  return definition?.shown ? "display" : "chain";
}

function put(map: Map<string, string[]>, key: string, value: string): void {
  const found = map.get(key);
  if (found) found.push(value);
  else map.set(key, [value]);
}
