import type { NodeRegistry } from "../nodes/registry.ts";
import type { Ir, IrEdge, SlotReference } from "./ir.ts";
import { topologicalOrder } from "./order.ts";

/** One runnable graph: the parent graph of a flow, or the inside of a subflow. */
export type Graph = {
  readonly roots: readonly string[];
  /** Node ids in execution order: topological, ties by source order (F-9). */
  readonly order: readonly string[];
  /** Data edges by target node: slot → where its value comes from. */
  readonly sources: ReadonlyMap<string, ReadonlyMap<string, SlotReference>>;
  /** Control edges into each node. */
  readonly entries: ReadonlyMap<string, readonly SlotReference[]>;
};

/** Why a graph cannot be ordered: the nodes of one cycle, in order (D15). */
export type Cycle = { readonly cycle: readonly string[] };

/** Ids of the nodes that belong to no subflow, in source order. */
export function parentMembers(ir: Ir): readonly string[] {
  const inside = new Set(Object.values(ir.subflows).flatMap((subflow) => subflow.members));
  return Object.keys(ir.nodes).filter((id) => !inside.has(id));
}

/** The parent graph of a flow, or the cycle that keeps it from having an order. */
export function parentGraph(ir: Ir, registry: NodeRegistry): Graph | Cycle {
  return buildGraph(ir, registry, parentMembers(ir), ir.run?.roots ?? []);
}

/** The nodes of one cycle among `members` and `edges` of a flow, or null when they have an order. Linear in both. */
export function findCycle(
  ir: Ir,
  registry: NodeRegistry,
  members: readonly string[],
  edges: readonly IrEdge[],
): readonly string[] | null {
  const graph = buildGraph(ir, registry, members, [], edges);
  return "cycle" in graph ? graph.cycle : null;
}

/** The graph inside one subflow. Throws when the subflow does not exist. */
export function subflowGraph(ir: Ir, registry: NodeRegistry, id: string): Graph | Cycle {
  const subflow = Object.hasOwn(ir.subflows, id) ? ir.subflows[id] : undefined;
  if (!subflow) throw new Error(`no subflow ${id}`);
  const members = new Set(subflow.members);
  return buildGraph(
    ir,
    registry,
    Object.keys(ir.nodes).filter((node) => members.has(node)),
    subflow.roots,
  );
}

function buildGraph(
  ir: Ir,
  registry: NodeRegistry,
  members: readonly string[],
  roots: readonly string[],
  all: readonly IrEdge[] = ir.edges,
): Graph | Cycle {
  const numbers = new Map(members.map((id, index) => [id, index]));
  const sources = new Map<string, Map<string, SlotReference>>();
  const entries = new Map<string, SlotReference[]>();
  const data: IrEdge[] = [];
  const control: IrEdge[] = [];
  for (const edge of all) {
    if (!numbers.has(edge.from.node) || !numbers.has(edge.to.node)) continue;
    if (isControl(ir, registry, edge)) {
      put(entries, edge.to.node, edge.from);
      control.push(edge);
    } else {
      slotMap(sources, edge.to.node).set(edge.to.slot, edge.from);
      data.push(edge);
    }
  }
  const size = members.length;
  const number = (id: string) => numbers.get(id) ?? 0;
  const edges = [...data, ...control].map(({ from, to }) => [number(from.node), number(to.node)] as const);
  const ordered = topologicalOrder(
    { size: 2 * size, edges: [...edges, ...branchEnds(control, size, number)] },
    size,
  );
  const name = (vertex: number) => members[vertex % size] ?? "";
  if ("cycle" in ordered)
    return { cycle: fromEarliest([...new Set(ordered.cycle.map((vertex) => vertex % size))]).map(name) };
  return { roots, order: ordered.order.map(name), sources, entries };
}

/**
 * What follows an `if` runs when the taken branch has ended (F-9). Vertex `size + n` stands for "node n and all that control
 * leads to from it has ended", so that nested branches cost one edge each.
 */
function branchEnds(
  control: readonly IrEdge[],
  size: number,
  number: (id: string) => number,
): [number, number][] {
  const pairs: [number, number][] = Array.from({ length: size }, (_, node) => [node, size + node]);
  const branches = new Map<string, number[]>();
  for (const { from, to } of control) {
    pairs.push([size + number(to.node), size + number(from.node)]);
    if (from.slot !== "next") put(branches, from.node, number(to.node));
  }
  for (const { from, to } of control) {
    if (from.slot !== "next") continue;
    for (const branch of branches.get(from.node) ?? []) pairs.push([size + branch, number(to.node)]);
  }
  return pairs;
}

/** A cycle begins anywhere; people look for its first node in source order. */
function fromEarliest(cycle: readonly number[]): number[] {
  const first = cycle.reduce((best, vertex, at) => (vertex < (cycle[best] ?? Infinity) ? at : best), 0);
  return [...cycle.slice(first), ...cycle.slice(0, first)];
}

function isControl(ir: Ir, registry: NodeRegistry, { from }: IrEdge): boolean {
  const node = Object.hasOwn(ir.nodes, from.node) ? ir.nodes[from.node] : undefined;
  return registry.find(node?.definition ?? "")?.exits.includes(from.slot) ?? false;
}

function put<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

function slotMap(map: Map<string, Map<string, SlotReference>>, key: string): Map<string, SlotReference> {
  const existing = map.get(key);
  if (existing) return existing;
  const made = new Map<string, SlotReference>();
  map.set(key, made);
  return made;
}
