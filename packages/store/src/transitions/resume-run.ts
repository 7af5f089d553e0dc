import type pg from "pg";
import type { KeepResume, ResumeOutcome, ResumeRequest, RunStatus } from "@agentflow/engine";
import { run, withTransaction, type Queryable } from "../connection/transaction.ts";
import { isKeptForGood, keepResume } from "./keep-resume.ts";

type LockedRun = { readonly status: RunStatus; readonly next_iteration: number; readonly later: boolean };
const NOW_OR_NEVER: KeepResume = { buffer: false, until: null };

/** Locks the run row before anything is judged, so that a commit or another resume under way is seen whole (C19, P-17). */
const LOCK_RUN = {
  name: "lock_run_for_resume",
  text: `
    select status, next_iteration, coalesce($2::timestamptz > now(), false) as later from run where id = $1 for update`,
};

/** A statement of its own, so that it sees what was committed while the lock was waited for. */
const EARLIER_RESUME = {
  name: "earlier_resume",
  text: "select request_digest from audit where run_id = $1 and action = 'resume' and idempotency_key = $2",
};

/**
 * Carries a parked run on: queued, at its first attempt, to be validated afresh (L-39 to L-42). Guard: `waiting`, on a row
 * this transaction has locked. The audit row keeps the payload for every attempt of the next iteration (L-40).
 */
const RESUME_RUN = {
  name: "resume_run",
  text: `
    with resumed as (
      update run
      set status = 'queued', token = token + 1, attempt = 0, attempt_ms = 0, prior_ms = 0, fresh = true, in_doubt = false,
          lease_owner = null, lease_until = null, due_at = null, settled_at = null, resume_id = $2,
          inputs = coalesce($3, inputs), flow_version_id = coalesce($4, flow_version_id), version = coalesce($5, version),
          dispatch_after = now() + interval '2 s', event_seq = event_seq + 1, updated_at = now(), last_write = $2
      where id = $1 and status = 'waiting'
      returning id, token, next_iteration, event_seq
    ), overtaken as (
      delete from kept_resume k using resumed r
      where k.run_id = r.id and (k.next_iteration is null or k.next_iteration = r.next_iteration)
    ), audited as (
      insert into audit (id, action, run_id, actor, remote, idempotency_key, request_digest, payload)
      select $2, 'resume', id, $6, $7, $8, $9, $10 from resumed
    ), told as (
      insert into event (run_id, seq, events)
      select id, event_seq, json_build_array(json_build_object('type', 'run-resumed', 'nextIteration', next_iteration))::text
      from resumed
    )
    select token from resumed`,
};

/** One transaction; of many at once exactly one resumes, or is kept (P-19). */
export function resumeRun(pool: pg.Pool, request: ResumeRequest): Promise<ResumeOutcome> {
  return withTransaction(pool, async (client) => {
    const judged = await judge(client, request);
    if (judged === "keep") return keepResume(client, request);
    if (judged !== null) return judged;
    const { runId, id, inputs, flowVersion, caller } = request;
    const version = [flowVersion?.id ?? null, flowVersion?.version ?? null];
    const audit = [
      caller.actor,
      caller.remote,
      request.idempotencyKey,
      request.requestDigest,
      request.payload,
    ];
    const [row] = await run<{ token: number }>(client, RESUME_RUN, [runId, id, inputs, ...version, ...audit]);
    if (row === undefined) throw new Error(`run ${runId} changed under its lock`);
    return { kind: "resumed", wake: { runId, token: row.token, delayMs: 0 } };
  });
}

/** Why not; null when the locked run may be resumed now. A repeated key is answered whatever became of the run. */
async function judge(client: Queryable, request: ResumeRequest): Promise<ResumeOutcome | "keep" | null> {
  const { runId, idempotencyKey, requestDigest, keep = NOW_OR_NEVER } = request;
  const [locked] = await run<LockedRun>(client, LOCK_RUN, [runId, keep.until]);
  if (locked === undefined) return { kind: "not_found" };
  if (idempotencyKey !== null) {
    const [earlier] = await run<{ request_digest: string }>(client, EARLIER_RESUME, [runId, idempotencyKey]);
    if (earlier !== undefined)
      return { kind: earlier.request_digest === requestDigest ? "repeated" : "key_conflict" };
  }
  const { status, next_iteration: nextIteration } = locked;
  const early = keep.buffer && (status === "queued" || status === "running");
  if (status !== "waiting" && !early) return { kind: "not_waiting", status, nextIteration };
  const elsewhere = !early && request.nextIteration !== null && request.nextIteration !== nextIteration;
  if (elsewhere) return { kind: "other_iteration", status, nextIteration };
  if (!early && !locked.later) return null;
  return (await isKeptForGood(client, runId)) ? { kind: "kept_already", status, nextIteration } : "keep";
}
