import type { Failure } from "@agentflow/core";
import type { LimitWait } from "./limits.ts";
import type { RunStatus } from "./requests.ts";

/** An attempt that died with its worker and may have had effects (L-52). */
export type LostAttempt = {
  readonly attempt: number;
  readonly worker: string;
  readonly startedAt: string;
  /** What its effects were done under; null outside a loop. */
  readonly idempotencyKey: string | null;
};

/** Everything that says why a run is not moving. Times are ISO 8601 UTC; `leased` is judged by the database's clock. */
export type RunStanding = {
  readonly status: RunStatus;
  readonly failure: Failure | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Since when it is parked or ended. */
  readonly settledAt: string | null;
  readonly dueAt: string | null;
  /** Not dispatched again before this time. */
  readonly dispatchAfter: string;
  /** `dispatchAfter` is 30 s ago or more, nobody holds the run and nothing is due: the sweep should have woken it (S-9). */
  readonly overdue: boolean;
  readonly leaseOwner: string | null;
  readonly leaseUntil: string | null;
  readonly leased: boolean;
  readonly claimedAt: string | null;
  readonly attempt: number;
  readonly inDoubt: boolean;
  /** The latest attempt that put it in doubt, or the last of those that used its attempts up. */
  readonly lost: LostAttempt | null;
  /** The loop of the parent graph it stands in; null before the first. */
  readonly loop: { readonly label: string; readonly summary: string } | null;
  readonly nextIteration: number;
  /** The limit of its flow that keeps it waiting. */
  readonly limit: LimitWait | null;
  /** Queued runs that were created before it, counted up to `AHEAD_LIMIT`; 0 unless it is queued itself. */
  readonly ahead: number;
};

/** Counting stops here: "1000 or more" tells as much. */
export const AHEAD_LIMIT = 1000;
