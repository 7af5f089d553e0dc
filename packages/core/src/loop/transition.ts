import { failure } from "../errors.ts";
import type { Failure } from "../errors.ts";
import type { Answer, Checkpoint, HistoryEntry } from "./checkpoint.ts";

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
  | { readonly type: "step_failed"; readonly failure: Failure; readonly elapsedMs: number };

/** What follows: the checkpoint to store, the history row if the iteration completed, and where the run goes. */
export type Transition = {
  readonly checkpoint: Checkpoint;
  readonly entry: HistoryEntry | null;
  readonly next:
    | { readonly kind: "iterate" }
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

/** The state machine of a loop (L-2, 1.5): pure, one switch, every end of section 1.5. Throws on an ended loop (L-33). */
export function transition(checkpoint: Checkpoint, event: LoopEvent): Transition {
  if (checkpoint.status === "done" || checkpoint.status === "failed") {
    throw new Error(`a loop that is ${checkpoint.status} has no further iteration`);
  }
  const elapsedMs = checkpoint.elapsedMs + Math.min(event.elapsedMs, remaining(checkpoint));
  switch (event.type) {
    case "answered":
      return answered(checkpoint, event, elapsedMs);
    case "limit_reached":
      return ended(checkpoint, elapsedMs, limitFailure(checkpoint));
    case "timed_out":
      return ended(checkpoint, checkpoint.timeoutMs, timeoutFailure(checkpoint));
    case "step_failed":
      return ended(checkpoint, elapsedMs, event.failure);
  }
}

function remaining(checkpoint: Checkpoint): number {
  return Math.max(0, checkpoint.timeoutMs - checkpoint.elapsedMs);
}

function answered(
  checkpoint: Checkpoint,
  event: LoopEvent & { type: "answered" },
  elapsedMs: number,
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
    nextIteration: checkpoint.nextIteration + 1,
    elapsedMs,
    decision: answer.decision,
    summary: answer.summary,
  };
  switch (answer.decision) {
    case "continue":
      return { checkpoint: { ...moved, status: "running" }, entry, next: { kind: "iterate" } };
    case "wait":
      return { checkpoint: { ...moved, status: "waiting" }, entry, next: { kind: "park" } };
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
