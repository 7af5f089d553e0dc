import { idempotencyKey } from "@agentflow/core";
import {
  AHEAD_LIMIT,
  type LimitWait,
  type LostAttempt,
  type RunStanding,
  type RunStatus,
  sha256,
} from "@agentflow/engine";
import { and, desc, eq, isNotNull, min, sql } from "drizzle-orm";
import type { Database } from "../connection/drizzle.ts";
import { attempt, checkpoint, run } from "../schema/index.ts";
import { isId, isoTime, isoTimeOrNull } from "./given.ts";

const OVERDUE = sql<boolean>`exists (select from ops.stuck s where s.id = ${run.id})`;

/** Why a run stands where it stands; judged by the database's clock. */
export async function readStanding(db: Database, runId: string): Promise<RunStanding | null> {
  if (!isId(runId)) return null;
  const [row] = await db
    .select({
      status: run.status,
      failure: run.failure,
      createdAt: isoTime(run.createdAt),
      updatedAt: isoTime(run.updatedAt),
      settledAt: isoTimeOrNull(run.settledAt),
      dueAt: isoTimeOrNull(run.dueAt),
      dispatchAfter: isoTime(run.dispatchAfter),
      overdue: OVERDUE,
      leaseOwner: run.leaseOwner,
      leaseUntil: isoTimeOrNull(run.leaseUntil),
      leased: sql<boolean>`coalesce(${run.leaseUntil} >= now(), false)`,
      claimedAt: isoTimeOrNull(run.claimedAt),
      attempt: run.attempt,
      inDoubt: run.inDoubt,
      label: checkpoint.label,
      summary: checkpoint.summary,
      nextIteration: run.nextIteration,
    })
    .from(run)
    .leftJoin(checkpoint, and(eq(checkpoint.runId, run.id), eq(checkpoint.path, run.loop)))
    .where(eq(run.id, runId));
  if (row === undefined) return null;
  const { label, summary, failure, ...rest } = row;
  return {
    ...rest,
    status: rest.status as RunStatus,
    failure: failure === null ? null : JSON.parse(failure),
    loop: label === null ? null : { label, summary: summary ?? "" },
    limit: await readLimit(db, runId),
    lost: rest.inDoubt || rest.status === "failed" ? await readLost(db, runId, rest.nextIteration) : null,
    ahead: rest.status === "queued" ? await readAhead(db, runId) : 0,
  };
}

/** The limit that a live run without a lease waits for, and its place there. */
async function readLimit(db: Database, runId: string): Promise<LimitWait | null> {
  const { rows } = await db.execute<LimitWait>(sql`
    select w.level, case w.level when 'flow' then l.max_running else l.max_running_per_key end as max,
           ${isoTime(sql`w.since`)} as since,
           (select count(*)::int from limit_wait b join run o on o.id = b.run_id
            where b.flow = w.flow and b.level = w.level and (w.level = 'flow' or b.key = w.key)
              and (b.rank, b.run_id) < (w.rank, w.run_id) and o.status in ('queued', 'running')) as ahead
    from limit_wait w join flow_limit l on l.flow = w.flow join run r on r.id = w.run_id
    where w.run_id = ${runId} and r.status in ('queued', 'running') and (r.lease_until is null or r.lease_until < now())`);
  const [row] = rows;
  return row === undefined ? null : { level: row.level, max: row.max, since: row.since, ahead: row.ahead };
}

/** The latest attempt at the iteration that died with its worker; those of an epoch before the reset count no more. */
async function readLost(db: Database, runId: string, iteration: number): Promise<LostAttempt | null> {
  const { path, epoch, fingerprint } = checkpoint;
  const [row] = await db
    .select({
      attempt: attempt.attempt,
      worker: attempt.worker,
      startedAt: isoTime(attempt.startedAt),
      ...{ path, epoch, fingerprint },
    })
    .from(attempt)
    .leftJoin(checkpoint, and(eq(checkpoint.runId, attempt.runId), eq(checkpoint.path, attempt.loop)))
    .where(and(eq(attempt.runId, runId), eq(attempt.iteration, iteration)))
    .orderBy(desc(attempt.token))
    .limit(1);
  if (row === undefined) return null;
  const { path: loop, epoch: live, fingerprint: print, ...lost } = row;
  if (loop === null || live === null || print === null) return { ...lost, idempotencyKey: null };
  const identity = { runId, path: loop, epoch: live, fingerprint: print, iteration };
  return { ...lost, idempotencyKey: idempotencyKey(sha256, identity) };
}

/** Queued runs created before this one; counting stops at a limit. */
async function readAhead(db: Database, runId: string): Promise<number> {
  const { rows } = await db.execute<{ ahead: number }>(sql`
    select count(*)::int as ahead from (
      select from run o, run r
      where r.id = ${runId} and o.status = 'queued' and (o.created_at, o.id) < (r.created_at, r.id)
      limit ${AHEAD_LIMIT}
    ) earlier`);
  return rows[0]?.ahead ?? 0;
}

/** Since when the longest parked run is parked. */
export async function readOldestParked(db: Database): Promise<string | null> {
  const [row] = await db
    .select({ at: isoTime(sql`${min(run.settledAt)}`) })
    .from(run)
    .where(and(eq(run.status, "waiting"), isNotNull(run.settledAt)));
  return row?.at ?? null;
}
