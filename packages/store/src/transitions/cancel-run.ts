import type { Failure } from "@agentflow/core";
import type { CancelOutcome, Caller, RunStatus } from "@agentflow/engine";
import { run, type Queryable } from "../connection/transaction.ts";

/**
 * Cancels at once, whoever holds the run: the raised token turns every later write of the holder down (P-27, P-28). Guard:
 * a status that is not terminal. Locks the run row first, then inserts.
 */
const CANCEL_RUN = {
  name: "cancel_run",
  text: `
    with found as (
      select id, status, coalesce(status = 'running' and lease_until >= now(), false) as executing
      from run where id = $1
      for update
    ), cancelled as (
      update run
      set status = 'cancelled', failure_code = $2, failure = $3, token = token + 1, lease_owner = null, lease_until = null,
          attempt = 0, attempt_ms = 0, prior_ms = 0, in_doubt = false, resume_id = null, due_at = null,
          event_seq = event_seq + 1, updated_at = now(), finished_at = now(), settled_at = now()
      from found
      where run.id = found.id and found.status in ('queued', 'running', 'waiting')
      returning run.id, run.event_seq
    ), audited as (
      insert into audit (action, run_id, actor, remote) select 'cancel', id, $4, $5 from cancelled
    ), told as (
      insert into event (run_id, seq, events) select id, event_seq, $6 from cancelled
    )
    select status, executing from found`,
};

/** One statement; answers with what the run was. */
export async function cancelRun(
  db: Queryable,
  runId: string,
  caller: Caller,
  failure: Failure,
): Promise<CancelOutcome> {
  const { code, message } = failure;
  const events = JSON.stringify([{ type: "run-cancelled", code, message }]);
  const values = [runId, code, JSON.stringify(failure), caller.actor, caller.remote, events];
  const [found] = await run<{ status: RunStatus; executing: boolean }>(db, CANCEL_RUN, values);
  if (found === undefined) return { kind: "not_found" };
  switch (found.status) {
    case "cancelled":
      return { kind: "already_cancelled" };
    case "succeeded":
    case "failed":
      return { kind: "ended", status: found.status };
    default:
      return { kind: "cancelled", executing: found.executing };
  }
}
