import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linkChain } from "../chain.ts";
import { chainOf, flowText } from "./chain-of.ts";

/** `{ a: ["b"] }` as followers. */
function printed(heads: readonly string[], followers: Record<string, readonly string[]>): string {
  return flowText(chainOf(heads, new Map(Object.entries(followers))));
}

describe("control edges as a chain (F-18)", () => {
  it.each([
    ["a line", ["a"], { a: ["b"], b: ["c"] }, "flow(a, b, c)"],
    ["nothing", [], {}, "flow()"],
    [
      "a fork that meets again",
      ["a"],
      { a: ["b", "c"], b: ["d"], c: ["d"], d: ["e"] },
      "flow(a, flow.fork(flow(b), flow(c)), d, e)",
    ],
    ["a fork that does not", ["a"], { a: ["b", "c"], b: ["d"] }, "flow(a, flow.fork(flow(b, d), flow(c)))"],
    [
      "two forks in a row",
      ["a", "b"],
      { a: ["c", "d"], b: ["c", "d"] },
      "flow(flow.fork(flow(a), flow(b)), flow.fork(flow(c), flow(d)))",
    ],
    [
      "a fork in a fork",
      ["a"],
      { a: ["b", "c"], b: ["d", "e"], d: ["f"], e: ["f"], f: ["g"], c: ["g"] },
      "flow(a, flow.fork(flow(b, flow.fork(flow(d), flow(e)), f), flow(c)), g)",
    ],
    [
      "some heads that meet, others that do not",
      ["a", "b", "c"],
      { a: ["d"], b: ["d"] },
      "flow(flow.fork(flow(flow.fork(flow(a), flow(b)), d), flow(c)))",
    ],
    ["no nesting of forks", ["a"], { a: ["b", "c"], b: ["c"] }, "flow(flow.fork(flow(a, b, c), flow(a, c)))"],
    ["a circle", ["a"], { a: ["b"], b: ["a"] }, "flow(a, b, a)"],
  ] as const)("%s", (_, heads, followers, text) => {
    expect(printed(heads, followers)).toBe(text);
  });

  it("F-18: whatever the graph, the chain has its heads in order and every reachable step", () => {
    const size = 7;
    const pair = fc.tuple(fc.nat(size - 1), fc.nat(size - 1));
    const graph = fc.record({
      heads: fc.uniqueArray(fc.nat(size - 1), { minLength: 1, maxLength: 3 }),
      pairs: fc.uniqueArray(pair, { maxLength: 14, selector: String }),
    });
    fc.assert(
      fc.property(graph, ({ heads, pairs }) => {
        const followers = new Map<string, string[]>();
        for (const [from, to] of pairs)
          followers.set(`n${from}`, [...(followers.get(`n${from}`) ?? []), `n${to}`]);
        const reached = new Set(heads.map((id) => `n${id}`));
        for (const id of reached) for (const next of followers.get(id) ?? []) reached.add(next);
        const links = linkChain(chainOf([...heads.map((id) => `n${id}`)], followers));
        const wanted = [...reached].flatMap((from) =>
          (followers.get(from) ?? []).map((to) => `${from} ${to}`),
        );
        expect(links.heads).toEqual(heads.map((id) => `n${id}`));
        expect([...new Set(links.steps.map((step) => step.join(" ")))].sort()).toEqual(wanted.sort());
      }),
      { numRuns: 1000 },
    );
  }, 60_000);
});
