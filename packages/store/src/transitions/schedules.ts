import type { Caller, DueSchedule, NextTick, ScheduleStore, StoredPlan, TickNote } from "@agentflow/engine";
import { run, type Queryable } from "../connection/transaction.ts";
import { planOf, type PlanRow } from "../reads/schedules.ts";

const atMs = (parameter: string) => `to_timestamp(${parameter}::double precision / 1000)`;

function auditedAs(action: string, rows: string, actor: string, remote: string): string {
  return `
    insert into audit (action, actor, remote, details)
    select ${action}, ${actor}, ${remote}, json_build_object('schedule', id, 'flow', flow)::text from ${rows}`;
}

/** The plan as parameters $1 to $14. */
function planValues(plan: StoredPlan): unknown[] {
  const { id, flow, version, inputs, tags, priority, concurrencyKey, cron, timeZone } = plan;
  const { overlap, catchUp, jitterMs, paused, next } = plan;
  const what = [id, flow, version, inputs, [...tags], priority, concurrencyKey];
  return [...what, cron, timeZone, overlap, catchUp, jitterMs, paused, ...timesOf(next)];
}

function timesOf(next: NextTick | null): (number | null)[] {
  return [next?.nextMs ?? null, next?.dueMs ?? null];
}

const CREATE_SCHEDULE = {
  name: "create_schedule",
  text: `
    with made as (
      insert into schedule (id, flow, version, inputs, tags, priority, concurrency_key, cron, time_zone, overlap, catch_up, jitter_ms, paused,
        next_at, due_at, actor)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, ${atMs("$14")}, ${atMs("$15")}, $16)
      returning id, flow
    )${auditedAs("'schedule_create'", "made", "$16", "$17")}`,
};

/** Stores a schedule. */
export async function createSchedule(db: Queryable, plan: StoredPlan, caller: Caller): Promise<void> {
  await run(db, CREATE_SCHEDULE, [...planValues(plan), caller.actor, caller.remote]);
}

/** Ends the lease, so that a tick under way is not noted: the times it would store belong to the old plan. */
const REPLACE_SCHEDULE = {
  name: "replace_schedule",
  text: `
    with changed as (
      update schedule
      set flow = $2, version = $3, inputs = $4, tags = $5, priority = $6, concurrency_key = $7, cron = $8, time_zone = $9,
          overlap = $10, catch_up = $11, jitter_ms = $12, paused = $13, next_at = ${atMs("$14")}, due_at = ${atMs("$15")},
          lease_owner = null, lease_until = null, updated_at = now()
      where id = $1
      returning id, flow
    ), audited as (${auditedAs("'schedule_update'", "changed", "$16", "$17")}
    )
    select id from changed`,
};

/** False when there is none. */
export async function replaceSchedule(db: Queryable, plan: StoredPlan, caller: Caller): Promise<boolean> {
  const rows = await run(db, REPLACE_SCHEDULE, [...planValues(plan), caller.actor, caller.remote]);
  return rows.length > 0;
}

/** Ends the lease as `replace_schedule` does. */
const PAUSE_SCHEDULE = {
  name: "pause_schedule",
  text: `
    with changed as (
      update schedule
      set paused = $2, next_at = ${atMs("$3")}, due_at = ${atMs("$4")}, lease_owner = null, lease_until = null, updated_at = now()
      where id = $1
      returning id, flow
    ), audited as (${auditedAs("case when $2::boolean then 'schedule_pause' else 'schedule_resume' end", "changed", "$5", "$6")}
    )
    select id from changed`,
};

/** Pauses it or lets it go on; false when there is none. */
export async function setPaused(
  db: Queryable,
  ...[id, paused, next, caller]: Parameters<ScheduleStore["setPaused"]>
): Promise<boolean> {
  const values = [id, paused, ...timesOf(next), caller.actor, caller.remote];
  return (await run(db, PAUSE_SCHEDULE, values)).length > 0;
}

const REMOVE_SCHEDULE = {
  name: "remove_schedule",
  text: `
    with gone as (
      delete from schedule where id = $1 returning id, flow
    ), audited as (${auditedAs("'schedule_delete'", "gone", "$2", "$3")}
    )
    select id from gone`,
};

/** False when there is none. */
export async function removeSchedule(db: Queryable, id: string, caller: Caller): Promise<boolean> {
  return (await run(db, REMOVE_SCHEDULE, [id, caller.actor, caller.remote])).length > 0;
}

/**
 * Takes a lease on the schedule that has been due for longest. Guard: due, and nobody's lease on it is live; rows that others lock
 * are skipped. Its tick moves on only with the note, so that a holder's death costs the lease and no tick.
 */
const TAKE_SCHEDULE = {
  name: "take_schedule",
  text: `
    with due as (
      select id from schedule
      where due_at <= now() and (lease_until is null or lease_until < now())
      order by due_at
      limit 1
      for update skip locked
    )
    update schedule s
    set lease_owner = $1, lease_until = now() + $2 * interval '1 ms'
    from due
    where s.id = due.id
    returning s.id, s.flow, s.version, s.inputs, s.tags, s.priority, s.concurrency_key, s.cron, s.time_zone, s.overlap, s.catch_up,
      s.jitter_ms, s.paused, (extract(epoch from s.next_at) * 1000)::float8 as next_ms, (extract(epoch from s.due_at) * 1000)::float8 as due_ms,
      (extract(epoch from now()) * 1000)::float8 as now_ms,
      exists (select from run r where r.id = s.last_run_id and r.finished_at is null) as last_run_lives`,
};

type TakenRow = PlanRow & {
  readonly id: string;
  readonly next_ms: number;
  readonly due_ms: number;
  readonly now_ms: number;
  readonly last_run_lives: boolean;
};

/** The next schedule to deal with; nobody else's while the lease lives. */
export async function takeSchedule(
  db: Queryable,
  lease: string,
  leaseMs: number,
): Promise<DueSchedule | null> {
  const [row] = await run<TakenRow>(db, TAKE_SCHEDULE, [lease, leaseMs]);
  if (row === undefined) return null;
  return {
    ...{ id: row.id, lease, ...planOf(row), lastRunLives: row.last_run_lives },
    next: { nextMs: Math.round(row.next_ms), dueMs: Math.round(row.due_ms) },
    nowMs: Math.floor(row.now_ms),
  };
}

/** Guard: the lease. A tick that was only put off leaves the latest outcome as it is. */
const NOTE_TICK = {
  name: "note_tick",
  text: `
    update schedule
    set next_at = ${atMs("$3")}, due_at = ${atMs("$4")}, lease_owner = null, lease_until = null,
        last_tick = coalesce(${atMs("$5")}, last_tick),
        last_outcome = coalesce($6, last_outcome),
        last_message = case when $6::text is null then last_message else $7 end,
        last_run_id = coalesce($8, last_run_id)
    where id = $1 and lease_owner = $2
    returning id`,
};

/** False when somebody else took the schedule over or changed it. */
export async function noteTick(
  db: Queryable,
  { id, lease }: Pick<DueSchedule, "id" | "lease">,
  { next, outcome }: TickNote,
): Promise<boolean> {
  // Messages may quote what a text column cannot hold.
  const message = outcome?.message?.replaceAll("\0", "\ufffd") ?? null;
  const what = [outcome?.tickMs ?? null, outcome?.kind ?? null, message, outcome?.runId ?? null];
  return (await run(db, NOTE_TICK, [id, lease, ...timesOf(next), ...what])).length > 0;
}
