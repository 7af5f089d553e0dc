import type { Claim } from "@agentflow/engine";
import { run, type Queryable } from "../connection/transaction.ts";
import { CLAIM_COLUMNS, claimOf, type ClaimRequest, type ClaimRow } from "./claim.ts";

/**
 * Takes a run over from an attempt that died, or fails it when its attempts are used up (L-51). The dead attempt's active
 * time up to its last heartbeat is charged (L-35), and the run is in doubt until it commits (L-52). Guard: the wake's
 * token, a live status, the lease free or over, no pause. Locks the run row first, then writes rows of this run only.
 */
const RECLAIM = {
  name: "reclaim",
  text: `
    with found as (
      select id, token, loop, next_iteration, attempt, lease_owner, claimed_at, beat_at, attempt_ms,
             lease_owner is not null as died, attempt >= $5 as exhausted,
             json_build_object(
               'code', 'worker_lost',
               'message', format('The work did not come through %s attempts: workers were lost or could not start it.', attempt),
               'node', loop::json ->> -1,
               'iteration', case when loop is not null then next_iteration end,
               'details', json_build_object('attempts', attempt)
             ) as failure
      from run
      where id = $1 and token = $2 and status in ('queued', 'running') and (lease_until is null or lease_until < now())
        and (due_at is null or due_at <= now())
      for update
    ), noted as (
      insert into attempt (run_id, token, loop, iteration, attempt, worker, active_ms, started_at, last_heartbeat_at)
      select id, token, loop, next_iteration, attempt, lease_owner, attempt_ms, claimed_at, beat_at from found where died
    ), r as (
      update run
      set status = case when f.exhausted then 'failed' else 'running' end,
          token = run.token + 1,
          due_at = null,
          attempt = run.attempt + case when f.exhausted then 0 else 1 end,
          fresh = true,
          in_doubt = in_doubt or f.died,
          prior_ms = prior_ms + run.attempt_ms,
          attempt_ms = 0,
          lease_owner = case when f.exhausted then null else $3 end,
          lease_until = case when f.exhausted then null else now() + $4 * interval '1 ms' end,
          claimed_at = now(), beat_at = now(), dispatch_after = now(), updated_at = now(), last_write = $6,
          started_at = coalesce(started_at, now()),
          finished_at = case when f.exhausted then now() end,
          settled_at = case when f.exhausted then now() end,
          failure_code = case when f.exhausted then 'worker_lost' end,
          failure = case when f.exhausted then f.failure::text end,
          event_seq = event_seq + case when f.exhausted then 1 else 0 end
      from found f
      where run.id = f.id
      returning run.*
    ), told as (
      insert into event (run_id, seq, events)
      select r.id, r.event_seq,
             json_build_array(json_build_object(
               'type', 'run-failed', 'node', f.failure -> 'node', 'code', 'worker_lost', 'message', f.failure -> 'message'
             ))::text
      from r join found f on f.id = r.id where f.exhausted
    )
    select ${CLAIM_COLUMNS} from r`,
};

/** The new claim, "exhausted" when the run has failed instead, or null when the guard does not hold. */
export async function reclaim(db: Queryable, request: ClaimRequest): Promise<Claim | "exhausted" | null> {
  const { runId, token, worker, leaseMs, maxAttempts, write } = request;
  const [row] = await run<ClaimRow>(db, RECLAIM, [runId, token, worker, leaseMs, maxAttempts, write]);
  if (row === undefined) return null;
  return row.status === "failed" ? "exhausted" : claimOf(runId, row);
}
