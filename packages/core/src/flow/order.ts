/** Something that may only follow others; vertices are numbers from 0. */
export type Precedence = {
  readonly size: number;
  readonly edges: readonly (readonly [before: number, after: number])[];
};

/**
 * Topological order in linear time and without recursion. Among the vertices that are ready the lowest number goes first, except
 * that those from `silent` on (helpers that are no nodes) go at once. A cycle gives its vertices in order instead.
 */
export function topologicalOrder(
  { size, edges }: Precedence,
  silent: number,
): { order: number[] } | { cycle: number[] } {
  const followers: number[][] = Array.from({ length: size }, () => []);
  const missing = Array.from({ length: size }, () => 0);
  for (const [before, after] of edges) {
    followers[before]?.push(after);
    missing[after] = (missing[after] ?? 0) + 1;
  }
  const ready = new LowestFirst();
  const atOnce: number[] = [];
  const release = (vertex: number) => {
    if (vertex < silent) ready.add(vertex);
    else atOnce.push(vertex);
  };
  for (let vertex = 0; vertex < size; vertex += 1) if (missing[vertex] === 0) release(vertex);
  const order: number[] = [];
  const done = new Set<number>();
  for (
    let vertex = atOnce.pop() ?? ready.take();
    vertex !== undefined;
    vertex = atOnce.pop() ?? ready.take()
  ) {
    done.add(vertex);
    if (vertex < silent) order.push(vertex);
    for (const follower of followers[vertex] ?? []) {
      missing[follower] = (missing[follower] ?? 0) - 1;
      if (missing[follower] === 0) release(follower);
    }
  }
  return done.size === size ? { order } : { cycle: findCycle(size, edges, done) };
}

/** Every vertex that is not done waits for another one that is not done, so going backwards must come round. */
function findCycle(size: number, edges: Precedence["edges"], done: ReadonlySet<number>): number[] {
  const waitsFor = new Map<number, number>();
  for (const [before, after] of edges)
    if (!done.has(before) && !waitsFor.has(after)) waitsFor.set(after, before);
  const path: number[] = [];
  const seenAt = new Map<number, number>();
  let vertex = 0;
  while (vertex < size && done.has(vertex)) vertex += 1;
  while (!seenAt.has(vertex)) {
    seenAt.set(vertex, path.length);
    path.push(vertex);
    vertex = waitsFor.get(vertex) ?? vertex;
  }
  return path.slice(seenAt.get(vertex)).reverse();
}

/** A binary heap of numbers. */
class LowestFirst {
  readonly #heap: number[] = [];

  add(value: number): void {
    const heap = this.#heap;
    let at = heap.push(value) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#get(parent) <= value) break;
      heap[at] = this.#get(parent);
      at = parent;
    }
    heap[at] = value;
  }

  take(): number | undefined {
    const heap = this.#heap;
    const lowest = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return lowest;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (this.#get(child + 1) < this.#get(child)) child += 1;
      if (this.#get(child) >= last) break;
      heap[at] = this.#get(child);
      at = child;
    }
    heap[at] = last;
    return lowest;
  }

  #get(index: number): number {
    return this.#heap[index] ?? Infinity;
  }
}
