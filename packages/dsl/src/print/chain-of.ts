import type { Chain, ChainItem } from "../chain.ts";
import { linkChain } from "../chain.ts";

/** Where control goes from a node by its `next`; targets in the order of the IR's edges. */
export type Followers = ReadonlyMap<string, readonly string[]>;

/**
 * A chain that begins with `heads` and has every step reachable from them (F-18). Forks that meet again are written as
 * such; a graph that is no nesting of forks becomes one fork of paths, which says the same.
 */
export function chainOf(heads: readonly string[], followers: Followers): Chain {
  const nested = nest(heads, followers, new Set(), new Set());
  return nested && says(nested, heads, followers) ? nested : paths(heads, followers);
}

function nest(
  heads: readonly string[],
  followers: Followers,
  stops: ReadonlySet<string>,
  seen: Set<string>,
): Chain | null {
  const items: ChainItem[] = [];
  let current = heads;
  while (current.length > 0 && !current.every((id) => stops.has(id))) {
    const [only, second] = current;
    if (only !== undefined && second === undefined) {
      if (seen.has(only)) return null;
      seen.add(only);
      items.push(only);
      current = followers.get(only) ?? [];
      continue;
    }
    const joins = meetingPoint(current, followers, stops);
    const groups = group(current, followers, new Set([...stops, ...joins]));
    if (groups.length < 2) return null;
    const fork: Chain[] = [];
    for (const members of groups) {
      const branch = nest(members, followers, new Set([...stops, ...joins]), seen);
      if (!branch || branch.length === 0) return null;
      fork.push(branch);
    }
    items.push({ fork });
    current = joins;
  }
  return items;
}

/** The first nodes that every one of the given nodes leads to; none when they never all meet before a stop. */
function meetingPoint(
  from: readonly string[],
  followers: Followers,
  stops: ReadonlySet<string>,
): readonly string[] {
  const reached = from.map((id) => reach(id, followers, stops));
  const common = new Set([...(reached[0] ?? [])].filter((id) => reached.every((nodes) => nodes.has(id))));
  const later = new Set([...common].flatMap((id) => followers.get(id) ?? []));
  return [...common].filter((id) => !later.has(id));
}

/** Puts nodes together that lead to a common node before any stop. */
function group(
  from: readonly string[],
  followers: Followers,
  stops: ReadonlySet<string>,
): readonly (readonly string[])[] {
  let groups: { members: string[]; reached: ReadonlySet<string> }[] = [];
  for (const id of from) {
    const own = reach(id, followers, stops);
    const touching = groups.filter(({ reached }) => [...own].some((node) => reached.has(node)));
    const merged = {
      members: [...touching.flatMap(({ members }) => members), id],
      reached: new Set([own, ...touching.map(({ reached }) => reached)].flatMap((nodes) => [...nodes])),
    };
    groups = [...groups.filter((other) => !touching.includes(other)), merged];
  }
  return groups.map(({ members }) => members);
}

/** A node and all that follows it, up to the stops. */
function reach(id: string, followers: Followers, stops: ReadonlySet<string>): ReadonlySet<string> {
  const reached = new Set(stops.has(id) ? [] : [id]);
  for (const at of reached) {
    for (const next of followers.get(at) ?? []) if (!stops.has(next)) reached.add(next);
  }
  return reached;
}

function says(chain: Chain, heads: readonly string[], followers: Followers): boolean {
  const links = linkChain(chain);
  if (links.heads.length !== heads.length || links.heads.some((id, index) => id !== heads[index]))
    return false;
  const wanted = new Set<string>();
  for (const from of reachAll(heads, followers))
    for (const to of followers.get(from) ?? []) wanted.add(JSON.stringify([from, to]));
  const made = new Set(links.steps.map((step) => JSON.stringify(step)));
  return made.size === wanted.size && [...made].every((step) => wanted.has(step));
}

function reachAll(heads: readonly string[], followers: Followers): ReadonlySet<string> {
  const reached = new Set(heads);
  for (const id of reached) for (const next of followers.get(id) ?? []) reached.add(next);
  return reached;
}

/** Paths from the heads that together take every step at least once, the heads in their order. */
function paths(heads: readonly string[], followers: Followers): Chain {
  const left = new Map(
    [...reachAll(heads, followers)].map((id) => [id, [...(followers.get(id) ?? [])].reverse()]),
  );
  const cameFrom = new Map<string, string>();
  const known = new Set(heads);
  for (const id of known) {
    for (const next of followers.get(id) ?? []) {
      if (!known.has(next)) cameFrom.set(next, id);
      known.add(next);
    }
  }
  const walk = (from: string): string[] => {
    const path = [from];
    for (let before = cameFrom.get(from); before !== undefined; before = cameFrom.get(before))
      path.unshift(before);
    for (let next = left.get(from)?.pop(); next !== undefined; next = left.get(next)?.pop()) path.push(next);
    return path;
  };
  const fork: Chain[] = heads.map(walk);
  for (const id of known) while ((left.get(id)?.length ?? 0) > 0) fork.push(walk(id));
  const [first, ...others] = fork;
  return others.length === 0 ? (first ?? []) : [{ fork }];
}

/** `flow(...)` around a chain. */
export function flowText(chain: Chain, label?: string): string {
  const items = chain.map((item) =>
    typeof item === "string" ? item : `flow.fork(${item.fork.map((branch) => flowText(branch)).join(", ")})`,
  );
  return `flow(${[...(label === undefined ? [] : [label]), ...items].join(", ")})`;
}
