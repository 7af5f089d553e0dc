import { WORKER_SILENT_MS, runStatuses, type RunStatus } from "@agentflow/engine";
import { sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/pg-core";
import type { Database } from "../connection/drizzle.ts";
import { runCount, runCountChange } from "../schema/index.ts";

/** Runs by status, exact as of now; those without runs as 0. Reads counters, never the runs (P-76). */
export async function readCounts(db: Database): Promise<Readonly<Record<RunStatus, number>>> {
  const all = unionAll(
    db.select({ status: runCount.status, runs: runCount.runs }).from(runCount),
    db.select({ status: runCountChange.status, runs: runCountChange.change }).from(runCountChange),
  ).as("all");
  const rows = await db
    .select({ status: all.status, runs: sql`sum(${all.runs})`.mapWith(Number) })
    .from(all)
    .groupBy(all.status);
  const found = new Map(rows.map(({ status, runs }) => [status, runs]));
  const [queued, running, waiting, succeeded, failed, cancelled] = runStatuses.map(
    (status) => found.get(status) ?? 0,
  );
  return {
    queued: queued ?? 0,
    running: running ?? 0,
    waiting: waiting ?? 0,
    succeeded: succeeded ?? 0,
    failed: failed ?? 0,
    cancelled: cancelled ?? 0,
  };
}

/** What goes on: by signs of life and by the rows of the last minute, which their index finds at once. */
export async function readActivity(db: Database): Promise<{ workers: number; iterationsPerMinute: number }> {
  const { rows } = await db.execute<{ workers: number; iterations: number }>(sql`
    select (
      select count(*)::int from worker where beat_at > now() - ${WORKER_SILENT_MS} * interval '1 ms'
    ) as workers, (
      select count(*)::int from iteration where committed_at > now() - interval '1 minute'
    ) as iterations`);
  const [row] = rows;
  return { workers: row?.workers ?? 0, iterationsPerMinute: row?.iterations ?? 0 };
}

/** Rows of the view that dashboards see, so that both always tell the same. */
export async function readStuck(db: Database): Promise<number> {
  const { rows } = await db.execute<{ stuck: number }>(sql`select count(*)::int as stuck from ops.stuck`);
  return rows[0]?.stuck ?? 0;
}
