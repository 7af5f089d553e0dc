import type pg from "pg";
import { PRIORITY_MAX_S, type Claim } from "@agentflow/engine";
import { run, withTransaction, type Queryable } from "../connection/transaction.ts";
import { CLAIM_COLUMNS, claimOf, type ClaimRequest, type ClaimRow } from "./claim.ts";
import { reclaim } from "./reclaim.ts";

/**
 * Whether a run `r` that took a place still has it: it is executed, or its next iteration is about to be. A lease that ran out, a
 * pause and a job that nobody took in time give the place away; so nothing has to be counted down.
 */
const HAS_PLACE = `
  r.status = 'running' and (
    r.lease_until >= now()
    or (r.lease_owner is null and r.dispatch_after > now() and (r.due_at is null or r.due_at <= now()))
  )`;

/** Claims of one limited flow go one after the other: what they count stays true until they have claimed. */
const LOCK_FLOW = {
  name: "lock_limited_flow",
  text: `
    select pg_advisory_xact_lock(hashtext('agentflow limits'), hashtext(flow)), flow, concurrency_key as key,
           coalesce(due_at > now() + interval '100 ms', false) as pauses
    from run where id = $1`,
};

/** Forgets places that are given away. */
const PRUNE_HOLDS = {
  name: "prune_limit_holds",
  text: `
    delete from limit_hold h using run r
    where h.flow = $1 and r.id = h.run_id and (${HAS_PLACE}) is not true`,
};

/**
 * Which limit is in the way of a run without a place, counting those that have one and those that wait before it, up to the limit. Runs
 * stand in the order of their rank: when they began to wait, later by their priority.
 */
const JUDGE = {
  name: "judge_limits",
  text: `
    with me as (
      select r.id, r.flow, r.concurrency_key as key, l.max_running, l.max_running_per_key,
             coalesce(w.rank, now() + least(coalesce(r.priority, 0), ${PRIORITY_MAX_S}) * interval '1 s') as rank
      from run r join flow_limit l on l.flow = r.flow left join limit_wait w on w.run_id = r.id
      where r.id = $1
    ), held as (
      select count(*) as in_flow, count(*) filter (where h.key = me.key) as with_key
      from limit_hold h, me where h.flow = me.flow
    ), before_in_flow as (
      select count(*) as runs from (
        select from limit_wait w join run r on r.id = w.run_id, me
        where w.flow = me.flow and w.level = 'flow' and (w.rank, w.run_id) < (me.rank, me.id)
          and r.status in ('queued', 'running')
        limit (select max_running from me)
      ) first_ones
    ), before_with_key as (
      select count(*) as runs from (
        select from limit_wait w join run r on r.id = w.run_id, me
        where w.flow = me.flow and w.level = 'key' and w.key = me.key and (w.rank, w.run_id) < (me.rank, me.id)
          and r.status in ('queued', 'running')
        limit (select max_running_per_key from me)
      ) first_ones
    )
    select case
      when me.key is not null and held.with_key + before_with_key.runs >= me.max_running_per_key then 'key'
      when held.in_flow + before_in_flow.runs >= me.max_running then 'flow'
    end as level
    from me, held, before_in_flow, before_with_key
    where not exists (select from limit_hold h where h.run_id = me.id)`,
};

/** The ordinary claim of a run whose limits have room; its guard otherwise. */
const CLAIM_LIMITED = {
  name: "claim_limited",
  text: `
    update run r
    set status = 'running', token = r.token + 1, due_at = null, attempt = attempt + 1, fresh = fresh or attempt > 0,
        lease_owner = $3, lease_until = now() + $4 * interval '1 ms', claimed_at = now(), beat_at = now(),
        started_at = coalesce(started_at, now()), dispatch_after = now(), updated_at = now(), last_write = $6
    where r.id = $1 and r.token = $2 and r.status in ('queued', 'running') and r.lease_owner is null and r.attempt < $5
    returning ${CLAIM_COLUMNS}`,
};

const TAKE_PLACE = {
  name: "take_limited_place",
  text: `
    with waited as (
      delete from limit_wait where run_id = $1
    )
    insert into limit_hold (run_id, flow, key, token) values ($1, $2, $3, $4)
    on conflict (run_id) do update set flow = excluded.flow, key = excluded.key, token = excluded.token`,
};

/**
 * Lets a run wait for a limit: its rank stays from the first refusal on. The sweep of lost jobs leaves it alone for a while,
 * because that of the limits finds it as soon as there is room. Guard: the token, and nobody's lease. Locks the run row first.
 */
const WAIT_FOR_LIMIT = {
  name: "wait_for_limit",
  text: `
    with refused as (
      update run set dispatch_after = now() + interval '5 min'
      where id = $1 and token = $2 and status in ('queued', 'running') and (lease_until is null or lease_until < now())
      returning id, flow, concurrency_key, priority
    )
    insert into limit_wait (run_id, flow, key, level, rank)
    select id, flow, concurrency_key, $3, now() + least(coalesce(priority, 0), ${PRIORITY_MAX_S}) * interval '1 s'
    from refused
    on conflict (run_id) do update set level = excluded.level`,
};

/** Claims a run of a flow with limits; "limited" when it has to wait for one, null when its guard does not hold. */
export function claimLimited(
  pool: pg.Pool,
  request: ClaimRequest,
): Promise<Claim | "exhausted" | "limited" | null> {
  const { runId, token } = request;
  return withTransaction(pool, async (client) => {
    const [me] = await run<{ flow: string; key: string | null; pauses: boolean }>(client, LOCK_FLOW, [runId]);
    if (me === undefined || me.pauses) return null;
    await run(client, PRUNE_HOLDS, [me.flow]);
    const [judged] = await run<{ level: "flow" | "key" | null }>(client, JUDGE, [runId]);
    const level = judged?.level ?? null;
    if (level !== null) {
      await run(client, WAIT_FOR_LIMIT, [runId, token, level]);
      return "limited";
    }
    const claim = await claimNow(client, request);
    if (claim === null || claim === "exhausted") return claim;
    await run(client, TAKE_PLACE, [runId, me.flow, me.key, claim.token]);
    return { ...claim, limited: true };
  });
}

async function claimNow(client: Queryable, request: ClaimRequest): Promise<Claim | "exhausted" | null> {
  const { runId, token, worker, leaseMs, maxAttempts, write } = request;
  const values = [runId, token, worker, leaseMs, maxAttempts, write];
  const [row] = await run<ClaimRow>(client, CLAIM_LIMITED, values);
  return row === undefined ? reclaim(client, request) : claimOf(runId, row);
}

/**
 * Runs that wait and for which there is room now, by rank: of all flows, or of one. Those that ended meanwhile wait no longer. Only
 * reads what it answers with: a wake that comes to nothing is found by the next look.
 */
const ROOM = {
  name: "room_for_limited",
  text: `
    with over as (
      delete from limit_wait w using run r where r.id = w.run_id and r.status not in ('queued', 'running')
    ), waits as (
      select w.run_id, w.flow, w.key, w.level, r.token,
             row_number() over (partition by w.flow, w.level, case when w.level = 'key' then w.key end order by w.rank, w.run_id) as place
      from limit_wait w join run r on r.id = w.run_id
      where ($1::text is null or w.flow = $1) and r.status in ('queued', 'running')
        and (r.lease_until is null or r.lease_until < now())
    ), held as (
      select h.flow, h.key
      from limit_hold h join run r on r.id = h.run_id
      where ($1::text is null or h.flow = $1) and ${HAS_PLACE}
    )
    select w.run_id as id, w.token
    from waits w left join flow_limit l on l.flow = w.flow
    where w.place <= case w.level
      when 'flow' then coalesce(l.max_running - (select count(*) from held h where h.flow = w.flow), $2)
      else coalesce(l.max_running_per_key - (select count(*) from held h where h.flow = w.flow and h.key = w.key), $2)
    end
    order by w.place, w.run_id
    limit $2`,
};

type RoomRow = { readonly id: string; readonly token: number };

/** Wakes of at most `limit` runs that a limit keeps waiting no longer. */
export async function limitedWithRoom(db: Queryable, flow: string | null, limit: number) {
  const rows = await run<RoomRow>(db, ROOM, [flow, limit]);
  return rows.map(({ id: runId, token }) => ({ runId, token, delayMs: 0 }));
}

const FLOW_OF = { name: "flow_of_run", text: "select flow from run where id = $1" };

/** Wakes of runs of the same flow for which the end of this run's claim has made room. */
export async function limitedBehind(db: Queryable, runId: string, limit: number) {
  const [row] = await run<{ flow: string }>(db, FLOW_OF, [runId]);
  return row === undefined ? [] : limitedWithRoom(db, row.flow, limit);
}
