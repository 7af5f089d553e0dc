import type { Failure } from "@agentflow/core";
import type { Page, RunFilter, RunStatus, RunSummary } from "@agentflow/engine";
import { and, arrayContains, eq, gt, inArray, lt, or, sql, type SQL } from "drizzle-orm";
import type { Database } from "../connection/drizzle.ts";
import { run } from "../schema/index.ts";
import { decodeCursor, pageOf } from "./cursor.ts";
import { isoTime, isoTimeOrNull, storable } from "./given.ts";

/** What a summary shows; neither inputs nor states (S-13). */
export const SUMMARY = {
  id: run.id,
  flow: run.flow,
  version: run.version,
  status: run.status,
  failure: run.failure,
  tags: run.tags,
  priority: run.priority,
  concurrencyKey: run.concurrencyKey,
  attempt: run.attempt,
  inDoubt: run.inDoubt,
  leaseOwner: run.leaseOwner,
  dueAt: isoTimeOrNull(run.dueAt),
  rerunOf: run.rerunOf,
  forkedFrom: run.forkedFrom,
  forkedLoop: run.forkedLoop,
  forkedIteration: run.forkedIteration,
  createdAt: isoTime(run.createdAt),
  startedAt: isoTimeOrNull(run.startedAt),
  updatedAt: isoTime(run.updatedAt),
  finishedAt: isoTimeOrNull(run.finishedAt),
};

type SummaryRow = Omit<RunSummary, "status" | "failure" | "forkedFrom"> & {
  status: string;
  failure: string | null;
  forkedFrom: string | null;
  forkedLoop: string | null;
  forkedIteration: number | null;
};

export function summaryOf({ forkedFrom: from, forkedLoop, forkedIteration, ...row }: SummaryRow): RunSummary {
  const forkedFrom =
    from === null ? null : { runId: from, loop: forkedLoop ?? "", iteration: forkedIteration ?? 0 };
  const failure: Failure | null = row.failure === null ? null : JSON.parse(row.failure);
  return { ...row, status: row.status as RunStatus, failure, forkedFrom };
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;
const ID = /^[0-9a-f-]{36}$/;

/** A keyset page by creation time, then id; rows with equal times are neither skipped nor repeated (S-16). */
export async function readRuns(
  db: Database,
  filter: RunFilter,
): Promise<Page<RunSummary> | "invalid_cursor"> {
  const after = filter.cursor === undefined ? null : decodeCursor(filter.cursor, TIME, ID);
  if (filter.cursor !== undefined && after === null) return "invalid_cursor";
  const texts = [filter.flow, filter.tag, filter.code].filter((text) => text !== undefined);
  if (!texts.every(storable)) return { items: [], nextCursor: null };
  const forward = filter.sort === "created";
  const direction = sql.raw(forward ? "asc" : "desc");
  const rows = await db
    .select(SUMMARY)
    .from(run)
    .where(and(...conditions(filter), after === null ? undefined : beyond(after, forward)))
    .orderBy(sql`${run.createdAt} ${direction}`, sql`${run.id} ${direction}`)
    .limit(filter.limit + 1);
  return pageOf(rows, filter.limit, ({ createdAt, id }) => [createdAt, id], summaryOf);
}

function beyond([createdAt, id]: readonly string[], forward: boolean): SQL {
  const than = sql.raw(forward ? ">" : "<");
  return sql`(${run.createdAt}, ${run.id}) ${than} (${createdAt}::timestamptz, ${id}::uuid)`;
}

/** `updated_at` stands in no index, so that iterations stay cheap; a run that is not live last changed when it settled. */
function changedAfter(time: SQL): SQL | undefined {
  const live = and(inArray(run.status, ["queued", "running"]), gt(run.updatedAt, time));
  return or(live, gt(run.settledAt, time));
}

/** What a filter asks of a run. */
export function conditions(filter: RunFilter): (SQL | undefined)[] {
  const { status, flow, tag, code, createdAfter, createdBefore, updatedAfter } = filter;
  const at = (time: string) => sql`${time}::timestamptz`;
  return [
    status === undefined ? undefined : inArray(run.status, [...status]),
    flow === undefined ? undefined : eq(run.flow, flow),
    // The second condition is the index's own.
    tag === undefined ? undefined : and(arrayContains(run.tags, [tag]), sql`${run.tags} <> '{}'`),
    code === undefined ? undefined : eq(run.failureCode, code),
    createdAfter === undefined ? undefined : gt(run.createdAt, at(createdAfter)),
    createdBefore === undefined ? undefined : lt(run.createdAt, at(createdBefore)),
    updatedAfter === undefined ? undefined : changedAfter(at(updatedAfter)),
  ];
}
