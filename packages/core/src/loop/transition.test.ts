import { describe, expect, it } from "vitest";
import type { Answer, Checkpoint, LoopStatus } from "./checkpoint.ts";
import { gate, transition } from "./transition.ts";
import type { LoopEvent } from "./transition.ts";

const checkpoint: Checkpoint = {
  schema: 1,
  status: "running",
  epoch: 0,
  state: '{"n":1}',
  stateDigest: "d1",
  fingerprint: "f".repeat(64),
  nextIteration: 3,
  elapsedMs: 400,
  maxIterations: 5,
  timeoutMs: 1000,
  decision: "continue",
  summary: "before",
  ...{ succeeded: 2, failed: 0, paced: 2, tries: 0, last: null },
};

const answered = (answer: Partial<Answer>, elapsedMs = 50): LoopEvent => ({
  type: "answered",
  answer: { decision: "continue", state: null, summary: "", ...answer },
  digest: "d2",
  key: "afw_k",
  elapsedMs,
});
const cause = { code: "exit_nonzero", message: "1", node: "step", iteration: 3 } as const;
const events: Record<string, LoopEvent> = {
  continue: answered({ decision: "continue" }),
  wait: answered({ decision: "wait" }),
  done: answered({ decision: "done" }),
  fail: answered({ decision: "fail" }),
  limit_reached: { type: "limit_reached", elapsedMs: 0 },
  timed_out: { type: "timed_out", elapsedMs: 600 },
  step_failed: { type: "step_failed", failure: cause, key: "afw_k", elapsedMs: 20, tolerable: true },
};

describe("the state machine of a loop", () => {
  const ends: Record<string, [status: LoopStatus, next: string, completed: boolean]> = {
    continue: ["running", "iterate", true],
    wait: ["waiting", "park", true],
    done: ["done", "leave", true],
    fail: ["failed", "fail", true],
    limit_reached: ["failed", "fail", false],
    timed_out: ["failed", "fail", false],
    step_failed: ["failed", "fail", false],
  };
  for (const from of ["running", "waiting"] as const) {
    it.each(Object.entries(ends))(`L-2: ${from} × %s`, (name, [status, next, completed]) => {
      const made = transition({ ...checkpoint, status: from }, events[name]!);
      expect(made.checkpoint.status).toBe(status);
      expect(made.next.kind).toBe(next);
      expect(made.entry !== null).toBe(completed);
      expect(made.checkpoint.nextIteration).toBe(completed ? 4 : 3);
    });
  }
  for (const from of ["done", "failed"] as const) {
    it.each(Object.keys(events))(`L-33: ${from} × %s has no further iteration`, (name) => {
      expect(() => transition({ ...checkpoint, status: from }, events[name]!)).toThrow(from);
    });
  }

  it("L-34: an entry holds iteration, decision, summary, time and key, and no state", () => {
    const { entry } = transition(
      checkpoint,
      answered({ decision: "wait", summary: "why", state: '{"n":2}' }),
    );
    expect(entry).toEqual({
      iteration: 3,
      decision: "wait",
      summary: "why",
      elapsedMs: 50,
      idempotencyKey: "afw_k",
    });
  });

  it("L-27: no state keeps text and digest, a state replaces both", () => {
    expect(transition(checkpoint, answered({})).checkpoint).toMatchObject({
      state: '{"n":1}',
      stateDigest: "d1",
    });
    const replaced = transition(checkpoint, answered({ state: "null" })).checkpoint;
    expect(replaced).toMatchObject({ state: "null", stateDigest: "d2" });
  });

  it("L-32: a timeout and a step error leave state, decision and history as they were", () => {
    for (const name of ["timed_out", "step_failed", "limit_reached"]) {
      const { checkpoint: after, entry } = transition(checkpoint, events[name]!);
      expect(entry).toBeNull();
      expect(after).toMatchObject({
        state: '{"n":1}',
        decision: "continue",
        summary: "before",
        ...{ succeeded: 2, failed: 0, paced: 2, tries: 0, last: null },
        nextIteration: 3,
      });
    }
  });

  it("L-35: active time is added, never beyond the timeout, also for a failed attempt", () => {
    expect(transition(checkpoint, answered({}, 50)).checkpoint.elapsedMs).toBe(450);
    expect(transition(checkpoint, answered({}, 5000)).checkpoint.elapsedMs).toBe(1000);
    expect(transition(checkpoint, events["step_failed"]!).checkpoint.elapsedMs).toBe(420);
    expect(transition(checkpoint, events["timed_out"]!).checkpoint.elapsedMs).toBe(1000);
  });

  it("1.5: limits are named in the failure, a step's failure is kept as it is, fail without summary says a sentence", () => {
    const failureOf = (event: LoopEvent) => {
      const { next } = transition(checkpoint, event);
      return next.kind === "fail" ? next.failure : null;
    };
    expect(failureOf(events["limit_reached"]!)).toMatchObject({
      code: "loop_max_iterations",
      details: { maxIterations: 5 },
    });
    expect(failureOf(events["timed_out"]!)).toMatchObject({
      code: "loop_timeout",
      details: { timeoutMs: 1000 },
    });
    expect(failureOf(events["step_failed"]!)).toEqual(cause);
    expect(failureOf(answered({ decision: "fail", summary: "no" }))).toMatchObject({
      code: "loop_failed",
      message: "no",
    });
    expect(failureOf(events["fail"]!)?.message).toMatch(/no summary/);
  });
});

describe("the gate before an iteration", () => {
  it.each([
    [
      "the last allowed iteration executes",
      { nextIteration: 5 },
      0,
      { kind: "execute", iteration: 5, remainingMs: 600 },
    ],
    ["one more ends by the limit", { nextIteration: 6 }, 0, { kind: "limit_reached" }],
    ["zero iterations end at once", { nextIteration: 1, maxIterations: 0 }, 0, { kind: "limit_reached" }],
    ["no time left ends by timeout", { elapsedMs: 1000 }, 0, { kind: "timed_out" }],
    ["lost attempts count", { elapsedMs: 400 }, 600, { kind: "timed_out" }],
    ["one ms left executes", { elapsedMs: 400 }, 599, { kind: "execute", iteration: 3, remainingMs: 1 }],
    [
      "exhausted count wins over exhausted clock",
      { nextIteration: 6, elapsedMs: 1000 },
      0,
      { kind: "limit_reached" },
    ],
  ])("L-13: %s", (_title, given, priorMs, expected) => {
    expect(gate({ ...checkpoint, ...given }, priorMs)).toEqual(expected);
  });
});
