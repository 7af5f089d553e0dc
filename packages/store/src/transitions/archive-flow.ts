import type { ArchiveOutcome, Caller } from "@agentflow/engine";
import { run, type Queryable } from "../connection/transaction.ts";

/**
 * Archives a flow. Guard: it has no run that has not ended. Locks the flow row, not its runs: a run that starts in this very
 * moment keeps its version and is executed like any other.
 */
const ARCHIVE_FLOW = {
  name: "archive_flow",
  text: `
    with found as (
      select name, archived_at from flow where name = $1 for update
    ), live as (
      select id, created_at from run
      where flow = $1 and status in ('queued', 'running', 'waiting')
      order by created_at, id limit 100
    ), archived as (
      update flow set archived_at = now() from found f
      where flow.name = f.name and f.archived_at is null and not exists (select from live)
      returning flow.name, flow.archived_at
    ), audited as (
      insert into audit (action, actor, remote, details)
      select 'flow_archive', $2, $3, json_build_object('flow', name)::text from archived
    )
    select to_char(coalesce(a.archived_at, f.archived_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as archived_at,
           array(select id::text from live order by created_at, id) as runs
    from found f left join archived a on a.name = f.name`,
};

/** One statement; archiving again changes nothing. */
export async function archiveFlow(
  db: Queryable,
  flow: string,
  { actor, remote }: Caller,
): Promise<ArchiveOutcome> {
  const values = [flow, actor, remote];
  const [row] = await run<{ archived_at: string | null; runs: string[] }>(db, ARCHIVE_FLOW, values);
  if (row === undefined) return { kind: "not_found" };
  if (row.archived_at === null) return { kind: "in_use", runs: row.runs };
  return { kind: "archived", archivedAt: row.archived_at };
}
