import type {
  CatchUpPolicy,
  OverlapPolicy,
  Page,
  SchedulePlan,
  ScheduleView,
  TickOutcome,
} from "@agentflow/engine";
import { desc, eq, sql } from "drizzle-orm";
import type { Database } from "../connection/drizzle.ts";
import { schedule } from "../schema/index.ts";
import { decodeCursor, pageOf } from "./cursor.ts";
import { isId, isoTime, isoTimeOrNull } from "./given.ts";

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;
const ID = /^[0-9a-f-]{36}$/;

/** The columns of a plan as statements return them. */
export type PlanRow = {
  readonly flow: string;
  readonly version: number | null;
  readonly inputs: string;
  readonly tags: string[];
  readonly priority: number | null;
  readonly concurrency_key: string | null;
  readonly cron: string;
  readonly time_zone: string;
  readonly overlap: string;
  readonly catch_up: string;
  readonly jitter_ms: number;
  readonly paused: boolean;
};

/** The plan in a row. */
export function planOf(row: PlanRow): SchedulePlan {
  const { flow, version, inputs, tags, priority, cron, paused } = row;
  return {
    ...{ flow, version, inputs, tags, priority, cron, paused },
    concurrencyKey: row.concurrency_key,
    timeZone: row.time_zone,
    overlap: row.overlap as OverlapPolicy,
    catchUp: row.catch_up as CatchUpPolicy,
    jitterMs: row.jitter_ms,
  };
}

const VIEW = {
  id: schedule.id,
  flow: schedule.flow,
  version: schedule.version,
  inputs: schedule.inputs,
  tags: schedule.tags,
  priority: schedule.priority,
  concurrencyKey: schedule.concurrencyKey,
  cron: schedule.cron,
  timeZone: schedule.timeZone,
  overlap: schedule.overlap,
  catchUp: schedule.catchUp,
  jitterMs: schedule.jitterMs,
  paused: schedule.paused,
  nextAt: isoTimeOrNull(schedule.nextAt),
  lastTick: isoTimeOrNull(schedule.lastTick),
  lastOutcome: schedule.lastOutcome,
  lastMessage: schedule.lastMessage,
  lastRunId: schedule.lastRunId,
  actor: schedule.actor,
  createdAt: isoTime(schedule.createdAt),
  updatedAt: isoTime(schedule.updatedAt),
};

type ViewRow = Omit<ScheduleView, "overlap" | "catchUp" | "lastOutcome"> & {
  readonly overlap: string;
  readonly catchUp: string;
  readonly lastOutcome: string | null;
};

function viewOf(row: ViewRow): ScheduleView {
  return {
    ...row,
    overlap: row.overlap as OverlapPolicy,
    catchUp: row.catchUp as CatchUpPolicy,
    lastOutcome: row.lastOutcome as TickOutcome | null,
  };
}

/** One schedule as it stands. */
export async function readSchedule(db: Database, id: string): Promise<ScheduleView | null> {
  if (!isId(id)) return null;
  const [row] = await db.select(VIEW).from(schedule).where(eq(schedule.id, id));
  return row === undefined ? null : viewOf(row);
}

/** Schedules, newest first. */
export async function readSchedules(
  db: Database,
  page: { readonly limit: number; readonly cursor?: string },
): Promise<Page<ScheduleView> | "invalid_cursor"> {
  const after = page.cursor === undefined ? null : decodeCursor(page.cursor, TIME, ID);
  if (page.cursor !== undefined && after === null) return "invalid_cursor";
  const [at, id] = after ?? [];
  const rows = await db
    .select(VIEW)
    .from(schedule)
    .where(
      after === null
        ? undefined
        : sql`(${schedule.createdAt}, ${schedule.id}) < (${at}::timestamptz, ${id}::uuid)`,
    )
    .orderBy(desc(schedule.createdAt), desc(schedule.id))
    .limit(page.limit + 1);
  return pageOf(rows, page.limit, ({ createdAt, id: last }) => [createdAt, last], viewOf);
}

/** The database's clock; ms since 1970. */
export async function readNowMs(db: Database): Promise<number> {
  const { rows } = await db.execute<{ ms: number }>(
    sql`select floor(extract(epoch from now()) * 1000)::float8 as ms`,
  );
  return rows[0]?.ms ?? Number.NaN;
}
