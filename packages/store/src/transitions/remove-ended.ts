import { run, type Queryable } from "../connection/transaction.ts";
import { REMOVE_ROWS_OF_GONE } from "./run-rows.ts";

/**
 * Removes runs that ended long ago, oldest first. Guard: ended, which absorbs; rows that another process removes or forks
 * are skipped.
 */
const REMOVE_ENDED = {
  name: "remove_ended",
  text: `
    with gone as (
      delete from run
      where id = any (array(
        select id from run
        where finished_at < now() - $1 * interval '1 ms' and status in ('succeeded', 'failed', 'cancelled')
        order by finished_at
        limit $2
        for update skip locked
      ))
      returning id
    ), ${REMOVE_ROWS_OF_GONE}
    select count(*)::int as removed from gone`,
};

/** Returns how many runs went. */
export async function removeEnded(db: Queryable, olderThanMs: number, limit: number): Promise<number> {
  const [row] = await run<{ removed: number }>(db, REMOVE_ENDED, [olderThanMs, limit]);
  return row?.removed ?? 0;
}
