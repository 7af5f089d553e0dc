import type pg from "pg";
import type { Caller, ResumeOutcome, ResumeRequest, Wake, WithdrawOutcome } from "@agentflow/engine";
import { run, withTransaction, type Queryable } from "../connection/transaction.ts";

const KEPT_FOR_GOOD = {
  name: "kept_for_good",
  text: "select 1 from kept_resume where run_id = $1 and until is null",
};

/** Whether a resume without a time is kept for the run, which the caller has locked; one with a time may be replaced. */
export async function isKeptForGood(client: Queryable, runId: string): Promise<boolean> {
  return (await run(client, KEPT_FOR_GOOD, [runId])).length === 1;
}

/**
 * Keeps a resume for the run's next wait, or for a time. Guard: a run that has not ended, on a row the caller's transaction has
 * locked: a commit that parks it comes before, and is seen, or after, and meets this row by its trigger. The token stays: who
 * works on the run goes on undisturbed.
 */
const KEEP_RESUME = {
  name: "keep_resume",
  text: `
    with found as (
      update run
      set event_seq = event_seq + 1, updated_at = now(), due_at = case when status = 'waiting' then $3 else due_at end
      where id = $1 and status in ('queued', 'running', 'waiting')
      returning id, event_seq
    ), kept as (
      insert into kept_resume (run_id, resume_id, until, next_iteration, inputs, flow_version_id, version, actor)
      select id, $2, $3, $4, $5, $6, $7, $8 from found
      on conflict (run_id) do update
      set resume_id = excluded.resume_id, until = excluded.until, next_iteration = excluded.next_iteration,
          inputs = excluded.inputs, flow_version_id = excluded.flow_version_id, version = excluded.version,
          actor = excluded.actor, kept_at = now()
    ), audited as (
      insert into audit (id, action, run_id, actor, remote, idempotency_key, request_digest, payload, details)
      select $2, 'resume', id, $8, $9, $10, $11, $12, json_build_object('kept', true, 'until', $3::timestamptz)::text from found
    ), told as (
      insert into event (run_id, seq, events)
      select id, event_seq, json_build_array(json_build_object('type', 'resume-kept', 'until', $13::text))::text from found
    )
    select 1 from found`,
};

/** Within the transaction that locked and judged the run. */
export async function keepResume(client: Queryable, request: ResumeRequest): Promise<ResumeOutcome> {
  const { runId, id, nextIteration, inputs, flowVersion, caller, keep } = request;
  const until = keep?.until ?? null;
  const version = [flowVersion?.id ?? null, flowVersion?.version ?? null];
  const kept = [runId, id, until, nextIteration, inputs, ...version, caller.actor, caller.remote];
  const audit = [request.idempotencyKey, request.requestDigest, request.payload, until];
  const found = await run(client, KEEP_RESUME, [...kept, ...audit]);
  if (found.length === 0) throw new Error(`run ${runId} changed under its lock`);
  return { kind: "kept" };
}

const LOCK_RUN = {
  name: "lock_run_for_withdraw",
  text: "select 1 from run where id = $1 for update",
};

/** Takes a kept resume back. Guard: it is there, beside a run row this transaction has locked. Audited. */
const WITHDRAW_RESUME = {
  name: "withdraw_resume",
  text: `
    with gone as (
      delete from kept_resume where run_id = $1 returning run_id
    ), found as (
      update run
      set event_seq = event_seq + 1, updated_at = now(), due_at = case when status = 'waiting' then null else due_at end
      from gone where id = gone.run_id
      returning id, event_seq
    ), audited as (
      insert into audit (action, run_id, actor, remote) select 'resume_withdraw', id, $2, $3 from found
    ), told as (
      insert into event (run_id, seq, events) select id, event_seq, '[{"type":"resume-withdrawn"}]' from found
    )
    select 1 from found`,
};

/** One transaction; a resume that is given to the run at the same time is not withdrawn any more. */
export function withdrawResume(
  pool: pg.Pool,
  runId: string,
  { actor, remote }: Caller,
): Promise<WithdrawOutcome> {
  return withTransaction(pool, async (client) => {
    if ((await run(client, LOCK_RUN, [runId])).length === 0) return { kind: "not_found" };
    const gone = await run(client, WITHDRAW_RESUME, [runId, actor, remote]);
    return { kind: gone.length === 1 ? "withdrawn" : "nothing_kept" };
  });
}

/**
 * Resumes parked runs whose kept resume is due (3.4 `until`). Guard: `waiting`, on a locked row; rows that others lock are skipped,
 * so any number of sweeps may run at once (C22). Locks run rows by id, then what is kept.
 */
const RESUME_DUE = {
  name: "resume_due",
  text: `
    with due as (
      select r.id
      from kept_resume k join run r on r.id = k.run_id
      where k.until <= now() and r.status = 'waiting' and (k.next_iteration is null or k.next_iteration = r.next_iteration)
      order by r.id
      limit $1
      for update of r skip locked
    )
    select id, give_kept_resume(id) as token from due`,
};

/** Wakes of at most `limit` runs. */
export async function resumeDue(db: Queryable, limit: number): Promise<readonly Wake[]> {
  const rows = await run<{ id: string; token: number | null }>(db, RESUME_DUE, [limit]);
  return rows.flatMap(({ id: runId, token }) => (token === null ? [] : [{ runId, token, delayMs: 0 }]));
}

const WAKE_OF_QUEUED = {
  name: "wake_of_queued",
  text: "select token from run where id = $1 and status = 'queued'",
};

/** The wake of a run that met a kept resume as it parked; null when it is parked. */
export async function wakeOfKeptResume(db: Queryable, runId: string): Promise<Wake | null> {
  const [row] = await run<{ token: number }>(db, WAKE_OF_QUEUED, [runId]);
  return row === undefined ? null : { runId, token: row.token, delayMs: 0 };
}
