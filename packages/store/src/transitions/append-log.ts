import type { Fence, StepLog } from "@agentflow/engine";
import { run, type Queryable } from "../connection/transaction.ts";

/**
 * Keeps what a command wrote to stderr. Guard: token and status; the key lock makes a delete of the run wait, so that it finds the
 * row, and lets everybody else pass. The commit need not wait for the disk: whatever follows is written to it behind this (C4).
 */
const APPEND_LOG = {
  name: "append_log",
  text: `
    with held as materialized (
      select id, set_config('synchronous_commit', 'off', true) from run
      where id = $1 and token = $2 and status = 'running'
      for key share
    ), told as (
      insert into log (run_id, loop, epoch, iteration, frame, node, attempt, text)
      select id, $3, $4, $5, $6, $7, $8, $9 from held
    )
    select 1 from held`,
};

/** False when the claim is somebody else's now. */
export async function appendLog(db: Queryable, fence: Fence, log: StepLog): Promise<boolean> {
  const { scope, frame, node, attempt, text } = log;
  const values = [scope.loop, scope.epoch, scope.iteration, frame, node, attempt, text];
  return (await run(db, APPEND_LOG, [fence.runId, fence.token, ...values])).length === 1;
}
