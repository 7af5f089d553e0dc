import { describe, expect, it } from "vitest";
import type { Answer, Checkpoint } from "./checkpoint.ts";
import { DEFAULT_LOOP_OPTIONS } from "./options.ts";
import { loopOutputs } from "./outputs.ts";
import { gate, transition } from "./transition.ts";
import type { LoopEvent, LoopPolicy } from "./transition.ts";

const start: Checkpoint = {
  ...{ schema: 1, status: "running", epoch: 0, state: '{"n":0}', stateDigest: "d", fingerprint: "f" },
  ...{ nextIteration: 1, elapsedMs: 0, maxIterations: 5, timeoutMs: 10_000, decision: null, summary: "" },
  ...{ succeeded: 0, failed: 0, paced: 0, tries: 0, last: null },
};
const policyOf = (given: Partial<LoopPolicy>): LoopPolicy => ({ ...DEFAULT_LOOP_OPTIONS, ...given });
const pacing = { delayMs: 100, backoffFactor: 2, maxDelayMs: 300 };
const answered = (given: Partial<Answer> = {}, elapsedMs = 1): LoopEvent => ({
  ...{ type: "answered", digest: "d", key: "afw_k", elapsedMs },
  answer: { decision: "continue", state: null, summary: "", ...given },
});
const cause = { code: "exit_nonzero", message: "exit code 1", node: "loop", iteration: 1 } as const;
const stepFailed = (elapsedMs = 5, tolerable = true): LoopEvent => ({
  ...{ type: "step_failed", failure: cause, key: "afw_k", elapsedMs, tolerable },
});

/** Pauses after each of some rounds of `continue`. */
function pausesOf(policy: LoopPolicy, rounds: number, from = start): number[] {
  let checkpoint = from;
  return Array.from({ length: rounds }, () => {
    const made = transition(checkpoint, answered(), policy);
    ({ checkpoint } = made);
    return made.next.kind === "iterate" ? made.next.pauseMs : -1;
  });
}

describe("O-1: pauses", () => {
  it("O-1: grow by the factor up to the cap, and count as active time", () => {
    expect(pausesOf(policyOf({ pacing }), 4)).toEqual([100, 200, 300, 300]);
    const made = transition(start, answered({}, 7), policyOf({ pacing }));
    expect(made.checkpoint.elapsedMs).toBe(107);
    expect(made.entry?.elapsedMs).toBe(7);
  });

  it("O-1: there is none before a failure by limit, nor after an ending decision", () => {
    expect(pausesOf(policyOf({ pacing }), 2, { ...start, maxIterations: 2 })).toEqual([100, 0]);
    for (const decision of ["done", "wait", "fail"] as const)
      expect(transition(start, answered({ decision }), policyOf({ pacing })).checkpoint.elapsedMs).toBe(1);
  });

  it("O-1: the sequence starts over after a resume", () => {
    const policy = policyOf({ pacing });
    const later = transition({ ...start, paced: 3 }, answered({ decision: "wait" }), policy).checkpoint;
    expect(pausesOf(policy, 2, later)).toEqual([100, 200]);
  });

  it("O-1: is cut at the timeout, where the loop then ends", () => {
    const made = transition({ ...start, elapsedMs: 9950 }, answered(), policyOf({ pacing }));
    expect(made.next).toEqual({ kind: "iterate", pauseMs: 49 });
    expect(gate(made.checkpoint, 0)).toEqual({ kind: "timed_out" });
  });
});

describe("O-2, O-3: errors of the work", () => {
  it("O-2: a tolerated one counts, keeps the state, and leaves a row that goes on with the error", () => {
    const made = transition(start, stepFailed(), policyOf({ continueOnError: true, pacing }));
    expect(made.next).toEqual({ kind: "iterate", pauseMs: 100 });
    expect(made.checkpoint).toMatchObject({ state: '{"n":0}', nextIteration: 2, failed: 1, succeeded: 0 });
    expect(made.entry).toEqual({
      ...{ iteration: 1, decision: "continue", summary: "", elapsedMs: 5, idempotencyKey: "afw_k" },
      error: cause,
    });
  });

  it("O-2: what is no error of the work is never tolerated and never tried again", () => {
    const retries = { max: 3, pacing: { ...pacing, delayMs: 0 } };
    const made = transition(start, stepFailed(5, false), policyOf({ continueOnError: true, retries }));
    expect(made.next).toEqual({ kind: "fail", failure: cause });
    expect(made.entry).toBeNull();
  });

  it("O-3: attempts follow each other with growing pauses, in the same iteration, before O-2 applies", () => {
    const policy = policyOf({ continueOnError: true, retries: { max: 2, pacing } });
    const first = transition(start, stepFailed(), policy);
    expect(first.next).toEqual({ kind: "retry", pauseMs: 100, activeMs: 5, failure: cause });
    expect(first.checkpoint).toMatchObject({ nextIteration: 1, tries: 1, elapsedMs: 100 });
    expect(first.entry).toBeNull();
    const second = transition(first.checkpoint, stepFailed(10), policy);
    expect(second.next).toMatchObject({ kind: "retry", pauseMs: 200, activeMs: 10 });
    const third = transition(second.checkpoint, stepFailed(15), policy);
    expect(third.next.kind).toBe("iterate");
    expect(third.entry).toMatchObject({ iteration: 1, elapsedMs: 15, error: cause });
    expect(third.checkpoint).toMatchObject({ tries: 0, failed: 1, elapsedMs: 315 });
  });

  it("O-3: without O-2 the last error ends the loop; a success forgets the attempts", () => {
    const policy = policyOf({ retries: { max: 1, pacing } });
    const tried = transition(start, stepFailed(), policy).checkpoint;
    expect(transition(tried, stepFailed(), policy).next).toEqual({ kind: "fail", failure: cause });
    expect(transition(tried, answered(), policy).checkpoint).toMatchObject({ tries: 0, succeeded: 1 });
  });

  it("O-3: a pause before an attempt ends at the timeout too", () => {
    const policy = policyOf({ retries: { max: 1, pacing } });
    const made = transition({ ...start, elapsedMs: 9930 }, stepFailed(20), policy);
    expect(made.next).toMatchObject({ kind: "retry", pauseMs: 50, activeMs: 20 });
    expect(gate(made.checkpoint, 20)).toEqual({ kind: "timed_out" });
  });
});

describe("O-4, O-6: the limit, and what a loop gives", () => {
  const stop = policyOf({ onExhausted: "stop" });

  it("O-4: stop leaves the loop like done, with decision continue and completed false", () => {
    const last = transition(
      { ...start, maxIterations: 1 },
      answered({ decision: "continue" }),
      stop,
    ).checkpoint;
    const made = transition(last, { type: "limit_reached", elapsedMs: 0 }, stop);
    expect(made).toMatchObject({ next: { kind: "leave" }, entry: null, checkpoint: { status: "done" } });
    const outputs = loopOutputs(made.checkpoint, []);
    expect([outputs.get("decision"), outputs.get("completed"), outputs.get("succeeded")]).toEqual([
      "continue",
      "false",
      "1",
    ]);
  });

  it("O-4: after zero iterations the decision is empty; a timeout never stops a loop well", () => {
    const made = transition({ ...start, maxIterations: 0 }, { type: "limit_reached", elapsedMs: 0 }, stop);
    expect(loopOutputs(made.checkpoint, []).get("decision")).toBe("");
    const late = transition(start, { type: "timed_out", elapsedMs: 0 }, stop);
    expect(late.next).toMatchObject({ kind: "fail", failure: { code: "loop_timeout" } });
  });

  it("O-6: a round that only decided is neither a success nor a failure; errors name iteration, code and message", () => {
    const policy = policyOf({ continueOnError: true });
    const failed = transition(start, stepFailed(), policy);
    const worked = transition(failed.checkpoint, answered(), policy);
    const done = transition(worked.checkpoint, answered({ decision: "done", idle: true }), policy);
    const history = [failed, worked, done].flatMap(({ entry }) => (entry === null ? [] : [entry]));
    const outputs = loopOutputs(done.checkpoint, history);
    expect(["completed", "succeeded", "failed", "errors"].map((slot) => outputs.get(slot))).toEqual([
      "true",
      "1",
      "1",
      '[{"iteration":1,"code":"exit_nonzero","message":"exit code 1"}]',
    ]);
  });
});
