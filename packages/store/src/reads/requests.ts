import type { FlowVersion, RunHead, RunStatus } from "@agentflow/engine";
import { and, desc, eq, isNull } from "drizzle-orm";
import type { Database } from "../connection/drizzle.ts";
import { bundle, flow, flowVersion, run } from "../schema/index.ts";
import { isId, storable } from "./given.ts";

const VERSION = {
  id: flowVersion.id,
  flow: flowVersion.flow,
  version: flowVersion.version,
  ir: flowVersion.ir,
  bundleDigest: flowVersion.bundleDigest,
};

/** A version of a flow that is not archived, the newest when `version` is null. */
export async function readFlowVersion(
  db: Database,
  name: string,
  version: number | null,
): Promise<FlowVersion | null> {
  if (!storable(name)) return null;
  const [row] = await db
    .select(VERSION)
    .from(flowVersion)
    .innerJoin(flow, eq(flow.name, flowVersion.flow))
    .where(
      and(
        eq(flow.name, name),
        isNull(flow.archivedAt),
        version === null ? undefined : eq(flowVersion.version, version),
      ),
    )
    .orderBy(desc(flowVersion.version))
    .limit(1);
  return row === undefined ? null : { ...row, ir: JSON.parse(row.ir) };
}

/** By id, archived or not: runs keep the version they started with (P-66). */
export async function readFlowVersionById(db: Database, id: string): Promise<FlowVersion | null> {
  if (!isId(id)) return null;
  const [row] = await db.select(VERSION).from(flowVersion).where(eq(flowVersion.id, id));
  return row === undefined ? null : { ...row, ir: JSON.parse(row.ir) };
}

export async function readBundle(db: Database, digest: string): Promise<Uint8Array | null> {
  if (!storable(digest)) return null;
  const [row] = await db.select({ archive: bundle.archive }).from(bundle).where(eq(bundle.digest, digest));
  return row?.archive ?? null;
}

/** Where a run stands, for judging a request before it is stored. */
export async function readRunHead(db: Database, runId: string): Promise<RunHead | null> {
  if (!isId(runId)) return null;
  const [row] = await db
    .select({
      id: run.id,
      flow: run.flow,
      version: run.version,
      flowVersionId: run.flowVersionId,
      status: run.status,
      inputs: run.inputs,
      nextIteration: run.nextIteration,
      tags: run.tags,
      priority: run.priority,
      concurrencyKey: run.concurrencyKey,
      failure: run.failure,
    })
    .from(run)
    .where(eq(run.id, runId));
  if (row === undefined) return null;
  const failure = row.failure === null ? null : JSON.parse(row.failure);
  return { ...row, status: row.status as RunStatus, failure };
}
