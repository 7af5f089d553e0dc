import { expect, test } from "vitest";
import { decideByExpression } from "./condition.ts";
import { parseExpression } from "./parse.ts";

function decide(text: string, state: string): ReturnType<typeof decideByExpression> {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return decideByExpression(parsed.expression, new Map([["state", state]]));
}

test.each([
  ["true", "continue"],
  ["1", "continue"],
  ['"false"', "continue"],
  ["[]", "continue"],
  ["{}", "continue"],
  ["false", "done"],
  ["0", "done"],
  ["-0", "done"],
  ['""', "done"],
  ["null", "done"],
])("OP-1: a condition that is %s decides %s", (state, decision) => {
  expect(decide("state", state)).toEqual({ ok: true, decision });
});

test("OP-1: undefined and NaN are values, and mean done", () => {
  expect(decide("state.missing", "{}")).toEqual({ ok: true, decision: "done" });
  expect(decide("0 / 0", "{}")).toEqual({ ok: true, decision: "done" });
});

test("OP-1: what cannot be evaluated is a failure that names expression and reason, never a silent end", () => {
  expect(decide("state.order.total < 5", '{"n":1}')).toEqual({
    ok: false,
    failure: {
      code: "condition_unevaluable",
      message:
        'The expression "state.order.total < 5" cannot be evaluated: ' +
        "state.order is undefined, so it has no property total.",
      node: null,
      iteration: null,
    },
  });
});
