import type { Failure, HistoryEntry } from "@agentflow/core";
import type { TokenUsage } from "../../ports/agent.ts";
import type { StoredEvent } from "../../ports/events.ts";
import type { ApiKey } from "../../ports/keys.ts";
import type { FlowLimits } from "../../ports/limits.ts";
import type { StepLog } from "../../ports/logs.ts";
import type { RunSummary } from "../../ports/reads.ts";
import type { Caller, NewFlowVersion, RunStatus } from "../../ports/requests.ts";
import type { Fence, RunEvent, StepScope, StoredCheckpoint, StoredStep } from "../../ports/work.ts";

import type { BulkRow } from "./bulk.ts";
import type { WorkerRow } from "./fleet.ts";
import type { LimitWaitRow } from "./limits.ts";
import type { ScheduleRow } from "./schedules.ts";
import { tellWebhooks } from "./webhooks.ts";
import type { DeliveryRow, WebhookRow } from "./webhooks.ts";

export type { StoredEvent };

/** How long a run may wait for its wake before the sweep takes it for lost, and how far a sweep pushes it on; ms. */
export const dispatchGraceMs = 2_000;
export const sweepBackOffMs = 10_000;

/** One run; times are ms since 1970. Mutable: rows change in place, never across an await. */
export type RunRow = {
  readonly id: string;
  readonly flow: string;
  version: number;
  flowVersionId: string;
  status: RunStatus;
  /** Raised by every claim, hand-back, commit, resume, cancel and end (S-6). */
  token: number;
  loop: string | null;
  nextIteration: number;
  attempt: number;
  /** The next claim must validate what is stored (L-42); cleared by the next committed iteration. */
  fresh: boolean;
  leaseOwner: string | null;
  leaseUntilMs: number;
  /** Active time the current attempt noted, and that of the earlier ones (L-35). */
  attemptMs: number;
  priorMs: number;
  inDoubt: boolean;
  /** The latest attempt that died with its worker (L-52). */
  lost?: { attempt: number; iteration: number; worker: string; startedMs: number };
  dispatchAfterMs: number;
  /** When a pause of its loop ends (O-1); null when there is none. */
  dueMs: number | null;
  inputs: string;
  readonly tags: readonly string[];
  readonly priority: number | null;
  readonly concurrencyKey: string | null;
  readonly idempotencyKey: string | null;
  readonly requestDigest: string;
  failure: Failure | null;
  resumePayload: string | null;
  reset: string | null;
  readonly rerunOf: string | null;
  readonly forkedFrom: RunSummary["forkedFrom"];
  claimedMs: number | null;
  /** Since when it is parked or ended. */
  settledMs: number | null;
  createdMs: number;
  startedMs: number | null;
  updatedMs: number;
  finishedMs: number | null;
};

/** One audited act (S-22); without a run it is about a flow or a key. */
export type AuditRow = {
  readonly runId: string | null;
  readonly action:
    | "resume"
    | "resume_withdraw"
    | "bulk"
    | "bulk_abort"
    | "cancel"
    | "fork"
    | "reset"
    | "delete"
    | "flow_archive"
    | "flow_limits"
    | "key_create"
    | "key_revoke"
    | "schedule_create"
    | "schedule_update"
    | "schedule_pause"
    | "schedule_resume"
    | "schedule_delete"
    | "webhook_create"
    | "webhook_delete"
    | "webhook_redeliver"
    | "session_begin";
  readonly caller: Caller;
  readonly atMs: number;
  readonly idempotencyKey: string | null;
  readonly requestDigest: string | null;
  payload: string | null;
};

/** The resume kept for a run. */
export type KeptRow = {
  readonly untilMs: number | null;
  readonly nextIteration: number | null;
  readonly payload: string | null;
  readonly inputs: string | null;
  readonly flowVersion: { readonly id: string; readonly version: number } | null;
  readonly actor: string;
  readonly keptMs: number;
};

export type LogRow = StepLog & { readonly runId: string; readonly seq: number; readonly atMs: number };
export type KeyRow = ApiKey & { readonly hash: string };

export type VersionRow = Omit<NewFlowVersion, "bundle" | "baseVersion"> & {
  readonly version: number;
  readonly bundleDigest: string;
  readonly createdMs: number;
};

type Scoped<T> = T & { readonly runId: string };
export type CheckpointRow = Scoped<StoredCheckpoint>;
export type HistoryRow = {
  readonly runId: string;
  readonly path: string;
  readonly epoch: number;
  readonly entry: HistoryEntry;
  step?: Uint8Array | undefined;
  readonly atMs: number;
};
export type StepRow = { readonly runId: string; readonly scope: StepScope; readonly step: StoredStep };

/** Everything stored. Maps keep insertion order, which stands for execution order; keys are JSON arrays of the primary keys. */
export type Tables = {
  readonly runs: Map<string, RunRow>;
  readonly checkpoints: Map<string, CheckpointRow>;
  readonly history: Map<string, HistoryRow>;
  readonly steps: Map<string, StepRow>;
  readonly events: Map<string, StoredEvent[]>;
  readonly audits: AuditRow[];
  /** Versions per flow, oldest first. */
  readonly flows: Map<string, VersionRow[]>;
  readonly bundles: Map<string, Uint8Array>;
  /** Encrypted contexts by run and digest. */
  readonly contexts: Map<string, Uint8Array>;
  /** Tokens by run, and by run and loop. */
  readonly usage: Map<string, TokenUsage>;
  /** Archived flows, and since when. */
  readonly archived: Map<string, number>;
  readonly limits: Map<string, FlowLimits>;
  /** Runs that took a place under a limit; `hasPlace` tells whether they still have it. */
  readonly limitHolds: Set<string>;
  /** Runs that wait for a limit, by id. */
  readonly limitWaits: Map<string, LimitWaitRow>;
  readonly kept: Map<string, KeptRow>;
  readonly bulks: Map<string, BulkRow>;
  readonly schedules: Map<string, ScheduleRow>;
  readonly webhooks: Map<string, WebhookRow>;
  readonly deliveries: Map<string, DeliveryRow>;
  logs: LogRow[];
  readonly keys: KeyRow[];
  readonly workers: Map<string, WorkerRow>;
  /** Sessions by the hash of their token. */
  readonly sessions: Map<string, { readonly keyId: string; readonly untilMs: number }>;
  readonly nowMs: () => number;
  /** While true every call throws `StoreUnavailable` and changes nothing: Postgres out of reach (S-17). */
  away: boolean;
};

/** Empty tables on a clock that gives ms since 1970. */
export function emptyTables(nowMs: () => number): Tables {
  return {
    runs: new Map(),
    checkpoints: new Map(),
    history: new Map(),
    steps: new Map(),
    events: new Map(),
    audits: [],
    flows: new Map(),
    bundles: new Map(),
    contexts: new Map(),
    usage: new Map(),
    archived: new Map(),
    limits: new Map(),
    limitHolds: new Set(),
    limitWaits: new Map(),
    kept: new Map(),
    bulks: new Map(),
    schedules: new Map(),
    webhooks: new Map(),
    deliveries: new Map(),
    logs: [],
    keys: [],
    workers: new Map(),
    sessions: new Map(),
    nowMs,
    away: false,
  };
}

/** A primary key as one text that no part of it can forge. */
export function rowKey(...parts: readonly (string | number)[]): string {
  return JSON.stringify(parts);
}

/** The row a fence gives the right to change: still running under that token (S-6); null means stale. */
export function fenced(tables: Tables, fence: Fence): RunRow | null {
  const run = tables.runs.get(fence.runId);
  return run !== undefined && run.status === "running" && run.token === fence.token ? run : null;
}

/** Notes that somebody did something. */
export function audit(
  tables: Tables,
  act: Pick<AuditRow, "runId" | "action" | "caller"> & Partial<AuditRow>,
): void {
  const nothing = { idempotencyKey: null, requestDigest: null, payload: null };
  tables.audits.push({ ...nothing, atMs: tables.nowMs(), ...act });
}

/** Whether a worker's lease has not run out; at its very end it has. */
export function leased(tables: Tables, run: RunRow): boolean {
  return run.leaseOwner !== null && run.leaseUntilMs > tables.nowMs();
}

/** A copy as a JSON column gives it back. */
export function jsonCopy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** Appends events with the next sequence numbers of the run, without gaps (L-50), and notes the change. */
export function append(tables: Tables, run: RunRow, events: readonly RunEvent[]): void {
  const stored = tables.events.get(run.id) ?? [];
  const at = new Date(tables.nowMs()).toISOString();
  for (const event of events) stored.push({ at, ...jsonCopy(event), seq: stored.length + 1 });
  tables.events.set(run.id, stored);
  run.updatedMs = tables.nowMs();
}

/** Takes the run from its holder: token raised, lease, attempt and active time cleared, due again after the grace time. */
export function release(tables: Tables, run: RunRow): void {
  run.token += 1;
  run.leaseOwner = null;
  run.leaseUntilMs = 0;
  run.attempt = 0;
  run.attemptMs = 0;
  run.priorMs = 0;
  run.inDoubt = false;
  run.dueMs = null;
  run.dispatchAfterMs = tables.nowMs() + dispatchGraceMs;
}

/** Ends a run for good (L-33). */
export function end(
  tables: Tables,
  run: RunRow,
  status: "succeeded" | "failed" | "cancelled",
  failure: Failure | null,
): void {
  release(tables, run);
  run.status = status;
  run.failure = failure === null ? null : jsonCopy(failure);
  run.resumePayload = null;
  run.finishedMs = tables.nowMs();
  run.settledMs = tables.nowMs();
  tables.kept.delete(run.id);
  forgetContexts(tables, run.id);
  tellWebhooks(tables, run);
}

/** Forgets the contexts of a run: when it is resumed, to be resolved again, and when it ends (L-49). */
export function forgetContexts(tables: Tables, runId: string): void {
  for (const key of tables.contexts.keys()) {
    if (key.startsWith(rowKey(runId).slice(0, -1))) tables.contexts.delete(key);
  }
}
