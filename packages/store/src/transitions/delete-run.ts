import type { Caller, DeleteOutcome, RunStatus } from "@agentflow/engine";
import { run, type Queryable } from "../connection/transaction.ts";

/**
 * Removes a run with everything stored for it. What somebody did to it stays known, without the payloads (S-22). Guard: not
 * running. Locks the run row first; a late worker's writes find no run and change nothing.
 */
const DELETE_RUN = {
  name: "delete_run",
  text: `
    with found as (
      select id, status, flow, version from run where id = $1 for update
    ), gone as (
      delete from run using found f where run.id = f.id and f.status <> 'running' returning run.id
    ), checkpoints as (
      delete from checkpoint t using gone where t.run_id = gone.id
    ), iterations as (
      delete from iteration t using gone where t.run_id = gone.id
    ), steps as (
      delete from step t using gone where t.run_id = gone.id
    ), events as (
      delete from event t using gone where t.run_id = gone.id
    ), logs as (
      delete from log t using gone where t.run_id = gone.id
    ), attempts as (
      delete from attempt t using gone where t.run_id = gone.id
    ), emptied as (
      update audit a set payload = null from gone where a.run_id = gone.id and a.payload is not null
    ), audited as (
      insert into audit (action, run_id, actor, remote, details)
      select 'delete', f.id, $2, $3, json_build_object('status', f.status, 'flow', f.flow, 'version', f.version)::text
      from found f join gone on gone.id = f.id
    )
    select f.status, gone.id is not null as deleted from found f left join gone on gone.id = f.id`,
};

/** One statement; answers with what the run was. */
export async function deleteRun(
  db: Queryable,
  runId: string,
  { actor, remote }: Caller,
): Promise<DeleteOutcome> {
  const [row] = await run<{ status: RunStatus; deleted: boolean }>(db, DELETE_RUN, [runId, actor, remote]);
  if (row === undefined) return { kind: "not_found" };
  return row.deleted ? { kind: "deleted" } : { kind: "running", status: row.status };
}
