import type { NodeRegistry } from "../nodes/registry.ts";
import type { Ir, IrEdge, SlotReference } from "./ir.ts";

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

/** The graph inside one subflow. Throws when the subflow does not exist. */
export function subflowGraph(ir: Ir, registry: NodeRegistry, id: string): Graph | Cycle {
  const subflow = ir.subflows[id];
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
): Graph | Cycle {
  const inside = new Set(members);
  const sources = new Map<string, Map<string, SlotReference>>();
  const entries = new Map<string, SlotReference[]>();
  const before = new Map<string, Set<string>>(members.map((id) => [id, new Set<string>()]));
  for (const { from, to } of ir.edges) {
    if (!inside.has(from.node) || !inside.has(to.node)) continue;
    before.get(to.node)?.add(from.node);
    if (isControl(ir, registry, from)) put(entries, to.node, from);
    else slotMap(sources, to.node).set(to.slot, from);
  }
  for (const [node, earlier] of branchEnds(ir, registry, inside)) before.get(node)?.add(earlier);
  const order = topological(members, before);
  return Array.isArray(order) ? { roots, order, sources, entries } : (order as Cycle);
}

function isControl(ir: Ir, registry: NodeRegistry, from: SlotReference): boolean {
  const definition = registry.find(ir.nodes[from.node]?.definition ?? "");
  return definition?.exits.includes(from.slot) ?? false;
}

/** What follows an `if` runs when the taken branch has ended (F-9): [follower, branch node] pairs. */
function branchEnds(ir: Ir, registry: NodeRegistry, inside: ReadonlySet<string>): [string, string][] {
  const control = new Map<string, IrEdge[]>();
  for (const edge of ir.edges) {
    if (inside.has(edge.from.node) && inside.has(edge.to.node) && isControl(ir, registry, edge.from)) {
      put(control, edge.from.node, edge);
    }
  }
  const pairs: [string, string][] = [];
  for (const [, edges] of control) {
    const branches = edges.filter((edge) => edge.from.slot !== "next");
    const followers = edges.filter((edge) => edge.from.slot === "next");
    if (branches.length === 0 || followers.length === 0) continue;
    const reached = reach(
      control,
      branches.map((edge) => edge.to.node),
    );
    for (const follower of followers) {
      for (const id of reached) if (id !== follower.to.node) pairs.push([follower.to.node, id]);
    }
  }
  return pairs;
}

function reach(control: ReadonlyMap<string, readonly IrEdge[]>, from: readonly string[]): Set<string> {
  const reached = new Set(from);
  for (const id of reached) for (const edge of control.get(id) ?? []) reached.add(edge.to.node);
  return reached;
}

/** Kahn's algorithm; among the ready nodes the first in source order goes first. */
function topological(
  members: readonly string[],
  before: ReadonlyMap<string, ReadonlySet<string>>,
): string[] | Cycle {
  const done = new Set<string>();
  const order: string[] = [];
  let rest = [...members];
  while (rest.length > 0) {
    const ready = rest.find((id) => [...(before.get(id) ?? [])].every((earlier) => done.has(earlier)));
    if (ready === undefined) return { cycle: findCycle(rest, before) };
    done.add(ready);
    order.push(ready);
    rest = rest.filter((id) => id !== ready);
  }
  return order;
}

function findCycle(rest: readonly string[], before: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const left = new Set(rest);
  const path: string[] = [];
  let at = rest[0] ?? "";
  while (!path.includes(at)) {
    path.push(at);
    at = [...(before.get(at) ?? [])].find((earlier) => left.has(earlier)) ?? at;
  }
  return path.slice(path.indexOf(at)).reverse();
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
