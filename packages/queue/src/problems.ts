/** Something to log or count; none of them ends anything, for the sweep repairs what a queue loses (S-9). */
export type QueueProblem =
  /** The server is away, or BullMQ complains; the same message at most once in 10 s. */
  | { readonly kind: "queue"; readonly error: Error }
  /** `handle` threw; the job is gone. */
  | {
      readonly kind: "handler";
      readonly runId: string;
      readonly token: number;
      readonly error: unknown;
    }
  /** A job without a run id and token was dropped (B1). */
  | { readonly kind: "malformed"; readonly jobId: string }
  /** The lock of a job could not be renewed: its signal is aborted, because another worker may have it (A2). */
  | { readonly kind: "lock_lost"; readonly jobId: string }
  /** The consumer took nothing for a while although the server answers, so its connections were made anew. */
  | { readonly kind: "rebuilt" };

export type OnProblem = (problem: QueueProblem) => void;

const REPEAT_AFTER_MS = 10_000;
const MAX_REMEMBERED = 100;

/** Lets each message of kind `queue` through once in 10 s: an outage is one line, not a flood. */
export function withoutRepeats(onProblem: OnProblem): OnProblem {
  const lastAt = new Map<string, number>();
  return (problem) => {
    if (problem.kind === "queue") {
      const now = performance.now();
      const before = lastAt.get(problem.error.message);
      if (before !== undefined && now - before < REPEAT_AFTER_MS) return;
      if (lastAt.size >= MAX_REMEMBERED) lastAt.clear();
      lastAt.set(problem.error.message, now);
    }
    onProblem(problem);
  };
}
