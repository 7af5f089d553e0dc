import { BULK_MAX_RUNS, bulkStatuses } from "@agentflow/engine";
import type {
  BulkAction,
  BulkPreview,
  BulkRun,
  BulkStatus,
  BulkView,
  NewBulk,
  Page,
} from "@agentflow/engine";
import { and, asc, count, desc, eq, gt, inArray, isNotNull, lt, sql, type SQL } from "drizzle-orm";
import type { Database } from "../connection/drizzle.ts";
import { bulk, bulkItem, run } from "../schema/index.ts";
import { decodeCursor, pageOf } from "./cursor.ts";
import { isId, isoTime, isoTimeOrNull, storable } from "./given.ts";
import { conditions, SUMMARY, summaryOf } from "./runs.ts";

const SAMPLE = 10;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;
const ID = /^[0-9a-f-]{36}$/;
const PLACE = /^\d{1,9}$/;

/** The runs an action is about, as a condition on `run`; null when nothing can match. */
export function targetCondition({
  action,
  buffer,
  target,
}: Pick<NewBulk, "action" | "buffer" | "target">): SQL | null {
  if (target.kind === "ids") {
    const ids = target.ids.filter(isId);
    return ids.length === 0 ? null : inArray(run.id, ids);
  }
  const { flow, tag, code } = target.filter;
  if (![flow, tag, code].every((text) => text === undefined || storable(text))) return null;
  const fit = inArray(run.status, [...bulkStatuses(action, buffer)]);
  return and(fit, ...conditions({ ...target.filter, limit: 1 })) ?? fit;
}

/** How many runs an action would be about, and the oldest of them. */
export async function previewBulk(
  db: Database,
  request: Pick<NewBulk, "action" | "buffer" | "target">,
): Promise<BulkPreview | "too_many"> {
  const condition = targetCondition(request);
  if (condition === null) return { count: 0, sample: [] };
  const some = db
    .select({ one: sql`1`.as("one") })
    .from(run)
    .where(condition)
    .limit(BULK_MAX_RUNS + 1)
    .as("some");
  const [found] = await db.select({ runs: count() }).from(some);
  const runs = found?.runs ?? 0;
  if (runs > BULK_MAX_RUNS) return "too_many";
  const sample = await db
    .select(SUMMARY)
    .from(run)
    .where(condition)
    .orderBy(asc(run.createdAt), asc(run.id))
    .limit(SAMPLE);
  return { count: runs, sample: sample.map(summaryOf) };
}

const VIEW = {
  id: bulk.id,
  action: bulk.action,
  status: bulk.status,
  filter: bulk.filter,
  perSecond: bulk.perSecond,
  total: bulk.total,
  actor: bulk.actor,
  createdAt: isoTime(bulk.createdAt),
  finishedAt: isoTimeOrNull(bulk.finishedAt),
};

type ViewRow = Omit<BulkView, "action" | "status" | "filter" | "done" | "outcomes"> & {
  readonly action: string;
  readonly status: string;
  readonly filter: string | null;
};

type Outcomes = Readonly<Record<string, number>>;

function viewOf(row: ViewRow, outcomes: Outcomes): BulkView {
  return {
    ...row,
    action: row.action as BulkAction,
    status: row.status as BulkStatus,
    filter: row.filter === null ? null : JSON.parse(row.filter),
    done: Object.values(outcomes).reduce((sum, runs) => sum + runs, 0),
    outcomes,
  };
}

async function readOutcomes(db: Database, ids: readonly string[]): Promise<ReadonlyMap<string, Outcomes>> {
  const found = new Map<string, Record<string, number>>(ids.map((id) => [id, {}]));
  if (ids.length === 0) return found;
  const rows = await db
    .select({ id: bulkItem.bulkId, outcome: bulkItem.outcome, runs: count() })
    .from(bulkItem)
    .where(and(inArray(bulkItem.bulkId, [...ids]), isNotNull(bulkItem.outcome)))
    .groupBy(bulkItem.bulkId, bulkItem.outcome);
  for (const { id, outcome, runs } of rows) found.get(id)![outcome ?? ""] = runs;
  return found;
}

/** One action as it stands. */
export async function readBulk(db: Database, id: string): Promise<BulkView | null> {
  if (!isId(id)) return null;
  const [row] = await db.select(VIEW).from(bulk).where(eq(bulk.id, id));
  return row === undefined ? null : viewOf(row, (await readOutcomes(db, [id])).get(id) ?? {});
}

/** Actions, newest first. */
export async function readBulks(
  db: Database,
  page: { readonly limit: number; readonly cursor?: string },
): Promise<Page<BulkView> | "invalid_cursor"> {
  const after = page.cursor === undefined ? null : decodeCursor(page.cursor, TIME, ID);
  if (page.cursor !== undefined && after === null) return "invalid_cursor";
  const [at, id] = after ?? [];
  const rows = await db
    .select(VIEW)
    .from(bulk)
    .where(
      after === null ? undefined : sql`(${bulk.createdAt}, ${bulk.id}) < (${at}::timestamptz, ${id}::uuid)`,
    )
    .orderBy(desc(bulk.createdAt), desc(bulk.id))
    .limit(page.limit + 1);
  const outcomes = await readOutcomes(
    db,
    rows.map((row) => row.id),
  );
  return pageOf(
    rows,
    page.limit,
    ({ createdAt, id: last }) => [createdAt, last],
    (row) => viewOf(row, outcomes.get(row.id) ?? {}),
  );
}

/** An action's runs in their order. */
export async function readBulkRuns(
  db: Database,
  id: string,
  page: { readonly outcome?: string; readonly limit: number; readonly cursor?: string },
): Promise<Page<BulkRun> | "not_found" | "invalid_cursor"> {
  const after = page.cursor === undefined ? null : decodeCursor(page.cursor, PLACE);
  if (page.cursor !== undefined && after === null) return "invalid_cursor";
  if (!isId(id) || (await db.select({ id: bulk.id }).from(bulk).where(eq(bulk.id, id))).length === 0)
    return "not_found";
  const { outcome } = page;
  if (outcome !== undefined && !storable(outcome)) return { items: [], nextCursor: null };
  const { place, runId, message, startedId } = bulkItem;
  const rows = await db
    .select({ place, runId, outcome: bulkItem.outcome, message, startedId })
    .from(bulkItem)
    .where(
      and(
        eq(bulkItem.bulkId, id),
        after === null ? undefined : gt(place, Number(after[0])),
        outcome === undefined ? undefined : eq(bulkItem.outcome, outcome),
        lt(place, BULK_MAX_RUNS),
      ),
    )
    .orderBy(asc(place))
    .limit(page.limit + 1);
  return pageOf(
    rows,
    page.limit,
    (row) => [row.place],
    ({ place: _place, ...item }) => item,
  );
}
