import { expect, test } from "vitest";
import { loopNames } from "../../expression/scope.ts";
import { expressionFindings } from "./expressions.ts";
import type { AuthoredExpression } from "./expressions.ts";

function findings(...authored: AuthoredExpression[]): { field: string | null; message: string }[] {
  return [...expressionFindings("loop", authored, loopNames("attempt"))].map((draft) => {
    expect(draft).toMatchObject({ code: "D62", severity: "error", node: "loop" });
    return { field: draft.field, message: draft.message };
  });
}

const condition = (text: string): AuthoredExpression => ({ field: "condition", kind: "expression", text });
const parameters = (value: unknown): AuthoredExpression => ({
  field: "params",
  kind: "parameters",
  text: JSON.stringify(value),
});

test("E-3, D62: valid expressions over the loop's names give no finding", () => {
  expect(
    findings(
      condition("state.items.some(item => item.n < iteration + index) && attempt.attemptNumber < 5"),
      parameters(["{{last?.x}}", { deep: "n={{input.n}} {{state.a}}" }, "plain", "state.n", 5, null]),
    ),
  ).toEqual([]);
});

test("E-3, D62: an expression outside the grammar is refused with its place", () => {
  expect(findings(condition("state.n = 1"))).toEqual([
    {
      field: "condition",
      message:
        '`condition` of `loop`: the expression "state.n = 1" is invalid, assignment is not allowed (at character 1). Correct it.',
    },
  ]);
  for (const text of ["", "   ", "state.constructor", "x".repeat(1001), "`a`"])
    expect(findings(condition(text))).toHaveLength(1);
});

test("E-3, D62: names that the loop will not have are refused, parameters of arrow functions are not", () => {
  expect(findings(condition("stat.n > foo"))[0]?.message).toContain(
    "`stat` and `foo` are not known; known are `state`, `input`, `attempt`, `iteration`, `index`, `last`",
  );
  expect(findings(condition("state.items.some(item => item.n) || item"))[0]?.message).toContain(
    "`item` is not known",
  );
  expect(findings(condition("payload.n"))).toHaveLength(1);
  expect([
    ...expressionFindings("loop", [condition("payload.n < results.length")], loopNames("attempt", true)),
  ]).toEqual([]);
});

test("E-3, D62: every expression inside parameters is looked at, but what OP-5 takes literally is not", () => {
  const found = findings(
    parameters({
      a: ["{{state.n +}}", { b: "x {{nobody}} {{state.n}} {{1 2}}" }],
      "{{key}}": "static:{{nothing +}}",
    }),
  );
  expect(found.map(({ message }) => /expression ("[^"]*")/.exec(message)?.[1])).toEqual([
    '"state.n +"',
    '"nobody"',
    '"1 2"',
  ]);
});

test("D62: parameters that are no JSON are another rule's finding", () => {
  expect(findings({ field: "params", kind: "parameters", text: '{"a":"{{' })).toEqual([]);
});
