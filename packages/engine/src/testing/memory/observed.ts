import { idempotencyKey, type Checkpoint } from "@agentflow/core";
import { sha256 } from "../../hash.ts";
import type { EventHead, EventPage } from "../../ports/events.ts";
import { LOG_PAGE_UNITS } from "../../ports/logs.ts";
import type { LogEntry, LogQuery } from "../../ports/logs.ts";
import type { Page } from "../../ports/reads.ts";
import { AHEAD_LIMIT } from "../../ports/standing.ts";
import type { LostAttempt, RunStanding } from "../../ports/standing.ts";
import { isLive } from "./claims.ts";
import { dueMs } from "./kept-resumes.ts";
import { limitOf } from "./limits.ts";
import { isAlive } from "./fleet.ts";
import { keysetPage } from "./pages.ts";
import { leased, rowKey } from "./tables.ts";
import type { LogRow, RunRow, Tables } from "./tables.ts";

const OVERDUE_MS = 30_000;

const iso = (ms: number): string => new Date(ms).toISOString();
const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));

function headOf(tables: Tables, run: RunRow): EventHead {
  const ended = run.status === "succeeded" || run.status === "failed" || run.status === "cancelled";
  return { newest: tables.events.get(run.id)?.length ?? 0, ended };
}

/** `Reads.events`. */
export function events(
  tables: Tables,
  runId: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): EventPage | "no_run" {
  const run = tables.runs.get(runId);
  if (run === undefined) return "no_run";
  const items = (tables.events.get(runId) ?? []).filter(({ seq }) => seq > after).slice(0, limit);
  return { ...headOf(tables, run), items };
}

/** `Reads.eventHeads`. */
export function eventHeads(tables: Tables, runIds: readonly string[]): ReadonlyMap<string, EventHead> {
  const found = runIds.flatMap((id) => tables.runs.get(id) ?? []);
  return new Map(found.map((run) => [run.id, headOf(tables, run)]));
}

/** `Reads.logs`. */
export function logs(
  tables: Tables,
  runId: string,
  query: LogQuery,
): Page<LogEntry> | "no_run" | "invalid_cursor" {
  if (!tables.runs.has(runId)) return "no_run";
  const rows = tables.logs.filter(
    (log) => log.runId === runId && (query.iteration === null || log.scope.iteration === query.iteration),
  );
  const order = {
    positionOf: (log: LogRow) => [log.seq],
    before: (a: readonly (string | number)[], b: readonly (string | number)[]) => Number(a[0]) < Number(b[0]),
  };
  for (let limit = query.limit; ; limit = Math.ceil(limit / 2)) {
    const page = keysetPage(rows, { ...query, limit }, order, entryOf);
    if (page === "invalid_cursor" || limit === 1) return page;
    if (page.items.reduce((sum, { text }) => sum + text.length, 0) <= LOG_PAGE_UNITS) return page;
  }
}

function entryOf({ seq, atMs, scope, frame, node, attempt, text }: LogRow): LogEntry {
  const inLoop = scope.loop !== "";
  return {
    ...{ seq, at: iso(atMs), loop: inLoop ? scope.loop : null, epoch: scope.epoch },
    ...{ iteration: inLoop ? scope.iteration : null, frame, node, attempt, text },
  };
}

/** `Reads.standing`. */
export function standing(tables: Tables, runId: string): RunStanding | null {
  const run = tables.runs.get(runId);
  if (run === undefined) return null;
  const row = run.loop === null ? undefined : tables.checkpoints.get(rowKey(runId, run.loop));
  const { status, failure, leaseOwner, attempt, inDoubt, nextIteration } = run;
  return {
    ...{ status, failure, leaseOwner, attempt, inDoubt, nextIteration },
    createdAt: iso(run.createdMs),
    updatedAt: iso(run.updatedMs),
    settledAt: isoOrNull(run.settledMs),
    dueAt: isoOrNull(dueMs(tables, run)),
    dispatchAfter: iso(run.dispatchAfterMs),
    overdue: isStuck(tables, run),
    leaseUntil: leaseOwner === null ? null : iso(run.leaseUntilMs),
    leased: leased(tables, run),
    claimedAt: isoOrNull(run.claimedMs),
    loop: row === undefined ? null : { label: row.label, summary: row.checkpoint.summary },
    lost: lostOf(run, row?.checkpoint),
    limit: limitOf(tables, run),
    ahead: status === "queued" ? aheadOf(tables, run) : 0,
  };
}

function lostOf(run: RunRow, checkpoint: Checkpoint | undefined): LostAttempt | null {
  const { lost, loop: path, id: runId, nextIteration: iteration } = run;
  if (lost?.iteration !== iteration || !(run.inDoubt || run.status === "failed")) return null;
  const { attempt, worker, startedMs } = lost;
  const key =
    checkpoint === undefined || path === null
      ? null
      : idempotencyKey(sha256, { ...checkpoint, runId, path, iteration });
  return { attempt, worker, startedAt: iso(startedMs), idempotencyKey: key };
}

function aheadOf(tables: Tables, run: RunRow): number {
  const earlier = (other: RunRow) =>
    other.createdMs < run.createdMs || (other.createdMs === run.createdMs && other.id < run.id);
  const ahead = [...tables.runs.values()].filter((other) => other.status === "queued" && earlier(other));
  return Math.min(ahead.length, AHEAD_LIMIT);
}

function isStuck(tables: Tables, run: RunRow): boolean {
  const longAgo = tables.nowMs() - OVERDUE_MS;
  return (
    isLive(run) && run.dispatchAfterMs < longAgo && (run.leaseOwner === null || run.leaseUntilMs < longAgo)
  );
}

/** `Reads.stuck`. */
export function stuck(tables: Tables): number {
  return [...tables.runs.values()].filter((run) => isStuck(tables, run)).length;
}

/** `Reads.activity`; history rows here have no time, so that all count as new. */
export function activity(tables: Tables): { workers: number; iterationsPerMinute: number } {
  const alive = [...tables.workers.values()].filter((worker) => isAlive(tables, worker));
  return { workers: alive.length, iterationsPerMinute: tables.history.size };
}

/** `Reads.oldestParked`. */
export function oldestParked(tables: Tables): string | null {
  const parked = [...tables.runs.values()].filter(({ status }) => status === "waiting");
  return parked.length === 0 ? null : iso(Math.min(...parked.map(({ settledMs }) => settledMs ?? 0)));
}
