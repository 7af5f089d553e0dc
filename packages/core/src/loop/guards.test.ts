import { describe, expect, test } from "vitest";
import { beginGuards, guardMemoryOf, guardMemoryText, judgeGuards, readGuards } from "./guards.ts";
import type { Guards } from "./guards.ts";

function guards(given: Partial<Guards>): Guards {
  return { noProgress: null, oscillation: null, growthBytes: null, tokens: null, onTrip: "wait", ...given };
}

/** Digest and size of a state named by a letter; its size is the letter's place unless given. */
const state = (name: string, bytes = 10) => ({ digest: name.repeat(64), bytes });

/** The iterations, counted from 1, at which guards trip while the state goes through these letters; memory goes through its text each time. */
function tripsOf(
  given: Guards,
  letters: string,
  sizes: readonly number[] = [],
  tokens: readonly number[] = [],
): string[] {
  const [first = "", ...rest] = letters;
  let memory = beginGuards(state(first, sizes[0]), 0);
  let before = state(first, sizes[0]);
  return rest.flatMap((letter, index) => {
    const after = state(letter, sizes[index + 1]);
    const facts = { before, after, tokens: tokens[index + 1] ?? 0 };
    const judged = judgeGuards(given, guardMemoryOf(guardMemoryText(memory)), facts);
    memory = judged.memory;
    before = after;
    return judged.trip === null ? [] : [`${index + 1} ${judged.trip.guard}`];
  });
}

describe("guards", () => {
  test.each([
    [guards({ noProgress: 3 }), "abbbbc", ["4 noProgress"]],
    [guards({ noProgress: 3 }), "aabbaabb", []],
    [guards({ noProgress: 1 }), "aab", ["1 noProgress"]],
    [guards({ noProgress: 2 }), "aaaaa", ["2 noProgress", "4 noProgress"]],
    [guards({ oscillation: 2 }), "abab", ["2 oscillation"]],
    [guards({ oscillation: 2 }), "abca", []],
    [guards({ oscillation: 3 }), "abca", ["3 oscillation"]],
    [guards({ oscillation: 3 }), "aabbcc", []],
    [guards({ oscillation: 5 }), "ababab", ["2 oscillation", "4 oscillation"]],
    [guards({ noProgress: 2, oscillation: 4 }), "abaaab", ["2 oscillation", "4 noProgress"]],
  ])("OP-7: %j watching %s trips at %j", (given, letters, trips) => {
    expect(tripsOf(given, letters)).toEqual(trips);
  });

  test("OP-7: growth counts from where counting began, and begins anew after a trip", () => {
    expect(tripsOf(guards({ growthBytes: 100 }), "abcde", [50, 150, 151, 200, 251])).toEqual([
      "2 growthBytes",
    ]);
    expect(tripsOf(guards({ growthBytes: 1 }), "abc", [5, 4, 3])).toEqual([]);
  });

  test("OP-7: tokens count from where counting began", () => {
    expect(tripsOf(guards({ tokens: 100 }), "abcde", [], [0, 60, 110, 150, 211])).toEqual([
      "2 tokens",
      "4 tokens",
    ]);
  });

  test("OP-7: a trip tells its evidence in a sentence and in numbers", () => {
    const before = state("a");
    const { trip } = judgeGuards(guards({ noProgress: 1 }), beginGuards(before, 0), {
      before,
      after: before,
      tokens: 0,
    });
    expect(trip).toEqual({
      guard: "noProgress",
      evidence: "Guard noProgress (1): the state has not changed for 1 iterations.",
      details: { iterations: 1 },
    });
  });

  test("OP-7: guards are read from JSON; onTrip is wait when it is left out", () => {
    expect(readGuards("")).toEqual({ ok: true, guards: null });
    expect(readGuards(" null ")).toEqual({ ok: true, guards: null });
    expect(readGuards('{"noProgress":3}')).toEqual({ ok: true, guards: guards({ noProgress: 3 }) });
    expect(readGuards('{"oscillation":8,"growthBytes":1000,"tokens":5,"onTrip":"fail"}')).toEqual({
      ok: true,
      guards: guards({ oscillation: 8, growthBytes: 1000, tokens: 5, onTrip: "fail" }),
    });
  });

  test.each([
    ["{", "not JSON"],
    ["[]", "must be an object"],
    ["{}", "names no guard"],
    ['{"onTrip":"fail"}', "names no guard"],
    ['{"noprogress":3}', 'unknown guard "noprogress"'],
    ['{"noProgress":0}', "whole number from 1"],
    ['{"noProgress":1.5}', "whole number from 1"],
    ['{"noProgress":"3"}', "whole number from 1"],
    ['{"oscillation":101}', "from 2 to 100"],
    ['{"tokens":5,"onTrip":"stop"}', "wait, fail, warn"],
  ])("OP-7: %s is refused as config_invalid", (text, message) => {
    const read = readGuards(text);
    if (read.ok) throw new Error("it was read");
    expect(read.failure).toMatchObject({ code: "config_invalid", message: expect.stringContaining(message) });
  });
});
