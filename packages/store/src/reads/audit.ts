import type { AuditFilter, AuditView, Page } from "@agentflow/engine";
import { and, desc, eq, sql } from "drizzle-orm";
import type { Database } from "../connection/drizzle.ts";
import { audit } from "../schema/index.ts";
import { decodeCursor, pageOf } from "./cursor.ts";
import { isId, isoTime, storable } from "./given.ts";

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;
const ID = /^[0-9a-f-]{36}$/;

/** A keyset page by time, newest first (S-16, S-22). */
export async function readAudit(
  db: Database,
  filter: AuditFilter,
): Promise<Page<AuditView> | "invalid_cursor"> {
  const after = filter.cursor === undefined ? null : decodeCursor(filter.cursor, TIME, ID);
  if (filter.cursor !== undefined && after === null) return "invalid_cursor";
  const { runId, action, actor, limit } = filter;
  if (runId !== undefined && !isId(runId)) return { items: [], nextCursor: null };
  if (![action ?? "", actor ?? ""].every(storable)) return { items: [], nextCursor: null };
  const rows = await db
    .select({
      id: audit.id,
      at: isoTime(audit.at),
      action: audit.action,
      runId: audit.runId,
      actor: audit.actor,
      remote: audit.remote,
      details: audit.details,
    })
    .from(audit)
    .where(
      and(
        runId === undefined ? undefined : eq(audit.runId, runId),
        action === undefined ? undefined : eq(audit.action, action),
        actor === undefined ? undefined : eq(audit.actor, actor),
        after === null
          ? undefined
          : sql`(${audit.at}, ${audit.id}) < (${after[0]}::timestamptz, ${after[1]}::uuid)`,
      ),
    )
    .orderBy(desc(audit.at), desc(audit.id))
    .limit(limit + 1);
  return pageOf(
    rows,
    limit,
    ({ at, id }) => [at, id],
    (row) => row,
  );
}
