import type { Failure } from "../errors.ts";

export const decisions = ["continue", "wait", "done", "fail"] as const;
export type Decision = (typeof decisions)[number];

/** Version of the checkpoint's shape; a stored row of another version fails closed (L-42). */
export const CHECKPOINT_SCHEMA = 1;

/**
 * Where one loop stands; one per loop, replaced by every committed iteration, never appended.
 * - `running`: made by the capture before iteration 1; left by an ending or parking decision.
 * - `waiting`: entered by `wait`; left by a resume's next iteration.
 * - `done`: entered by decision `done`; final.
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

/** What a Condition/Body round or a script gave (L-15 to L-18, L-27). `state` null keeps the previous text. */
export type Answer = { readonly decision: Decision; readonly state: string | null; readonly summary: string };
