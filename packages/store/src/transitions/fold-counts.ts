import { run, type Queryable } from "../connection/transaction.ts";

/**
 * Adds changes of the counts to the counters, so that they stay few to sum. Rows that another process folds are skipped;
 * counters are locked in the order of their status.
 */
const FOLD_COUNTS = {
  name: "fold_counts",
  text: `
    with folded as (
      delete from run_count_change
      where ctid = any (array(select ctid from run_count_change limit $1 for update skip locked))
      returning status, change
    )
    insert into run_count (status, runs)
    select status, sum(change) from folded group by status order by status
    on conflict (status) do update set runs = run_count.runs + excluded.runs`,
};

/** Folds at most `limit` changes. */
export async function foldCounts(db: Queryable, limit: number): Promise<void> {
  await run(db, FOLD_COUNTS, [limit]);
}
