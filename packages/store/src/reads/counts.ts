import { runStatuses, type RunStatus } from "@agentflow/engine";
import { count } from "drizzle-orm";
import type { Database } from "../connection/drizzle.ts";
import { run } from "../schema/index.ts";

/** Runs by status; those without runs as 0. An index-only scan. */
export async function readCounts(db: Database): Promise<Readonly<Record<RunStatus, number>>> {
  const rows = await db.select({ status: run.status, runs: count() }).from(run).groupBy(run.status);
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
