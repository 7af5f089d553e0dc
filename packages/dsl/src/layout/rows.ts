import { Graph, layout } from "@dagrejs/dagre";
import type { EdgeLabel, GraphLabel, NodeLabel } from "@dagrejs/dagre";
import type { Size } from "./node-size.ts";
import type { Part } from "./part.ts";

/** Pixels between the columns, and between two nodes of one column. */
export const COLUMN_GAP = 80;
export const ROW_GAP = 40;

/** The layout library is too deep a recursion for more; then each column is simply stacked. */
const MOST_NODES = 1000;

/**
 * Vertical centre of every node that stands in a control chain, the main chain at 0 throughout: the order within each
 * column and the distances are the library's, and each column is moved so that the main chain is a straight line.
 */
export function rowsOf(
  part: Part,
  depths: ReadonlyMap<string, number>,
  sizes: ReadonlyMap<string, Size>,
): ReadonlyMap<string, number> {
  const controlled = part.order.filter((id) => part.bands.get(id) !== "source");
  const axis = mainChain(part);
  const onAxis = new Set(axis);
  const rows =
    controlled.length > MOST_NODES
      ? new Map(controlled.map((id, index) => [id, onAxis.has(id) ? 0 : index]))
      : drawn(part, controlled, axis, depths, sizes);
  return apart(controlled, onAxis, rows, depths, sizes);
}

/** The chain from the first root on, along the first `next` of each node. */
function mainChain({ roots, next }: Part): readonly string[] {
  const chain = new Set<string>();
  for (let at = roots[0]; at !== undefined && !chain.has(at); at = next.get(at)?.[0]) chain.add(at);
  return [...chain];
}

function drawn(
  { next, branches }: Part,
  controlled: readonly string[],
  axis: readonly string[],
  depths: ReadonlyMap<string, number>,
  sizes: ReadonlyMap<string, Size>,
): ReadonlyMap<string, number> {
  const graph = new Graph<GraphLabel, NodeLabel, EdgeLabel>();
  const depthOf = (id: string): number => depths.get(id) ?? 0;
  const ranker = (inner: Graph): void => {
    for (const id of inner.nodes()) inner.node(id).rank = 2 * depthOf(id);
  };
  graph.setGraph({
    rankdir: "LR",
    nodesep: ROW_GAP,
    edgesep: ROW_GAP,
    ranksep: COLUMN_GAP,
    ranker,
  } as object);
  graph.setDefaultEdgeLabel(() => ({}));
  for (const id of controlled) graph.setNode(id, { ...sizes.get(id) } as NodeLabel);
  const onAxis = new Set(axis);
  for (const id of controlled) {
    for (const to of [...(branches.get(id) ?? []), ...(next.get(id) ?? [])])
      graph.setEdge(id, to, { weight: onAxis.has(id) && onAxis.has(to) ? 8 : 1 });
  }
  layout(graph);
  const line = axisLine(graph, axis, depthOf);
  return new Map(controlled.map((id) => [id, (graph.node(id).y ?? 0) - line(depthOf(id))]));
}

/** Height of the main chain in each column: at its nodes, and between two of them where the edge passes. */
function axisLine(
  graph: Graph<GraphLabel, NodeLabel, EdgeLabel>,
  axis: readonly string[],
  depthOf: (id: string) => number,
): (depth: number) => number {
  const heights = new Map<number, number>();
  for (const [index, id] of axis.entries()) {
    heights.set(depthOf(id), graph.node(id).y ?? 0);
    const to = axis[index + 1];
    const points = to === undefined ? [] : (graph.edge(id, to).points ?? []);
    const steps = to === undefined ? 0 : depthOf(to) - depthOf(id);
    for (let step = 1; step < steps; step++)
      heights.set(depthOf(id) + step, points[2 * step]?.y ?? graph.node(id).y ?? 0);
  }
  const first = axis[0];
  const last = axis.at(-1);
  const ends = [first, last].map((id) => (id === undefined ? 0 : (graph.node(id).y ?? 0)));
  const from = first === undefined ? 0 : depthOf(first);
  return (depth) => heights.get(depth) ?? ends[depth < from ? 0 : 1] ?? 0;
}

/** The same order within each column, pushed away from the axis wherever two would come too close. */
function apart(
  controlled: readonly string[],
  axis: ReadonlySet<string>,
  rows: ReadonlyMap<string, number>,
  depths: ReadonlyMap<string, number>,
  sizes: ReadonlyMap<string, Size>,
): ReadonlyMap<string, number> {
  const columns = new Map<number, string[]>();
  for (const id of controlled) {
    const depth = depths.get(id) ?? 0;
    columns.set(depth, [...(columns.get(depth) ?? []), id]);
  }
  const placed = new Map<string, number>();
  const half = (id: string): number => (sizes.get(id)?.height ?? 0) / 2;
  const row = (id: string): number => rows.get(id) ?? 0;
  const stack = (ids: readonly string[], direction: 1 | -1, start: number): void => {
    let free = start;
    for (const id of ids) {
      const middle = direction * Math.max(direction * row(id), direction * free + half(id));
      placed.set(id, Math.round(middle));
      free = middle + direction * (half(id) + ROW_GAP);
    }
  };
  for (const column of columns.values()) {
    const sorted = column.toSorted((a, b) => row(a) - row(b));
    const at = sorted.findIndex((id) => axis.has(id));
    if (at === -1) stack(sorted, 1, -Infinity);
    else {
      stack(sorted.slice(at), 1, -half(sorted[at] ?? ""));
      stack(sorted.slice(0, at).toReversed(), -1, -half(sorted[at] ?? "") - ROW_GAP);
    }
  }
  return placed;
}
