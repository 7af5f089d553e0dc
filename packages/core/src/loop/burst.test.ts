import { describe, expect, test } from "vitest";
import { readBurst } from "./burst.ts";

describe("the option burst", () => {
  test.each(["", "  ", "null", " null "])("%j leaves it to the operator", (text) =>
    expect(readBurst(text)).toEqual({ ok: true, burst: null }),
  );

  test.each([
    ['{"iterations":50,"ms":200}', { iterations: 50, ms: 200 }],
    ['{"ms":60000,"iterations":1000000}', { iterations: 1_000_000, ms: 60_000 }],
    ['{ "iterations" : 1 }', { iterations: 1, ms: 1000 }],
  ])("%s is taken", (text, burst) => expect(readBurst(text)).toEqual({ ok: true, burst }));

  test.each([
    "5",
    "[]",
    '"x"',
    "{",
    "{}",
    '{"ms":5}',
    '{"iterations":0}',
    '{"iterations":1.5}',
    '{"iterations":"5"}',
    '{"iterations":1000001}',
    '{"iterations":5,"ms":0}',
    '{"iterations":5,"ms":60001}',
    '{"iterations":5,"ms":null}',
    '{"iterations":5,"seconds":1}',
  ])("%s is refused with a sentence that names burst", (text) =>
    expect(readBurst(text)).toEqual({ ok: false, problem: expect.stringMatching(/^burst/) }),
  );
});
