import type { Page, RunFilter, RunSummary } from "./reads.ts";
import type { Caller, RunStatus } from "./requests.ts";

export const bulkActions = ["resume", "cancel", "rerun"] as const;
export type BulkAction = (typeof bulkActions)[number];

/** Which runs: those named, or all that match now and whose status the action is for (`bulkStatuses`). */
export type BulkTarget =
  | { readonly kind: "ids"; readonly ids: readonly string[] }
  | { readonly kind: "filter"; readonly filter: Omit<RunFilter, "sort" | "limit" | "cursor"> };

/** A filter may match so many runs at most: what is about more than these deserves a narrower look. */
export const BULK_MAX_RUNS = 100_000;

/** The statuses of runs that a filter picks for an action. */
export function bulkStatuses(action: BulkAction, buffer: boolean): readonly RunStatus[] {
  if (action === "rerun") return ["succeeded", "failed", "cancelled"];
  return action === "cancel" || buffer ? ["queued", "running", "waiting"] : ["waiting"];
}

/** What is done to each run; the fields an action does not take are null or false. */
export type BulkRequest = {
  readonly action: BulkAction;
  /** Exact JSON texts, as a resume or rerun takes them: payload, and an object of inputs. */
  readonly payload: string | null;
  readonly inputs: string | null;
  readonly version: number | null;
  readonly buffer: boolean;
};

export type NewBulk = BulkRequest & {
  readonly id: string;
  readonly target: BulkTarget;
  /** Pace, from 1 to 1000. */
  readonly perSecond: number;
  readonly idempotencyKey: string | null;
  readonly requestDigest: string;
  readonly caller: Caller;
};

export type BulkPreview = { readonly count: number; readonly sample: readonly RunSummary[] };

export type CreateBulkOutcome =
  | { readonly kind: "created" }
  | { readonly kind: "existing" | "conflict"; readonly id: string }
  /** More than `BULK_MAX_RUNS`. Nothing was stored. */
  | { readonly kind: "too_many" };

/** `running` until every run was dealt with (`done`), or somebody stopped it (`aborted`). */
export type BulkStatus = "running" | "done" | "aborted";

/** A bulk action and how far it has come. Times are ISO 8601 UTC. */
export type BulkView = {
  readonly id: string;
  readonly action: BulkAction;
  readonly status: BulkStatus;
  /** The filter as it was given; null when ids were named. */
  readonly filter: Readonly<Record<string, unknown>> | null;
  readonly perSecond: number;
  readonly total: number;
  readonly done: number;
  /** How many runs ended in each way. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly actor: string;
  readonly createdAt: string;
  readonly finishedAt: string | null;
};

/** One run of a bulk action: without an outcome it is still to come. `message` says why nothing was done to it. */
export type BulkRun = {
  readonly runId: string;
  readonly outcome: string | null;
  readonly message: string | null;
  /** The run that a rerun started. */
  readonly startedId: string | null;
};

/** The next runs of an action, taken under a lease that ends with `note`. */
export type BulkStep = BulkRequest & {
  readonly id: string;
  readonly lease: string;
  readonly caller: Caller;
  readonly items: readonly { readonly place: number; readonly runId: string }[];
  /** Until the next step may be taken; ms. */
  readonly paceMs: number;
};

export type BulkResult = Omit<BulkRun, "runId"> & { readonly place: number; readonly outcome: string };

/** Bulk actions in Postgres (3.4): the runs of one are fixed when it is accepted; any process may work at it, one at a time. */
export interface BulkStore {
  preview(request: Pick<NewBulk, "action" | "buffer" | "target">): Promise<BulkPreview | "too_many">;
  /** Stores the action with its runs. Audited (S-22). */
  create(bulk: NewBulk): Promise<CreateBulkOutcome>;
  /** Newest first. */
  list(page: {
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<Page<BulkView> | "invalid_cursor">;
  get(id: string): Promise<BulkView | null>;
  /** Its runs in their order; only those with this outcome if one is named. */
  runs(
    id: string,
    page: { readonly outcome?: string; readonly limit: number; readonly cursor?: string },
  ): Promise<Page<BulkRun> | "not_found" | "invalid_cursor">;
  /** Stops it; runs dealt with stay so. False when it had ended before, null when there is none. Audited. */
  abort(id: string, caller: Caller): Promise<boolean | null>;
  /** The next step of an action that is due and that nobody works at; null when there is none. */
  take(lease: string, leaseMs: number): Promise<BulkStep | null>;
  /** Stores what became of a step's runs and ends its lease; false, and nothing is stored, when the lease is another's now. */
  note(step: Pick<BulkStep, "id" | "lease">, results: readonly BulkResult[]): Promise<boolean>;
}

/** Runs of one step: half a second's worth, so that an abort is soon felt; at most 100. */
export function bulkStepSize(perSecond: number): number {
  return Math.min(100, Math.ceil(perSecond / 2));
}
