import { expect, test } from "vitest";
import { parseMaxIterations, parseRepeatIterations } from "./limits.ts";

test.each([
  ["", 20],
  ["  ", 20],
  ["0", 0],
  ["1", 1],
  ["1000", 1000],
  [" 7\n", 7],
  ["0000012", 12],
])("AC-35, L-6: maxIterations %j is %i", (text, value) => {
  expect(parseMaxIterations(text, 1000)).toEqual({ ok: true, value });
});

test.each([
  ["-1"],
  ["+1"],
  ["2.5"],
  ["abc"],
  ["1001"],
  ["0x10"],
  ["1e3"],
  ["1_0"],
  ["１０"],
  ["٣"],
  ["00000012"],
  ["1 0"],
  ["null"],
  ["9".repeat(30)],
])("AC-35, L-6: maxIterations %j is refused", (text) => {
  const result = parseMaxIterations(text, 1000);
  expect(result.ok).toBe(false);
  expect(!result.ok && result.message.length).toBeLessThan(200);
});

test("L-7: above the cap the message names value, cap and variable", () => {
  expect(parseMaxIterations("1001", 1000)).toEqual({
    ok: false,
    message: "maxIterations is 1001, more than the operator's cap of 1000 (AGENTFLOW_MAX_ITERATIONS)",
  });
  expect(parseMaxIterations("1000000", 1_000_000)).toEqual({ ok: true, value: 1_000_000 });
});

test("L-6, OP-3: the default is the form's and never exceeds a lower cap", () => {
  expect(parseMaxIterations("", 1000, 100)).toEqual({ ok: true, value: 100 });
  expect(parseMaxIterations("", 5)).toEqual({ ok: true, value: 5 });
});

test("R-1: a repeat needs a limit of 1 or more, under a cap of its own", () => {
  expect(parseRepeatIterations("128", 128)).toEqual({ ok: true, value: 128 });
  for (const text of ["", " ", "0", "000", "1.5"]) expect(parseRepeatIterations(text, 128).ok).toBe(false);
  expect(parseRepeatIterations("129", 128)).toMatchObject({
    message: expect.stringContaining("AGENTFLOW_MAX_REPEAT_ITERATIONS"),
  });
});
