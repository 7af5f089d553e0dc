import type { EventHead, EventPage, RunEvent, StoredEvent } from "@agentflow/engine";
import { and, asc, eq, gt, inArray, sql } from "drizzle-orm";
import type { Database } from "../connection/drizzle.ts";
import { event, run } from "../schema/index.ts";
import { isId, isoTime } from "./given.ts";

const HEAD = { newest: run.eventSeq, status: run.status };
const ENDED = new Set(["succeeded", "failed", "cancelled"]);

function headOf({ newest, status }: { newest: number; status: string }): EventHead {
  return { newest, ended: ENDED.has(status) };
}

/** Where the events of these runs stand. */
export async function readEventHeads(
  db: Database,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, EventHead>> {
  const ids = runIds.filter(isId);
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({ id: run.id, ...HEAD })
    .from(run)
    .where(inArray(run.id, ids));
  return new Map(rows.map((row) => [row.id, headOf(row)]));
}

/** Events above `after`; rows are read whole, so a page may be longer than `limit` by one row's events. */
export async function readEvents(
  db: Database,
  runId: string,
  { after, limit }: { after: number; limit: number },
): Promise<EventPage | "no_run"> {
  if (!isId(runId)) return "no_run";
  const [head] = await db.select(HEAD).from(run).where(eq(run.id, runId));
  if (head === undefined) return "no_run";
  // The row that holds `after` may hold the events behind it too.
  const from = sql`coalesce((select max(seq) from event e where e.run_id = ${runId} and e.seq <= ${after + 1}), 0)`;
  const rows = await db
    .select({ seq: event.seq, at: isoTime(event.at), events: event.events })
    .from(event)
    .where(and(eq(event.runId, runId), gt(event.seq, sql`${from} - 1`)))
    .orderBy(asc(event.seq))
    .limit(limit + 1);
  const items: StoredEvent[] = [];
  for (const row of rows) {
    if (items.length >= limit) break;
    const told: RunEvent[] = JSON.parse(row.events);
    for (const [index, one] of told.entries()) {
      if (row.seq + index > after) items.push({ at: row.at, ...one, seq: row.seq + index } as StoredEvent);
    }
  }
  return { items, ...headOf(head) };
}
