import type { Caller, ResetOutcome, RunStatus } from "@agentflow/engine";
import { run, type Queryable } from "../connection/transaction.ts";

/** Epochs beyond this were never counted up to: the row was tampered with. */
const HIGHEST_EPOCH = 1_000_000;

/**
 * Queues a run again whose checkpoint cannot be trusted; its loop is to start over (L-42). The loop's epoch becomes the highest that
 * has rows, whatever the row says, so that the next one is new (L-44). Guard: failed with `checkpoint_corrupt`, the one way out
 * of a terminal status. Locks the run row first, then writes rows of this run only.
 */
const RESET_RUN = {
  name: "reset_run",
  text: `
    with found as (
      select id, status, failure_code, failure from run where id = $1 for update
    ), queued as (
      update run
      set status = 'queued', token = token + 1, attempt = 0, attempt_ms = 0, prior_ms = 0, fresh = true, in_doubt = false,
          lease_owner = null, lease_until = null, due_at = null, settled_at = null, finished_at = null, resume_id = null,
          failure_code = null, failure = null, reset = $2, dispatch_after = now() + interval '2 s',
          event_seq = event_seq + 1, updated_at = now()
      from found f
      where run.id = f.id and f.status = 'failed' and f.failure_code = 'checkpoint_corrupt'
      returning run.id, run.token, run.event_seq
    ), counted as (
      update checkpoint c
      set epoch = greatest(
        case when c.epoch between 0 and ${HIGHEST_EPOCH} then c.epoch else 0 end,
        (select max(i.epoch) from iteration i where i.run_id = c.run_id and i.path = c.path)
      )
      from queued q
      where c.run_id = q.id and c.path = $2
    ), audited as (
      insert into audit (action, run_id, actor, remote, details)
      select 'reset', f.id, $3, $4, json_build_object('loop', $2::text, 'failure', f.failure::json)::text
      from found f join queued q on q.id = f.id
    ), told as (
      insert into event (run_id, seq, events)
      select id, event_seq, json_build_array(json_build_object('type', 'run-reset', 'loop', $2::text))::text from queued
    )
    select f.status, q.token from found f left join queued q on q.id = f.id`,
};

/** One statement; of many at once exactly one resets. */
export async function resetRun(
  db: Queryable,
  runId: string,
  path: string,
  { actor, remote }: Caller,
): Promise<ResetOutcome> {
  const values = [runId, path, actor, remote];
  const [row] = await run<{ status: RunStatus; token: number | null }>(db, RESET_RUN, values);
  if (row === undefined) return { kind: "not_found" };
  if (row.token === null) return { kind: "refused", status: row.status };
  return { kind: "reset", wake: { runId, token: row.token, delayMs: 0 } };
}
