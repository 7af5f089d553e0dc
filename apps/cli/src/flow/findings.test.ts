import { expect, test } from "vitest";
import { findingLine, findingsIn } from "./findings.ts";

const finding = {
  code: "D13",
  severity: "error" as const,
  node: "judge",
  field: "state",
  line: 12,
  column: 5,
  message: "wire a json here",
};

test("2.5: a finding shows place, severity, code, node and field on one line", () => {
  expect(findingLine(finding)).toBe("workspace.flow.js:12:5: error D13 (judge.state): wire a json here");
});

test("2.5: what has no place or no node is shown without", () => {
  expect(findingLine({ ...finding, node: null, field: null, line: null, column: null })).toBe(
    "workspace.flow.js: error D13: wire a json here",
  );
});

test("3.4: findings are read out of a refusal, and other details are not taken for some", () => {
  const warning = { ...finding, severity: "warning" as const };
  expect(findingsIn({ findings: [finding, warning] })).toEqual({ errors: [finding], warnings: [warning] });
  expect(findingsIn({ status: "running" })).toBeNull();
  expect(findingsIn({ findings: [{ code: 1 }] })).toBeNull();
});
