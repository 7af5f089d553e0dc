import type pg from "pg";
import type { Caller, DeleteOutcome, RunStatus } from "@agentflow/engine";
import { run, withTransaction } from "../connection/transaction.ts";
import { REMOVE_ROWS_OF_GONE } from "./run-rows.ts";

const LOCK_RUN = {
  name: "lock_run_for_delete",
  text: "select status from run where id = $1 for update",
};

/**
 * Removes a run with everything stored for it. What somebody did to it stays known, without the payloads (S-22). A statement of its
 * own, so that it sees what was written while the lock was waited for. Guard: not running, on a row this transaction has locked;
 * a late worker's writes find no run and change nothing.
 */
const DELETE_RUN = {
  name: "delete_run",
  text: `
    with gone as (
      delete from run where id = $1 and status <> 'running' returning id, status, flow, version
    ), ${REMOVE_ROWS_OF_GONE}, audited as (
      insert into audit (action, run_id, actor, remote, details)
      select 'delete', id, $2, $3, json_build_object('status', status, 'flow', flow, 'version', version)::text from gone
    )
    select 1 from gone`,
};

/** One transaction; answers with what the run was. */
export function deleteRun(pool: pg.Pool, runId: string, { actor, remote }: Caller): Promise<DeleteOutcome> {
  return withTransaction(pool, async (client) => {
    const [locked] = await run<{ status: RunStatus }>(client, LOCK_RUN, [runId]);
    if (locked === undefined) return { kind: "not_found" };
    const gone = await run(client, DELETE_RUN, [runId, actor, remote]);
    return gone.length === 1 ? { kind: "deleted" } : { kind: "running", status: locked.status };
  });
}
