import type { Failure } from "../errors.ts";

export const decisions = ["continue", "wait", "done", "fail"] as const;
export type Decision = (typeof decisions)[number];

/** Version of the checkpoint's shape; a stored row of another version fails closed (L-42). */
export const CHECKPOINT_SCHEMA = 1;

/**
 * Where one loop stands; one per loop, replaced by every committed iteration, never appended.
 * - `running`: made by the capture before iteration 1; left by an ending or parking decision.
 * - `waiting`: entered by `wait`; left by a resume's next iteration.
 * - `done`: entered by decision `done`, or by the limit where the loop stops at it (O-4); final.
 * - `failed`: entered by `fail` or a limit; final.
 */
export type LoopStatus = "running" | "waiting" | "done" | "failed";

/** The checkpoint of one loop (L-37). State is exact JSON text, at most 1 MiB (L-31, L-46); times are integer ms. */
export type Checkpoint = {
  readonly schema: number;
  readonly status: LoopStatus;
  /** Counts the resets of the loop (L-44). */
  readonly epoch: number;
  readonly state: string;
  /** SHA-256 of the state text, 64 hex digits. */
  readonly stateDigest: string;
  readonly fingerprint: string;
  /** Absolute number of the iteration that runs next, from 1 (L-11). */
  readonly nextIteration: number;
  /** Cumulative active time over every resume (L-35, L-36). */
  readonly elapsedMs: number;
  readonly maxIterations: number;
  readonly timeoutMs: number;
  /** Of the last completed iteration; null before the first. */
  readonly decision: Decision | null;
  readonly summary: string;
  /** Completed iterations whose work went well, and those with a tolerated error; one that only decided is neither (O-6). */
  readonly succeeded: number;
  readonly failed: number;
  /** Iterations completed since the start or the latest resume: the place in the sequence of pauses (O-1). */
  readonly paced: number;
  /** Failed attempts of the coming iteration that its retries allowed for (O-3). */
  readonly tries: number;
  /** What a form keeps beside the state, exact JSON text: the latest result of its operation or child. Null before there is one. */
  readonly last: string | null;
  /** What its guards look back at, JSON text of a `GuardMemory`; left out before there is any (OP-7). */
  readonly guarded?: string;
};

/** One completed iteration (L-34): no state, no context. */
export type HistoryEntry = {
  readonly iteration: number;
  readonly decision: Decision;
  readonly summary: string;
  /** Active time of all its attempts. */
  readonly elapsedMs: number;
  readonly idempotencyKey: string;
  readonly error?: Failure;
};

/** What a round of any form gave (L-15 to L-18, L-27, 4-loop-forms). `state` null keeps the previous text. */
export type Answer = {
  readonly decision: Decision;
  readonly state: string | null;
  readonly summary: string;
  /** True when the round only decided: no Body and no operation ran. */
  readonly idle?: true;
  /** Takes the place of the checkpoint's `last`; left out, that stays. */
  readonly last?: string;
  /** What the author should know although nothing failed (OP-4). */
  readonly warnings?: readonly string[];
};
