import type { Part } from "./part.ts";

/**
 * Column of each node, from 0: everything stands right of what it comes after, and what follows an `if` right of its
 * branches (F-9). Data sources stand one column before the first node that reads them.
 */
export function depthsOf(part: Part): ReadonlyMap<string, number> {
  const { order, before, branches, entered } = part;
  const depths = new Map<string, number>();
  const ends = new Map<string, number>();
  const depthOf = (id: string): number => depths.get(id) ?? 0;
  for (const id of order) {
    const after = (before.get(id) ?? []).map((other) => depthOf(other) + 1);
    for (const follower of entered.get(id) ?? []) {
      if (!branches.has(follower)) continue;
      const end = ends.get(follower) ?? Math.max(...reached(part, follower).map(depthOf));
      ends.set(follower, end);
      after.push(end + 1);
    }
    depths.set(id, Math.max(0, ...after));
  }
  pullSources(part, depths);
  return depths;
}

/** Every node of the branches of an `if`, with all that control leads to from them; they come earlier in the order. */
function reached({ next, branches }: Part, id: string): readonly string[] {
  const found = new Set(branches.get(id));
  for (const at of found) {
    for (const other of [...(next.get(at) ?? []), ...(branches.get(at) ?? [])]) found.add(other);
  }
  return [...found];
}

function pullSources({ order, bands, before }: Part, depths: Map<string, number>): void {
  const nearest = new Map<string, number>();
  for (const id of order.toReversed()) {
    const reader = nearest.get(id);
    if (bands.get(id) === "source" && reader !== undefined) depths.set(id, reader - 1);
    const depth = depths.get(id) ?? 0;
    for (const other of before.get(id) ?? [])
      nearest.set(other, Math.min(depth, nearest.get(other) ?? Infinity));
  }
}
