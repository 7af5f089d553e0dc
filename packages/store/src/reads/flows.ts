import {
  runStatuses,
  type FlowSummary,
  type FlowVersionView,
  type FlowView,
  type Page,
  type RunCounts,
} from "@agentflow/engine";
import { and, asc, count, desc, eq, gt, isNull, max, sql } from "drizzle-orm";
import type { Database } from "../connection/drizzle.ts";
import { flow, flowLimit, flowVersion, run } from "../schema/index.ts";
import { decodeCursor, pageOf } from "./cursor.ts";
import { isoTime, isoTimeOrNull, storable } from "./given.ts";

/** Flows that are not archived, by name. */
export async function readFlows(
  db: Database,
  page: { limit: number; cursor?: string },
): Promise<Page<FlowSummary> | "invalid_cursor"> {
  const after = page.cursor === undefined ? null : decodeCursor(page.cursor, /^[^\0]*$/);
  if (page.cursor !== undefined && after === null) return "invalid_cursor";
  const rows = await db
    .select({
      flow: flow.name,
      newestVersion: sql<number>`${max(flowVersion.version)}`.mapWith(Number),
      createdAt: isoTime(flow.createdAt),
      updatedAt: isoTime(sql`max(${flowVersion.createdAt})`),
    })
    .from(flow)
    .innerJoin(flowVersion, eq(flowVersion.flow, flow.name))
    .where(and(isNull(flow.archivedAt), after === null ? undefined : gt(flow.name, after[0] ?? "")))
    .groupBy(flow.name)
    .orderBy(asc(flow.name))
    .limit(page.limit + 1);
  return pageOf(
    rows,
    page.limit,
    (row) => [row.flow],
    (row) => row,
  );
}

/** One version with its texts as registered, the newest when `version` is null. */
export async function readFlowVersionView(
  db: Database,
  name: string,
  version: number | null,
): Promise<FlowVersionView | null> {
  if (!storable(name)) return null;
  const [row] = await db
    .select({
      flow: flowVersion.flow,
      version: flowVersion.version,
      digest: flowVersion.digest,
      source: flowVersion.source,
      irText: flowVersion.ir,
      layout: flowVersion.layout,
      warnings: flowVersion.warnings,
      createdAt: isoTime(flowVersion.createdAt),
    })
    .from(flowVersion)
    .where(and(eq(flowVersion.flow, name), version === null ? undefined : eq(flowVersion.version, version)))
    .orderBy(desc(flowVersion.version))
    .limit(1);
  return row ?? null;
}

const MOST_VERSIONS = 1000;

/** A flow with its newest version, the numbers of the others, and its runs by status. */
export async function readFlow(db: Database, name: string): Promise<FlowView | null> {
  const newest = await readFlowVersionView(db, name, null);
  if (newest === null) return null;
  const [row] = await db
    .select({
      archivedAt: isoTimeOrNull(flow.archivedAt),
      maxRunning: flowLimit.maxRunning,
      maxRunningPerKey: flowLimit.maxRunningPerKey,
    })
    .from(flow)
    .leftJoin(flowLimit, eq(flowLimit.flow, flow.name))
    .where(eq(flow.name, name));
  const versions = await db
    .select({
      version: flowVersion.version,
      digest: flowVersion.digest,
      createdAt: isoTime(flowVersion.createdAt),
    })
    .from(flowVersion)
    .where(eq(flowVersion.flow, name))
    .orderBy(desc(flowVersion.version))
    .limit(MOST_VERSIONS);
  const { archivedAt = null, maxRunning = null, maxRunningPerKey = null } = row ?? {};
  return {
    ...newest,
    archivedAt,
    limits: { maxRunning, maxRunningPerKey },
    versions,
    runs: await readFlowRuns(db, name),
  };
}

/** Exact, from the index by flow and status alone. */
async function readFlowRuns(db: Database, name: string): Promise<RunCounts> {
  const rows = await db
    .select({ status: run.status, runs: count() })
    .from(run)
    .where(eq(run.flow, name))
    .groupBy(run.status);
  const found = new Map(rows.map(({ status, runs }) => [status, runs]));
  return Object.fromEntries(runStatuses.map((status) => [status, found.get(status) ?? 0])) as RunCounts;
}
