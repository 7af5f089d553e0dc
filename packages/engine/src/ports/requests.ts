import type { Failure, Ir } from "@agentflow/core";
import type { LimitStore } from "./limits.ts";
import type { ForkOutcome, NewFork } from "./timeline.ts";
import type { RunEvent, Wake } from "./work.ts";

/** `queued` → `running` → `waiting` | `succeeded` | `failed` | `cancelled` (3-service 3.3). The last three absorb. */
export const runStatuses = ["queued", "running", "waiting", "succeeded", "failed", "cancelled"] as const;
export type RunStatus = (typeof runStatuses)[number];

/** A flow version as workers and requests need it. */
export type FlowVersion = {
  readonly id: string;
  readonly flow: string;
  readonly version: number;
  readonly ir: Ir;
  readonly bundleDigest: string;
};

export type NewFlowVersion = {
  readonly id: string;
  readonly flow: string;
  /** Text of workspace.flow.js; null when registered by IR. */
  readonly source: string | null;
  /** The IR as JSON text; key order is source order and is kept. */
  readonly irText: string;
  /** Positions as JSON text; null when none were given. */
  readonly layout: string | null;
  /** Digest of source, IR and bundle: equal digests are the same version. */
  readonly digest: string;
  readonly bundle: { readonly digest: string; readonly archive: Uint8Array; readonly files: number };
  /** Lint warnings as JSON text. */
  readonly warnings: string;
  /** Register only when this is the newest version; null registers anyway. */
  readonly baseVersion: number | null;
};

export type RegisterOutcome =
  | { readonly kind: "created" | "unchanged"; readonly version: number }
  | { readonly kind: "base_outdated"; readonly newest: number };

/** A layout for a version that is the newest one and has the layout `before`; null leaves its layout open. */
export type NewLayout = {
  readonly flow: string;
  readonly version: number;
  /** JSON text. */
  readonly layout: string;
  readonly before: { readonly layout: string | null } | null;
};

/** Who asked: kept in audit rows (S-22). */
export type Caller = { readonly actor: string; readonly remote: string };

export type NewRun = {
  readonly id: string;
  readonly flowVersionId: string;
  readonly flow: string;
  readonly version: number;
  /** JSON object text: node id → exact JSON value. */
  readonly inputs: string;
  readonly tags: readonly string[];
  readonly priority: number | null;
  readonly idempotencyKey: string | null;
  /** SHA-256 of the canonical request: the same key with another digest conflicts. */
  readonly requestDigest: string;
  /** Runs of a flow with the same key share its limit per key. */
  readonly concurrencyKey?: string | null;
  /** The run that this one repeats; null when it stands for itself. */
  readonly rerunOf: string | null;
  readonly events: readonly RunEvent[];
};

export type StartOutcome =
  | { readonly kind: "created"; readonly wake: Wake }
  | { readonly kind: "existing"; readonly runId: string }
  | { readonly kind: "conflict"; readonly runId: string };

export type ResumeRequest = {
  readonly id: string;
  readonly runId: string;
  readonly payload: string | null;
  /** Whole new inputs object text, or null to keep the run's. */
  readonly inputs: string | null;
  readonly flowVersion: { readonly id: string; readonly version: number } | null;
  /** When given, the run must stand at exactly this iteration (P-19). */
  readonly nextIteration: number | null;
  readonly idempotencyKey: string | null;
  readonly requestDigest: string;
  readonly caller: Caller;
  /** How the resume may be kept for later; left out, it counts now or never. */
  readonly keep?: KeepResume;
};

/**
 * `buffer`: a resume that comes before the wait is kept for it. `until`: a parked run is resumed at that time, ISO 8601, unless
 * somebody resumes it before; a time that has passed is now. At most one resume is kept per run, and goes with its end.
 */
export type KeepResume = { readonly buffer: boolean; readonly until: string | null };

export type ResumeOutcome =
  | { readonly kind: "resumed"; readonly wake: Wake }
  /** Stored for the next wait, or for a time; in the place of one that had a time. */
  | { readonly kind: "kept" }
  /** One without a time is kept for the next wait already: as of two resumes at once, one counts (P-19). */
  | { readonly kind: "kept_already"; readonly status: RunStatus; readonly nextIteration: number }
  | { readonly kind: "repeated" }
  | { readonly kind: "key_conflict" }
  | { readonly kind: "not_waiting"; readonly status: RunStatus; readonly nextIteration: number }
  | { readonly kind: "other_iteration"; readonly status: RunStatus; readonly nextIteration: number }
  | { readonly kind: "not_found" };

export type WithdrawOutcome =
  | { readonly kind: "withdrawn" | "nothing_kept" }
  | { readonly kind: "not_found" };

export type CancelOutcome =
  /** `executing`: a step was running and is being killed. */
  | { readonly kind: "cancelled"; readonly executing: boolean }
  | { readonly kind: "already_cancelled" }
  | { readonly kind: "ended"; readonly status: RunStatus }
  | { readonly kind: "not_found" };

export type ResetOutcome =
  | { readonly kind: "reset"; readonly wake: Wake }
  /** Not failed with `checkpoint_corrupt`. */
  | { readonly kind: "refused"; readonly status: RunStatus }
  | { readonly kind: "not_found" };

export type DeleteOutcome =
  | { readonly kind: "deleted" }
  | { readonly kind: "running"; readonly status: RunStatus }
  | { readonly kind: "not_found" };

export type ArchiveOutcome =
  /** Also when it was archived before. */
  | { readonly kind: "archived"; readonly archivedAt: string }
  /** `runs` are at most 100 runs that have not ended, oldest first. */
  | { readonly kind: "in_use"; readonly runs: readonly string[] }
  | { readonly kind: "not_found" };

/** What request handlers ask of Postgres. Every method is one transaction; an answer is given only after the commit (S-14). */
export interface RequestStore extends LimitStore {
  registerFlow(version: NewFlowVersion): Promise<RegisterOutcome>;
  /** False, and nothing is stored, when the version is not the newest or its layout is another than the one named. */
  saveLayout(layout: NewLayout): Promise<boolean>;
  /** A version of a flow, the newest when `version` is null; null when there is none or the flow is archived. */
  flowVersion(flow: string, version: number | null): Promise<FlowVersion | null>;
  flowVersionById(id: string): Promise<FlowVersion | null>;
  /** Archive bytes of a bundle by digest. */
  bundle(digest: string): Promise<Uint8Array | null>;
  startRun(run: NewRun): Promise<StartOutcome>;
  /** Stores a run that goes on from a state of another one, with what it takes over; the other run is not changed. Audited. */
  forkRun(fork: NewFork): Promise<ForkOutcome>;
  resumeRun(request: ResumeRequest): Promise<ResumeOutcome>;
  /** Takes back the resume that is kept for a run. Audited. */
  withdrawResume(runId: string, caller: Caller): Promise<WithdrawOutcome>;
  cancelRun(runId: string, caller: Caller, failure: Failure): Promise<CancelOutcome>;
  /** Queues a run that failed with `checkpoint_corrupt` again; its loop at `path` starts over in a new epoch (L-42). Audited. */
  resetRun(runId: string, path: string, caller: Caller): Promise<ResetOutcome>;
  /** Removes a run that is not running, with everything stored for it but its audit rows. Audited. */
  deleteRun(runId: string, caller: Caller): Promise<DeleteOutcome>;
  /** Archives a flow that no run needs any more: it is listed and started no longer, its versions stay. Audited. */
  archiveFlow(flow: string, caller: Caller): Promise<ArchiveOutcome>;
  /** Inputs, version and position of a run, for validating a resume before it is stored. */
  runHead(runId: string): Promise<RunHead | null>;
}

export type RunHead = {
  readonly id: string;
  readonly flow: string;
  readonly version: number;
  readonly flowVersionId: string;
  readonly status: RunStatus;
  readonly inputs: string;
  readonly nextIteration: number;
  readonly tags: readonly string[];
  readonly priority: number | null;
  readonly concurrencyKey: string | null;
  readonly failure: Failure | null;
};
