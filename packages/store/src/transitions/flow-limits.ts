import type pg from "pg";
import type { Caller, FlowLimits } from "@agentflow/engine";
import { run, withTransaction } from "../connection/transaction.ts";

/** Sets or, with null for both, takes away the limits. Guard: the flow is there. Audited. */
const SET_LIMITS = {
  name: "set_flow_limits",
  text: `
    with found as (
      select name from flow where name = $1 for no key update
    ), gone as (
      delete from flow_limit l using found f where l.flow = f.name and $2::int is null and $3::int is null
    ), stored as (
      insert into flow_limit (flow, max_running, max_running_per_key)
      select name, $2, $3 from found where $2::int is not null or $3::int is not null
      on conflict (flow) do update
      set max_running = excluded.max_running, max_running_per_key = excluded.max_running_per_key, updated_at = now()
    ), audited as (
      insert into audit (action, actor, remote, details)
      select 'flow_limits', $4, $5, json_build_object('flow', name, 'maxRunning', $2::int, 'maxRunningPerKey', $3::int)::text
      from found
    )
    select 1 from found`,
};

/** Locks run rows by id, as all do. Those that waited for a limit that is gone are due at once. */
const MARK_RUNS = {
  name: "mark_limited_runs",
  text: `
    with marked as (
      select id from run
      where flow = $1 and status in ('queued', 'running', 'waiting') and limited is distinct from $2
      order by id
      for no key update
    ), freed as (
      delete from limit_wait where flow = $1 and not $2
      returning run_id
    )
    update run r
    set limited = $2, dispatch_after = case when f.run_id is null then r.dispatch_after else now() end
    from marked m left join freed f on f.run_id = m.id
    where r.id = m.id`,
};

/**
 * Two transactions: runs that started before the first one's end are seen by the second. A run that was being started in that very
 * moment goes without a limit until it is started again.
 */
export async function setFlowLimits(
  pool: pg.Pool,
  flow: string,
  { maxRunning, maxRunningPerKey }: FlowLimits,
  { actor, remote }: Caller,
): Promise<boolean> {
  const limits = [flow, maxRunning, maxRunningPerKey, actor, remote];
  const found = await withTransaction(pool, (client) => run(client, SET_LIMITS, limits));
  if (found.length === 0) return false;
  const limited = maxRunning !== null || maxRunningPerKey !== null;
  await withTransaction(pool, (client) => run(client, MARK_RUNS, [flow, limited]));
  return true;
}
