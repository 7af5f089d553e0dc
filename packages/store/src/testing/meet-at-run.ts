import pg from "pg";
import type { Pools } from "../connection/pools.ts";

/** Holds the run's row, starts the calls one after the other, each once the one before waits, then lets go; gives their answers. */
export async function meetAtRun<T extends unknown[]>(
  url: string,
  pools: Pools,
  runId: string,
  ...calls: { [K in keyof T]: () => Promise<T[K]> }
): Promise<T> {
  const blocker = new pg.Client({ connectionString: url });
  await blocker.connect();
  await blocker.query("begin");
  await blocker.query("select from run where id = $1 for update", [runId]);
  const answers: Promise<unknown>[] = [];
  for (const call of calls) {
    answers.push(call());
    await blocked(pools, answers.length);
  }
  await blocker.query("commit");
  await blocker.end();
  return (await Promise.all(answers)) as T;
}

async function blocked(pools: Pools, count: number): Promise<void> {
  for (;;) {
    const { rows } = await pools.side.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    if (rows.length >= count) return;
  }
}
