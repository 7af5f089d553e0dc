import { run, type Queryable } from "../connection/transaction.ts";

/**
 * Gives up the oldest states of a run until what is left fits. A chain goes whole: it begins with a step that needs no other (kinds 2
 * and 3), and `newer` of its first row is what it and all younger ones take. Guard: none is needed, what is given up is never
 * looked at by an iteration. Locks history rows of this run only.
 */
const TRIM_TIMELINE = {
  name: "trim_timeline",
  text: `
    with steps as materialized (
      select path, epoch, iteration,
             sum(octet_length(state_step)) over (order by committed_at desc, epoch desc, iteration desc, path) as newer,
             sum(octet_length(state_step)) over () as total,
             count(*) filter (where substring(state_step from 1 for 1) in ('\\x02', '\\x03'))
               over (partition by path, epoch order by iteration) as chain
      from iteration
      where run_id = $1 and state_step is not null
    ), chains as (
      select path, epoch, chain, max(newer) as newer from steps where total > $2 group by path, epoch, chain
    ), gone as (
      update iteration i
      set state_step = null
      from steps s join chains c on c.path = s.path and c.epoch = s.epoch and c.chain = s.chain
      where c.newer > $3 and i.run_id = $1 and i.path = s.path and i.epoch = s.epoch and i.iteration = s.iteration
      returning 1
    )
    select count(*)::int as steps from gone`,
};

/** How many steps were given up; none while there are at most `maxBytes`. */
export async function trimTimeline(
  db: Queryable,
  runId: string,
  maxBytes: number,
  keepBytes: number,
): Promise<number> {
  const [row] = await run<{ steps: number }>(db, TRIM_TIMELINE, [runId, maxBytes, keepBytes]);
  return row?.steps ?? 0;
}
