import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { withoutRepeats, type QueueProblem } from "./problems.ts";

const away = (message: string): QueueProblem => ({ kind: "queue", error: new Error(message) });
let seen: QueueProblem[];
let report: (problem: QueueProblem) => void;

beforeEach(() => {
  vi.useFakeTimers();
  seen = [];
  report = withoutRepeats((problem) => seen.push(problem));
});
afterEach(() => vi.useRealTimers());

test("an outage is one line in 10 s for each message", () => {
  for (let second = 0; second < 25; second++) {
    report(away("refused"));
    report(away("reset"));
    vi.advanceTimersByTime(1000);
  }
  expect(seen).toHaveLength(6);
});

test("what happened to a job is never left out", () => {
  const error = new Error("refused");
  for (let i = 0; i < 3; i++) report({ kind: "handler", runId: "a", token: 1, error });
  expect(seen).toHaveLength(3);
});

test("messages without end do not fill the memory, and are all seen", () => {
  for (let i = 0; i < 1000; i++) report(away(`port ${i}`));
  expect(seen).toHaveLength(1000);
});
