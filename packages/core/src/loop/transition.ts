import { failure } from "../errors.ts";
import type { Failure } from "../errors.ts";
import type { Answer, Checkpoint, HistoryEntry } from "./checkpoint.ts";
import { DEFAULT_LOOP_OPTIONS, retryPauseMs } from "./options.ts";
import type { LoopOptions } from "./options.ts";
import { pauseMs } from "./pacing.ts";

/** What happened to an iteration. `elapsedMs` is the active time of all its attempts so far (L-35). */
export type LoopEvent =
  | {
      readonly type: "answered";
      readonly answer: Answer;
      readonly digest: string;
      readonly key: string;
      readonly elapsedMs: number;
    }
  | { readonly type: "limit_reached"; readonly elapsedMs: number }
  | { readonly type: "timed_out"; readonly elapsedMs: number }
  | {
      readonly type: "step_failed";
      readonly failure: Failure;
      readonly key: string;
      readonly elapsedMs: number;
      /** True for an error of the work itself: not of a decision, a contract or a limit (O-2). */
      readonly tolerable: boolean;
    };

/** What the options of a loop decide about its transitions (O-1 to O-4). */
export type LoopPolicy = Pick<LoopOptions, "pacing" | "continueOnError" | "retries" | "onExhausted">;

/** What follows: the checkpoint to store, the history row if the iteration completed, and where the run goes. */
export type Transition = {
  readonly checkpoint: Checkpoint;
  readonly entry: HistoryEntry | null;
  readonly next:
    /** The next iteration, after a pause that the checkpoint's elapsed time holds already (O-1, L-35). */
    | { readonly kind: "iterate"; readonly pauseMs: number }
    /** The same iteration once more, under the same key, after a pause (O-3). `failure` is why; `activeMs` is for the attempts to come. */
    | {
        readonly kind: "retry";
        readonly pauseMs: number;
        readonly activeMs: number;
        readonly failure: Failure;
      }
    | { readonly kind: "park" }
    | { readonly kind: "leave" }
    | { readonly kind: "fail"; readonly failure: Failure };
};

/** What must be done before the work of an iteration, in the order of L-13. */
export type Gate =
  | { readonly kind: "execute"; readonly iteration: number; readonly remainingMs: number }
  | { readonly kind: "limit_reached" }
  | { readonly kind: "timed_out" };

/** Checks the limits before an iteration; `priorMs` is the active time of its earlier, lost attempts. Exhausted count wins (L-13). */
export function gate(checkpoint: Checkpoint, priorMs: number): Gate {
  if (checkpoint.nextIteration > checkpoint.maxIterations) return { kind: "limit_reached" };
  const remainingMs = checkpoint.timeoutMs - checkpoint.elapsedMs - priorMs;
  if (remainingMs <= 0) return { kind: "timed_out" };
  return { kind: "execute", iteration: checkpoint.nextIteration, remainingMs };
}

/** The state machine of a loop (L-2, 1.5, 4.1): pure, one switch, every end of section 1.5. Throws on an ended loop (L-33). */
export function transition(
  checkpoint: Checkpoint,
  event: LoopEvent,
  policy: LoopPolicy = DEFAULT_LOOP_OPTIONS,
): Transition {
  if (checkpoint.status === "done" || checkpoint.status === "failed") {
    throw new Error(`a loop that is ${checkpoint.status} has no further iteration`);
  }
  const elapsedMs = checkpoint.elapsedMs + Math.min(event.elapsedMs, remaining(checkpoint));
  switch (event.type) {
    case "answered":
      return answered(checkpoint, event, elapsedMs, policy);
    case "limit_reached":
      return policy.onExhausted === "stop"
        ? { checkpoint: { ...checkpoint, status: "done", elapsedMs }, entry: null, next: { kind: "leave" } }
        : ended(checkpoint, elapsedMs, limitFailure(checkpoint));
    case "timed_out":
      return ended(checkpoint, checkpoint.timeoutMs, timeoutFailure(checkpoint));
    case "step_failed":
      return stepFailed(checkpoint, event, elapsedMs, policy);
  }
}

function remaining(checkpoint: Checkpoint): number {
  return Math.max(0, checkpoint.timeoutMs - checkpoint.elapsedMs);
}

function answered(
  checkpoint: Checkpoint,
  event: LoopEvent & { type: "answered" },
  elapsedMs: number,
  policy: LoopPolicy,
): Transition {
  const { answer, digest, key } = event;
  const entry: HistoryEntry = {
    iteration: checkpoint.nextIteration,
    decision: answer.decision,
    summary: answer.summary,
    elapsedMs: elapsedMs - checkpoint.elapsedMs,
    idempotencyKey: key,
  };
  const moved: Checkpoint = {
    ...checkpoint,
    ...(answer.state === null ? {} : { state: answer.state, stateDigest: digest }),
    ...(answer.last === undefined ? {} : { last: answer.last }),
    nextIteration: checkpoint.nextIteration + 1,
    elapsedMs,
    decision: answer.decision,
    summary: answer.summary,
    succeeded: checkpoint.succeeded + (answer.idle === true ? 0 : 1),
    paced: checkpoint.paced + 1,
    tries: 0,
  };
  switch (answer.decision) {
    case "continue":
      return { ...afterPause({ ...moved, status: "running" }, policy), entry };
    case "wait":
      return { checkpoint: { ...moved, status: "waiting", paced: 0 }, entry, next: { kind: "park" } };
    case "done":
      return { checkpoint: { ...moved, status: "done" }, entry, next: { kind: "leave" } };
    case "fail":
      return {
        checkpoint: { ...moved, status: "failed" },
        entry,
        next: {
          kind: "fail",
          failure: failure("loop_failed", answer.summary || "The loop decided to fail and gave no summary."),
        },
      };
  }
}

/** An error of the work is tried again as often as `retries` says, then tolerated if the loop does (O-2, O-3). */
function stepFailed(
  checkpoint: Checkpoint,
  event: LoopEvent & { type: "step_failed" },
  elapsedMs: number,
  policy: LoopPolicy,
): Transition {
  const { failure: cause, key, tolerable } = event;
  const { retries } = policy;
  if (tolerable && retries !== null && checkpoint.tries < retries.max) {
    const tries = checkpoint.tries + 1;
    const pause = Math.min(retryPauseMs(retries, tries), Math.max(0, checkpoint.timeoutMs - elapsedMs));
    return {
      // The attempt's own time goes on with the iteration, not with the checkpoint: it belongs to the row to come (L-34).
      checkpoint: { ...checkpoint, status: "running", tries, elapsedMs: checkpoint.elapsedMs + pause },
      entry: null,
      next: { kind: "retry", pauseMs: pause, activeMs: elapsedMs - checkpoint.elapsedMs, failure: cause },
    };
  }
  if (!tolerable || !policy.continueOnError) return ended(checkpoint, elapsedMs, cause);
  const moved: Checkpoint = {
    ...checkpoint,
    status: "running",
    nextIteration: checkpoint.nextIteration + 1,
    elapsedMs,
    decision: "continue",
    summary: "",
    failed: checkpoint.failed + 1,
    paced: checkpoint.paced + 1,
    tries: 0,
  };
  const entry: HistoryEntry = {
    iteration: checkpoint.nextIteration,
    decision: "continue",
    summary: "",
    elapsedMs: elapsedMs - checkpoint.elapsedMs,
    idempotencyKey: key,
    error: cause,
  };
  return { ...afterPause(moved, policy), entry };
}

/**
 * The way to the next iteration: none before a failure by limit, and cut at the timeout, where the gate then ends the loop.
 * The pause is charged here, when it is known, so that nobody has to come back for it (O-1, L-35).
 */
function afterPause(moved: Checkpoint, { pacing }: LoopPolicy): Pick<Transition, "checkpoint" | "next"> {
  const isLast = moved.nextIteration > moved.maxIterations;
  const wanted = isLast ? 0 : pauseMs(pacing, moved.paced + 1);
  const pause = Math.min(wanted, Math.max(0, moved.timeoutMs - moved.elapsedMs));
  return {
    checkpoint: { ...moved, elapsedMs: moved.elapsedMs + pause },
    next: { kind: "iterate", pauseMs: pause },
  };
}

function ended(checkpoint: Checkpoint, elapsedMs: number, cause: Failure): Transition {
  return {
    checkpoint: { ...checkpoint, status: "failed", elapsedMs },
    entry: null,
    next: { kind: "fail", failure: cause },
  };
}

function limitFailure({ maxIterations }: Checkpoint): Failure {
  return failure(
    "loop_max_iterations",
    `The loop used all ${maxIterations} iterations of maxIterations without a done.`,
    { maxIterations },
  );
}

function timeoutFailure({ timeoutMs }: Checkpoint): Failure {
  return failure("loop_timeout", `The loop used all ${timeoutMs} ms of its timeout.`, { timeoutMs });
}
