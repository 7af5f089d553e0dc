import type { Failure, HistoryEntry, LoopStatus, Decision } from "@agentflow/core";
import type { TokenUsage } from "./agent.ts";
import type { RunStatus } from "./requests.ts";

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
  readonly attempt: number;
  readonly inDoubt: boolean;
  readonly leaseOwner: string | null;
  readonly dueAt: string | null;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly updatedAt: string;
  readonly finishedAt: string | null;
};

export type RunView = RunSummary & {
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

/** Reads for request handlers: keyset pages with full precision (S-16). Malformed cursors are answered with `invalid_cursor`. */
export interface Reads {
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
  counts(): Promise<Readonly<Record<RunStatus, number>>>;
}
