import type { IterationCommit } from "@agentflow/engine";
import { run, type Queryable } from "../connection/transaction.ts";
import { eventsText } from "./events.ts";
import { givenStatement, type Field } from "./given.ts";

/** A commit with the name of its write, to find it again when the answer is lost. */
export type NamedCommit = { readonly commit: IterationCommit; readonly write: string };

const FIELDS: readonly Field<NamedCommit>[] = [
  ["id", "uuid", ({ commit: { fence } }) => fence.runId],
  ["token", "bigint", ({ commit: { fence } }) => fence.token],
  ["path", "text", ({ commit: { path } }) => path],
  ["expected", "int", ({ commit: { expectedIteration } }) => expectedIteration],
  [
    "run_status",
    "text",
    ({
      commit: {
        run: { status },
      },
    }) => status,
  ],
  ["failure_code", "text", ({ commit: { run: end } }) => (end.status === "failed" ? end.failure.code : null)],
  [
    "failure",
    "text",
    ({ commit: { run: end } }) => (end.status === "failed" ? JSON.stringify(end.failure) : null),
  ],
  ["loop_status", "text", ({ commit: { checkpoint } }) => checkpoint.status],
  ["epoch", "int", ({ commit: { checkpoint } }) => checkpoint.epoch],
  ["state", "text", ({ commit: { checkpoint, stateChanged } }) => (stateChanged ? checkpoint.state : null)],
  ["state_digest", "text", ({ commit: { checkpoint } }) => checkpoint.stateDigest],
  ["next_iteration", "int", ({ commit: { checkpoint } }) => checkpoint.nextIteration],
  ["elapsed_ms", "bigint", ({ commit: { checkpoint } }) => checkpoint.elapsedMs],
  ["decision", "text", ({ commit: { checkpoint } }) => checkpoint.decision],
  ["summary", "text", ({ commit: { checkpoint } }) => checkpoint.summary],
  ["succeeded", "int", ({ commit: { checkpoint } }) => checkpoint.succeeded],
  ["failed", "int", ({ commit: { checkpoint } }) => checkpoint.failed],
  ["paced", "int", ({ commit: { checkpoint } }) => checkpoint.paced],
  ["tries", "int", ({ commit: { checkpoint } }) => checkpoint.tries],
  [
    "last",
    "text",
    ({ commit: { checkpoint, lastChanged } }) => (lastChanged === true ? checkpoint.last : null),
  ],
  ["guarded", "text", ({ commit: { checkpoint } }) => checkpoint.guarded ?? null],
  ["pause_ms", "bigint", ({ commit: { pauseMs } }) => pauseMs ?? 0],
  ["prior_ms", "bigint", ({ commit: { priorMs } }) => priorMs ?? 0],
  ["attempts", "int", ({ commit: { attempts } }) => attempts],
  ["entry", "int", ({ commit: { entry } }) => entry?.iteration ?? null],
  ["entry_decision", "text", ({ commit: { entry } }) => entry?.decision ?? null],
  ["entry_summary", "text", ({ commit: { entry } }) => entry?.summary ?? null],
  ["entry_elapsed_ms", "bigint", ({ commit: { entry } }) => entry?.elapsedMs ?? null],
  ["entry_key", "text", ({ commit: { entry } }) => entry?.idempotencyKey ?? null],
  [
    "entry_error",
    "text",
    ({ commit: { entry } }) => (entry?.error === undefined ? null : JSON.stringify(entry.error)),
  ],
  ["state_step", "bytea", ({ commit: { step } }) => step ?? null],
  ["events", "text", ({ commit: { events } }) => eventsText(events)],
  ["event_count", "int", ({ commit: { events } }) => events.length],
  ["write", "uuid", ({ write }) => write],
  ["claims", "int", ({ commit: { unclaimed } }) => (unclaimed === true ? 1 : 0)],
];

/**
 * The one commit of an iteration (S-7, L-37): run, checkpoint, history row, journal and events, all or nothing. Guard: the
 * claim's token, status `running` and the loop and iteration the run stands at; whoever lost the claim changes nothing.
 * Pure work claims here and now: its guard is that of the ordinary claim, one token lower, and the token rises by two.
 * Locks run rows in the order given, which is by id, as all do; the other rows belong to these runs alone.
 */
const COMMIT = givenStatement<NamedCommit>({
  name: "commit_iteration",
  fields: FIELDS,
  order: ({ commit }) => commit.fence.runId,
  text: (given) => `
  with given as materialized ${given}, moved as (
    update run r
    set status = g.run_status, token = g.token + 1, next_iteration = g.next_iteration,
        lease_owner = null, lease_until = null, attempt = 0, attempt_ms = 0, prior_ms = g.prior_ms, fresh = false, in_doubt = false,
        resume_id = case when g.entry is null then r.resume_id end,
        due_at = case when g.pause_ms > 0 then now() + g.pause_ms * interval '1 ms' end,
        dispatch_after = now() + (g.pause_ms + 2000) * interval '1 ms', event_seq = r.event_seq + g.event_count,
        failure_code = g.failure_code, failure = g.failure,
        updated_at = now(), finished_at = case when g.run_status = 'failed' then now() end,
        settled_at = case when g.run_status in ('waiting', 'failed') then now() end, last_write = g.write
    from given g
    where r.id = g.id and r.token = g.token - g.claims and r.status = 'running' and r.loop = g.path
      and r.next_iteration = g.expected and (g.claims = 0 or (r.lease_owner is null and r.attempt = 0))
    returning g.*, r.event_seq - g.event_count + 1 as seq
  ), saved as (
    update checkpoint c
    set status = m.loop_status, state = coalesce(m.state, c.state), state_digest = m.state_digest,
        next_iteration = m.next_iteration, elapsed_ms = m.elapsed_ms, decision = m.decision, summary = m.summary,
        succeeded = m.succeeded, failed = m.failed, paced = m.paced, tries = m.tries, last = coalesce(m.last, c.last), guarded = m.guarded
    from moved m
    where c.run_id = m.id and c.path = m.path
  ), wrote as (
    insert into iteration (run_id, path, epoch, iteration, token, attempts, decision, summary, elapsed_ms, idempotency_key, error, state_step)
    select id, path, epoch, entry, token, attempts, entry_decision, entry_summary, entry_elapsed_ms, entry_key, entry_error, state_step
    from moved where entry is not null
  ), dropped as (
    delete from step s
    using moved m
    where s.run_id = m.id and s.loop = m.path and s.epoch = m.epoch and s.iteration = m.entry and not s.shown
  ), told as (
    insert into event (run_id, seq, events) select id, seq, events from moved where event_count > 0
  )
  select write from moved`,
});

/** Names of the writes that were stored; the others were stale. */
export async function commitIterations(
  db: Queryable,
  commits: readonly NamedCommit[],
): Promise<ReadonlySet<string>> {
  const rows = await COMMIT<{ write: string }>(db, commits);
  return new Set(rows.map(({ write }) => write));
}

/** Looks for an iteration that was committed by this very claim although the answer was lost (C3). Changes nothing. */
const FIND_COMMIT = {
  name: "find_commit",
  text: `
    select 1 from iteration where run_id = $1 and path = $2 and epoch = $3 and iteration = $4 and token = $5
    union all
    select 1 from run where id = $1 and last_write = $6`,
};

/** Whether the commit is stored. */
export async function findCommit(db: Queryable, { commit, write }: NamedCommit): Promise<boolean> {
  const { fence, path, checkpoint, entry } = commit;
  const values = [fence.runId, path, checkpoint.epoch, entry?.iteration ?? null, fence.token, write];
  return (await run(db, FIND_COMMIT, values)).length > 0;
}
