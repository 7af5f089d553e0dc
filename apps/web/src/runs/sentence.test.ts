import type { LoopAnswer, RunAnswer } from "@agentflow/contract";
import { expect, test } from "vitest";
import { activeLoop, sentenceOf, waitReason } from "./sentence.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");

const loop = (fields: Partial<LoopAnswer>) =>
  ({ label: "Count", path: "p", status: "running", nextIteration: 4, summary: "", ...fields }) as LoopAnswer;

const run = (fields: Partial<RunAnswer>) =>
  ({
    status: "queued",
    loops: [],
    failure: null,
    dueAt: null,
    startedAt: null,
    attempt: 1,
    inDoubt: false,
    ...fields,
  }) as RunAnswer;

test("K-2: one sentence says what a run does or why it does not", () => {
  expect(sentenceOf(run({}), NOW)).toMatch(/has not begun/);
  expect(sentenceOf(run({ startedAt: "2026-01-01T00:00:00Z" }), NOW)).toMatch(/free worker to go on/);
  expect(sentenceOf(run({ dueAt: "2026-01-01T00:01:00Z" }), NOW)).toMatch(/^Waiting until/);
  expect(sentenceOf(run({ dueAt: "2025-12-31T23:59:00Z" }), NOW)).toMatch(/free worker/);
  expect(sentenceOf(run({ status: "running", loops: [loop({})] }), NOW)).toBe(
    "Iteration 4 of Count is being executed.",
  );
  expect(sentenceOf(run({ status: "running", attempt: 2, inDoubt: true }), NOW)).toMatch(
    /attempt 2.*not recorded/,
  );
  expect(
    sentenceOf(run({ status: "waiting", loops: [loop({ status: "waiting", label: "" })] }), NOW),
  ).toMatch(/^p is parked .* iteration 4/);
  const failure = { code: "timeout", message: "", node: null, iteration: null, details: {} };
  expect(sentenceOf(run({ status: "failed", failure }), NOW)).toContain("timeout");
});

test("K-2: of nested loops the innermost live one is meant", () => {
  const loops = [
    loop({ path: "outer" }),
    loop({ path: "done", status: "done" }),
    loop({ path: "inner", status: "waiting", summary: "why" }),
  ];
  expect(activeLoop({ loops })?.path).toBe("inner");
  expect(waitReason({ loops })).toBe("why");
  expect(waitReason({ loops: [] })).toBe("");
});
