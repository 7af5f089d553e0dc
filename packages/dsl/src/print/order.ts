import { calledBy } from "@agentflow/core";
import type { Ir } from "@agentflow/core";

/** One declaration of the printed file. */
export type Statement = { readonly kind: "node" | "subflow"; readonly id: string };

/**
 * Nodes and subflows in an order that keeps both as the IR has them: a subflow stands behind the last node it names, but
 * before the first call or loop that uses it and before every subflow that follows it (F-11).
 */
export function statementOrder(ir: Ir): readonly Statement[] {
  const nodes = Object.keys(ir.nodes);
  const places = subflowPlaces(ir, nodes);
  const statements: Statement[] = [];
  for (let index = 0; index <= nodes.length; index++) {
    for (const id of places.get(index) ?? []) statements.push({ kind: "subflow", id });
    const node = nodes[index];
    if (node !== undefined) statements.push({ kind: "node", id: node });
  }
  return statements;
}

/** Index of the node in front of which each subflow stands. */
function subflowPlaces(ir: Ir, nodes: readonly string[]): ReadonlyMap<number, readonly string[]> {
  const indexes = new Map(nodes.map((id, index) => [id, index]));
  const firstUse = new Map<string, number>();
  for (const [index, id] of nodes.entries()) {
    const node = ir.nodes[id];
    for (const used of node ? calledBy(ir, node) : []) {
      if (!firstUse.has(used)) firstUse.set(used, index);
    }
  }
  const places = new Map<number, string[]>();
  let latest = nodes.length;
  for (const [id, { inputs, outputs, members }] of Object.entries(ir.subflows).reverse()) {
    const named = [...members, ...Object.values(inputs), ...Object.values(outputs).map(({ node }) => node)];
    const behind = named.reduce((last, node) => Math.max(last, (indexes.get(node) ?? -1) + 1), 0);
    latest = Math.min(latest, behind, firstUse.get(id) ?? nodes.length);
    places.set(latest, [id, ...(places.get(latest) ?? [])]);
  }
  return places;
}
