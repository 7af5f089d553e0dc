import { WORKER_SILENT_MS, type StoreSize, type WorkerView } from "@agentflow/engine";
import { asc, sql } from "drizzle-orm";
import type { Database } from "../connection/drizzle.ts";
import { worker } from "../schema/index.ts";
import { isoTime } from "./given.ts";

const HEARD = sql`now() - ${WORKER_SILENT_MS} * interval '1 ms'`;

/** Live leases by holder: the index of live runs finds them. */
const HOLDING = sql<number>`(
  select count(*)::int from run
  where status in ('queued', 'running') and lease_owner = worker.id and lease_until >= now()
)`;

/** Every worker that signed in within the hour, oldest first. */
export function readWorkers(db: Database): Promise<WorkerView[]> {
  return db
    .select({
      id: worker.id,
      version: worker.version,
      queue: worker.queue,
      concurrency: worker.concurrency,
      draining: worker.draining,
      startedAt: isoTime(worker.startedAt),
      lastSeenAt: isoTime(worker.beatAt),
      alive: sql<boolean>`${worker.beatAt} > ${HEARD}`,
      holding: HOLDING,
    })
    .from(worker)
    .orderBy(asc(worker.startedAt), asc(worker.id));
}

/** What Postgres knows without reading a table. */
export async function readSize(db: Database): Promise<StoreSize> {
  const { rows } = await db.execute<{
    name: string;
    bytes: string;
    rows: string;
    dead: string;
    total: string;
  }>(sql`
    select s.relname as name, pg_total_relation_size(s.relid) as bytes, s.n_live_tup as rows, s.n_dead_tup as dead,
      pg_database_size(current_database()) as total
    from pg_stat_user_tables s
    where s.schemaname = 'public'
    order by 2 desc, 1`);
  return {
    databaseBytes: Number(rows[0]?.total ?? 0),
    tables: rows.map(({ name, bytes, rows: live, dead }) => ({
      table: name,
      bytes: Number(bytes),
      rows: Number(live),
      deadRows: Number(dead),
    })),
  };
}
