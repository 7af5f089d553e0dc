import { LOG_PAGE_UNITS, type LogEntry, type LogQuery, type Page } from "@agentflow/engine";
import { and, asc, eq, gt, sql } from "drizzle-orm";
import type { Database } from "../connection/drizzle.ts";
import { log, run } from "../schema/index.ts";
import { decodeCursor, pageOf } from "./cursor.ts";
import { isId, isoTime } from "./given.ts";

/**
 * A page of a run's logs in the order of time. Sizes are looked at before texts are read, so that a page costs no more memory than
 * it may hold: bytes here, which are no fewer than UTF-16 units.
 */
export async function readLogs(
  db: Database,
  runId: string,
  query: LogQuery,
): Promise<Page<LogEntry> | "no_run" | "invalid_cursor"> {
  const after = query.cursor === undefined ? ["0"] : decodeCursor(query.cursor, /^\d{1,16}$/);
  if (after === null) return "invalid_cursor";
  if (!isId(runId)) return "no_run";
  const sizes = await db
    .select({ seq: log.seq, bytes: sql`octet_length(${log.text})`.mapWith(Number) })
    .from(log)
    .where(
      and(
        eq(log.runId, runId),
        gt(log.seq, Number(after[0])),
        query.iteration === null ? undefined : eq(log.iteration, query.iteration),
      ),
    )
    .orderBy(asc(log.seq))
    .limit(query.limit + 1);
  if (sizes.length === 0) {
    const runs = await db.select({ id: run.id }).from(run).where(eq(run.id, runId));
    return runs.length === 0 ? "no_run" : { items: [], nextCursor: null };
  }
  const shown = fitting(sizes);
  const { items, nextCursor } = pageOf(
    sizes,
    Math.min(shown, query.limit),
    ({ seq }) => [seq],
    ({ seq }) => seq,
  );
  return { items: await readTexts(db, runId, items), nextCursor };
}

/** How many fit on one page: at least one. */
function fitting(sizes: readonly { readonly bytes: number }[]): number {
  let sum = 0;
  const tooMany = sizes.findIndex(({ bytes }) => (sum += bytes) > LOG_PAGE_UNITS);
  return tooMany < 0 ? sizes.length : Math.max(1, tooMany);
}

async function readTexts(db: Database, runId: string, seqs: readonly number[]): Promise<LogEntry[]> {
  const rows = await db
    .select({
      seq: log.seq,
      at: isoTime(log.at),
      loop: log.loop,
      epoch: log.epoch,
      iteration: log.iteration,
      frame: log.frame,
      node: log.node,
      attempt: log.attempt,
      text: log.text,
    })
    .from(log)
    .where(and(eq(log.runId, runId), sql`${log.seq} = any(${sql.param([...seqs])}::bigint[])`))
    .orderBy(asc(log.seq));
  return rows.map((row) => (row.loop === "" ? { ...row, loop: null, iteration: null } : row));
}
