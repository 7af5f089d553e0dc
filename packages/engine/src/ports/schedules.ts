import type { Page } from "./reads.ts";
import type { Caller } from "./requests.ts";

/**
 * A tick that comes while the run of an earlier one lives: `skip` starts nothing, `queue` waits for that run's end, `allow` starts
 * another run beside it.
 */
export const overlapPolicies = ["skip", "queue", "allow"] as const;
export type OverlapPolicy = (typeof overlapPolicies)[number];

/**
 * Ticks that nobody dealt with in time, because every worker was down or an earlier run was waited for: `none` gives them up, `one`
 * starts the latest of them, `all` starts each, oldest first, at most `CATCH_UP_MAX` of them.
 */
export const catchUpPolicies = ["none", "one", "all"] as const;
export type CatchUpPolicy = (typeof catchUpPolicies)[number];

/** The most ticks that `all` makes up for; older ones are given up. */
export const CATCH_UP_MAX = 100;
/** A tick that is dealt with later than this was missed; ms, beside its jitter. */
export const MISSED_AFTER_MS = 60_000;
/** The longest jitter; ms. */
export const JITTER_MAX_MS = 3_600_000;

/** What a schedule starts, and when. */
export type SchedulePlan = {
  readonly flow: string;
  /** Null starts the version that is the newest at the tick. */
  readonly version: number | null;
  /** JSON object text: node id → exact JSON value. */
  readonly inputs: string;
  readonly tags: readonly string[];
  readonly priority: number | null;
  readonly concurrencyKey: string | null;
  /** Five fields: minute, hour, day of month, month, day of week. */
  readonly cron: string;
  /** A name of the IANA time zone database. */
  readonly timeZone: string;
  readonly overlap: OverlapPolicy;
  readonly catchUp: CatchUpPolicy;
  /** A tick is dealt with up to this much later, by an amount of its own; ms. */
  readonly jitterMs: number;
  readonly paused: boolean;
};

/** A tick to come, and when it is dealt with; ms since 1970. */
export type NextTick = { readonly nextMs: number; readonly dueMs: number };

export type StoredPlan = SchedulePlan & {
  readonly id: string;
  /** Null when it is paused, or no tick will ever come. */
  readonly next: NextTick | null;
};

/**
 * `started`: a run. `skipped`: the run of an earlier tick lived, or the tick was missed. `failed`: no run can start so; `lastMessage`
 * says why, and the next tick tries again.
 */
export type TickOutcome = "started" | "skipped" | "failed";

/** A schedule as it stands. Times are ISO 8601 UTC. */
export type ScheduleView = SchedulePlan & {
  readonly id: string;
  readonly nextAt: string | null;
  readonly lastTick: string | null;
  readonly lastOutcome: TickOutcome | null;
  readonly lastMessage: string | null;
  readonly lastRunId: string | null;
  readonly actor: string;
  readonly createdAt: string;
  readonly updatedAt: string;
};

/** A schedule whose next tick is due, taken under a lease that ends with `note`. */
export type DueSchedule = StoredPlan & {
  readonly next: NextTick;
  readonly lease: string;
  /** The run that its latest tick started has not ended. */
  readonly lastRunLives: boolean;
  /** The database's clock when it was taken; ms since 1970. */
  readonly nowMs: number;
};

/** What became of a tick; without `outcome` it was only put off. */
export type TickNote = {
  readonly next: NextTick | null;
  readonly outcome: {
    readonly kind: TickOutcome;
    readonly tickMs: number;
    readonly message: string | null;
    readonly runId: string | null;
  } | null;
};

/** Schedules in Postgres: any number of processes deal with them, one at a time with each. */
export interface ScheduleStore {
  /** The database's clock; ms since 1970. Ticks are counted from it, whatever the clocks of processes say. */
  nowMs(): Promise<number>;
  /** Audited (S-22). */
  create(plan: StoredPlan, caller: Caller): Promise<void>;
  /** Replaces the plan; whoever works at the old one notes nothing any more. False when there is none. Audited. */
  replace(plan: StoredPlan, caller: Caller): Promise<boolean>;
  /** Pauses it (`next` is null), or lets it go on with the tick `next`. False when there is none. Audited. */
  setPaused(id: string, paused: boolean, next: NextTick | null, caller: Caller): Promise<boolean>;
  /** Its runs stay. False when there is none. Audited. */
  remove(id: string, caller: Caller): Promise<boolean>;
  get(id: string): Promise<ScheduleView | null>;
  /** Newest first. */
  list(page: {
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<Page<ScheduleView> | "invalid_cursor">;
  /** The schedule that has been due for longest and that nobody works at; null when there is none. */
  take(lease: string, leaseMs: number): Promise<DueSchedule | null>;
  /** Stores what became of the tick and ends the lease; false, and nothing is stored, when the lease is another's now. */
  note(due: Pick<DueSchedule, "id" | "lease">, note: TickNote): Promise<boolean>;
}
