import type { Failure, HistoryEntry, LoopStatus, Decision } from "@agentflow/core";
import type { TokenUsage } from "./agent.ts";
import type { AuditFilter, AuditView } from "./audit.ts";
import type { EventHead, EventPage } from "./events.ts";
import type { FlowLimits } from "./limits.ts";
import type { LogEntry, LogQuery } from "./logs.ts";
import type { RunStatus } from "./requests.ts";
import type { RunStanding } from "./standing.ts";
import type { TimelineReads } from "./timeline.ts";

/** One loop as shown beside its run; the state text is never part of it (S-13). */
export type LoopView = {
  readonly path: string;
  readonly label: string;
  readonly status: LoopStatus;
  readonly epoch: number;
  readonly decision: Decision | null;
  readonly iterations: number;
  readonly nextIteration: number;
  readonly maxIterations: number;
  readonly timeoutMs: number;
  readonly elapsedMs: number;
  readonly summary: string;
  readonly fingerprint: string;
  /** Tokens its iterations used, over all epochs. */
  readonly usage: TokenUsage;
  /** The last three history entries, oldest first. */
  readonly recent: readonly HistoryEntry[];
};

/** A run as lists show it. Times are ISO 8601 UTC texts with `Z`. */
export type RunSummary = {
  readonly id: string;
  readonly flow: string;
  readonly version: number;
  readonly status: RunStatus;
  readonly failure: Failure | null;
  readonly tags: readonly string[];
  readonly priority: number | null;
  readonly concurrencyKey: string | null;
  readonly attempt: number;
  readonly inDoubt: boolean;
  readonly leaseOwner: string | null;
  readonly dueAt: string | null;
  /** The run that this one repeats. */
  readonly rerunOf: string | null;
  /** The loop and the iteration of another run from whose state this one goes on. */
  readonly forkedFrom: { readonly runId: string; readonly loop: string; readonly iteration: number } | null;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly updatedAt: string;
  readonly finishedAt: string | null;
};

/** A resume that waits for its run to park, or for a time; who made it is in the audit. */
export type KeptResume = {
  readonly until: string | null;
  readonly nextIteration: number | null;
  readonly keptAt: string;
  readonly actor: string;
};

export type RunView = RunSummary & {
  readonly keptResume: KeptResume | null;
  /** Tokens all steps used, those of repeated attempts included. */
  readonly usage: TokenUsage;
  /** JSON object text. */
  readonly inputs: string;
  readonly loops: readonly LoopView[];
  /** Shown results in execution order: display node id → text. */
  readonly outputs: readonly { readonly node: string; readonly value: string }[];
};

export type RunFilter = {
  readonly status?: readonly RunStatus[];
  readonly flow?: string;
  readonly tag?: string;
  readonly code?: string;
  readonly createdAfter?: string;
  readonly createdBefore?: string;
  readonly updatedAfter?: string;
  /** Newest first unless `created`. */
  readonly sort?: "created" | "-created";
  readonly limit: number;
  readonly cursor?: string;
};

export type Page<T> = { readonly items: readonly T[]; readonly nextCursor: string | null };

export type FlowSummary = {
  readonly flow: string;
  readonly newestVersion: number;
  readonly createdAt: string;
  readonly updatedAt: string;
};

export type FlowVersionView = {
  readonly flow: string;
  readonly version: number;
  readonly digest: string;
  readonly source: string | null;
  readonly irText: string;
  readonly layout: string | null;
  readonly warnings: string;
  readonly createdAt: string;
};

export type RunCounts = Readonly<Record<RunStatus, number>>;

/** A flow: its newest version, what others there are, and its runs. */
export type FlowView = FlowVersionView & {
  readonly archivedAt: string | null;
  readonly limits: FlowLimits;
  /** Newest first, at most 1000. */
  readonly versions: readonly {
    readonly version: number;
    readonly digest: string;
    readonly createdAt: string;
  }[];
  readonly runs: RunCounts;
};

/** Reads for request handlers: keyset pages with full precision (S-16). Malformed cursors are answered with `invalid_cursor`. */
export interface Reads extends TimelineReads {
  run(id: string): Promise<RunView | null>;
  runs(filter: RunFilter): Promise<Page<RunSummary> | "invalid_cursor">;
  /** Exact state text of one loop; the only loop when `path` is null. */
  state(
    runId: string,
    path: string | null,
  ): Promise<{ text: string } | "no_run" | "no_loop" | "ambiguous_loop">;
  history(
    runId: string,
    query: { path: string | null; epoch: number | null; cursor?: string; limit: number },
  ): Promise<Page<HistoryEntry> | "no_run" | "no_loop" | "ambiguous_loop" | "invalid_cursor">;
  flows(page: { limit: number; cursor?: string }): Promise<Page<FlowSummary> | "invalid_cursor">;
  flowVersionView(flow: string, version: number | null): Promise<FlowVersionView | null>;
  /** A flow, archived or not; null when there is none. */
  flow(flow: string): Promise<FlowView | null>;
  counts(): Promise<RunCounts>;
  /** Live runs that nothing has moved for 30 s although they are due: 0 in a sound service (S-9). */
  stuck(): Promise<number>;
  /** Workers that gave a sign of life lately, and iterations of the last minute. */
  activity(): Promise<{ readonly workers: number; readonly iterationsPerMinute: number }>;
  /** Since when the longest parked run is parked; null when none is. */
  oldestParked(): Promise<string | null>;
  /** Events numbered above `after`, in order and without gaps, at least `limit` of them if there are as many (L-50). */
  events(
    runId: string,
    query: { readonly after: number; readonly limit: number },
  ): Promise<EventPage | "no_run">;
  /** Where the events of these runs stand; runs that are not there are left out. */
  eventHeads(runIds: readonly string[]): Promise<ReadonlyMap<string, EventHead>>;
  /** stderr of a run's steps in the order of time, of one iteration or of all; a page ends early at `LOG_PAGE_UNITS`. */
  logs(runId: string, query: LogQuery): Promise<Page<LogEntry> | "no_run" | "invalid_cursor">;
  /** Who did what, newest first (S-22). */
  audit(filter: AuditFilter): Promise<Page<AuditView> | "invalid_cursor">;
  /** Why a run stands where it stands; null when there is none. */
  standing(runId: string): Promise<RunStanding | null>;
}
