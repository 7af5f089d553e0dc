import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readLoopOptions, retryPauseMs } from "./options.ts";
import type { LoopOptions } from "./options.ts";
import { pauseMs, readPacing } from "./pacing.ts";
import type { Pacing } from "./pacing.ts";

function options(texts: Readonly<Record<string, string>>): LoopOptions {
  const read = readLoopOptions(new Map(Object.entries(texts)));
  if (!read.ok) throw new Error(read.failure.message);
  return read.options;
}

function failed(texts: Readonly<Record<string, string>>): readonly [code: string, message: string] | null {
  const read = readLoopOptions(new Map(Object.entries(texts)));
  return read.ok ? null : [read.failure.code, read.failure.message];
}

test("O-1 to O-5: nothing said means no pauses, no tolerance, no retries, fail, attempt", () => {
  const defaults = {
    pacing: { delayMs: 0, backoffFactor: 1, maxDelayMs: 60_000 },
    continueOnError: false,
    retries: null,
    onExhausted: "fail",
    itemVariable: "attempt",
    timeline: true,
    guards: null,
  };
  expect(options({})).toEqual(defaults);
  expect(options({ delayMs: " ", continueOnError: "", retries: "", onExhausted: "" })).toEqual(defaults);
});

test("O-1: what is said is taken", () => {
  expect(options({ delayMs: " 250 ", backoffFactor: "1.5", maxDelayMs: "3600000" }).pacing).toEqual({
    delayMs: 250,
    backoffFactor: 1.5,
    maxDelayMs: 3_600_000,
  });
  expect(options({ delayMs: "60001" }).pacing.maxDelayMs).toBe(60_001);
  expect(options({ delayMs: "3600000" }).pacing.maxDelayMs).toBe(3_600_000);
  expect(options({ delayMs: "5", maxDelayMs: "5" }).pacing.maxDelayMs).toBe(5);
});

test.each([
  [{ delayMs: "-1" }, 'delayMs is "-1"'],
  [{ delayMs: "1.5" }, 'delayMs is "1.5"'],
  [{ delayMs: "1e3" }, 'delayMs is "1e3"'],
  [{ delayMs: "5s" }, 'delayMs is "5s"'],
  [{ delayMs: "１" }, "delayMs"],
  [{ delayMs: "3600001" }, "delayMs is 3600001, more than 3600000"],
  [{ delayMs: "99999999999" }, "delayMs"],
  [{ maxDelayMs: "3600001" }, "maxDelayMs is 3600001, more than 3600000"],
  [{ delayMs: "10", maxDelayMs: "9" }, "maxDelayMs is 9, less than delayMs 10"],
  [{ maxDelayMs: "x" }, 'maxDelayMs is "x"'],
  [{ backoffFactor: "0.99" }, "backoffFactor is 0.99, less than 1"],
  [{ backoffFactor: "0" }, "less than 1"],
  [{ backoffFactor: "Infinity" }, 'backoffFactor is "Infinity"'],
  [{ backoffFactor: "-2" }, 'backoffFactor is "-2"'],
  [{ retries: '{"max":1,"delayMs":-1}' }, 'retries.delayMs is "-1"'],
  [{ retries: '{"max":1,"backoffFactor":0.5}' }, "retries.backoffFactor is 0.5, less than 1"],
])("O-1: %j is delay_invalid", (texts, expected) => {
  expect(failed(texts)).toEqual(["delay_invalid", expect.stringContaining(expected)]);
});

const pacing: Pacing = { delayMs: 100, backoffFactor: 2, maxDelayMs: 1000 };

test("O-1: no pause before the first iteration since start or resume, then times the factor up to the cap", () => {
  expect([1, 2, 3, 4, 5, 6, 7].map((nth) => pauseMs(pacing, nth))).toEqual([
    0, 100, 200, 400, 800, 1000, 1000,
  ]);
  expect([1, 2, 3].map((nth) => pauseMs({ ...pacing, backoffFactor: 1 }, nth))).toEqual([0, 100, 100]);
  expect(pauseMs({ delayMs: 1, backoffFactor: 1.5, maxDelayMs: 60_000 }, 3)).toBe(2);
});

test("O-1: whatever the options and however many iterations, a pause is whole, never shrinks and never passes the cap", () => {
  const texts = fc.record({
    delayMs: fc.nat({ max: 3_600_000 }).map(String),
    backoffFactor: fc.double({ min: 1, max: 1e9, noNaN: true }).map((factor) => factor.toFixed(5)),
    maxDelayMs: fc.option(fc.nat({ max: 3_600_000 }).map(String), { nil: undefined }),
  });
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 1_000_000 }), (given, nth) => {
      const read = readPacing(given);
      if (!read.ok) {
        expect(Number(given.maxDelayMs)).toBeLessThan(Number(given.delayMs));
        return;
      }
      const pause = pauseMs(read.pacing, nth);
      expect(Number.isSafeInteger(pause)).toBe(true);
      expect(pause).toBeGreaterThanOrEqual(nth === 1 ? 0 : read.pacing.delayMs);
      expect(pause).toBeLessThanOrEqual(read.pacing.maxDelayMs);
      expect(pauseMs(read.pacing, nth + 1)).toBeGreaterThanOrEqual(pause);
    }),
  );
});

test("O-3: retries are extra attempts, with pauses that grow like those of O-1", () => {
  const { retries } = options({ retries: '{"max":3,"delayMs":40000,"backoffFactor":1.25}' });
  expect(retries?.max).toBe(3);
  expect(retries && [1, 2, 3, 4].map((nth) => retryPauseMs(retries, nth))).toEqual([
    40_000, 50_000, 60_000, 60_000,
  ]);
  expect(options({ retries: '{"max":2}' }).retries).toMatchObject({ max: 2, pacing: { delayMs: 0 } });
  for (const none of ["null", '{"max":0}', '{"max":0,"delayMs":5}'])
    expect(options({ retries: none }).retries).toBeNull();
});

test.each([
  [{ retries: "3" }, "retries must be an object"],
  [{ retries: "[]" }, "retries must be an object"],
  [{ retries: "{" }, "retries is not JSON"],
  [{ retries: "{}" }, "retries.max is"],
  [{ retries: '{"max":"3"}' }, "retries.max is"],
  [{ retries: '{"max":-1}' }, 'retries.max is "-1"'],
  [{ retries: '{"max":1.5}' }, 'retries.max is "1.5"'],
  [{ retries: '{"max":1,"jitter":true,"__proto__":1}' }, 'retries: unknown options "jitter", "__proto__"'],
  [{ continueOnError: "yes" }, 'continueOnError is "yes"; give false or true'],
  [{ continueOnError: "True" }, "continueOnError"],
  [{ onExhausted: "park" }, 'onExhausted is "park"; give fail or stop'],
  [{ onExhausted: "STOP" }, "onExhausted"],
  [{ turbo: "{}" }, 'unknown option "turbo"'],
  [{ delayms: "1", delay: "[]" }, 'unknown options "delayms", "delay"'],
  [{ itemVariable: "" }, "itemVariable is blank"],
  [{ itemVariable: "  " }, "itemVariable is blank"],
  [{ itemVariable: "a b" }, "which is not a name"],
  [{ itemVariable: "1a" }, "which is not a name"],
  [{ itemVariable: "state" }, "has a meaning of its own"],
  [{ itemVariable: "index" }, "has a meaning of its own"],
  [{ itemVariable: "Math" }, "has a meaning of its own"],
  [{ itemVariable: "__proto__" }, "has a meaning of its own"],
])("O-2 to O-5, OP-7: %j is config_invalid", (texts, expected) => {
  expect(failed(texts)).toEqual(["config_invalid", expect.stringContaining(expected)]);
});

test("O-2, O-4, O-5: what is said is taken", () => {
  expect(options({ continueOnError: "true", onExhausted: "stop", itemVariable: "größe" })).toMatchObject({
    continueOnError: true,
    onExhausted: "stop",
    itemVariable: "größe",
  });
});

test("O-4, OP-3: a form may have another default for onExhausted, and the author overrides it", () => {
  expect(readLoopOptions(new Map(), "stop")).toMatchObject({ options: { onExhausted: "stop" } });
  expect(readLoopOptions(new Map([["onExhausted", "fail"]]), "stop")).toMatchObject({
    options: { onExhausted: "fail" },
  });
});
