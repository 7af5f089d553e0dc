import { StoreUnavailable } from "@agentflow/engine";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { closePools, openPools, type Pools } from "./connection/pools.ts";
import { withTransaction } from "./connection/transaction.ts";
import { createStore } from "./store.ts";
import { createDatabase, type TestDatabase } from "./testing/database.ts";
import { claimOf, claimedLoop, commitOf, startedRun } from "./testing/fixtures.ts";

let database: TestDatabase;
let errors: Error[];
let pools: Pools;
beforeEach(async () => {
  database = await createDatabase(inject("postgresUrl"));
  errors = [];
  pools = openPools({
    url: database.url,
    applicationName: "connections",
    maxConnections: 2,
    onError: (error) => errors.push(error),
  });
});
afterEach(async () => {
  await closePools(pools);
  await database.drop();
});

const backend = async (client: pg.PoolClient | pg.Pool) =>
  (await client.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]!.pid;
/** Ends a backend as a restart of the server does, and waits until it is gone. */
const terminate = (pid: number) => pools.side.query("select pg_terminate_backend($1, 10000)", [pid]);

describe("lost connections", () => {
  test("C5, P-60: the end of an idle connection is reported, harms nothing, and the next statement has a new one", async () => {
    const before = await backend(pools.work);
    const told = new Promise((resolve) => pools.work.once("error", resolve));
    await terminate(before);
    await told;
    expect(await backend(pools.work)).not.toBe(before);
    expect(errors.length).toBeGreaterThan(0);
  });

  test("C5, C6: the end of a connection inside a transaction fails that transaction only", async () => {
    const work = withTransaction(pools.requests, async (client) => {
      await client.query("create table half_done (a int)");
      await terminate(await backend(client));
      await client.query("select 1");
    });
    await expect(work).rejects.toThrow(/connection/);
    const { rows } = await pools.requests.query("select to_regclass('half_done') as there");
    expect(rows).toEqual([{ there: null }]);
  });

  test("C6: five transactions that cannot begin leave both connections of the pool usable", async () => {
    for (let round = 0; round < 5; round += 1) {
      await expect(withTransaction(pools.requests, async () => 1, "begin nonsense")).rejects.toThrow(
        /syntax/,
      );
    }
    const both = await Promise.all([pools.requests.connect(), pools.requests.connect()]);
    for (const client of both) client.release();
    expect(await withTransaction(pools.requests, async () => 1)).toBe(1);
  });

  test("C6: a transaction that fails is rolled back and its connection is not used again", async () => {
    let used = 0;
    const work = withTransaction(pools.requests, async (client) => {
      used = await backend(client);
      await client.query("create table half_done (a int)");
      throw new Error("changed my mind");
    });
    await expect(work).rejects.toThrow("changed my mind");
    expect(await backend(pools.requests)).not.toBe(used);
    const { rows } = await pools.requests.query("select to_regclass('half_done') as there");
    expect(rows).toEqual([{ there: null }]);
  });
});

describe("a server that is away", () => {
  const away = "postgres://nobody@127.0.0.1:1/none";

  test("S-17: requests and pages are refused at once as StoreUnavailable", async () => {
    const store = createStore({ url: away, applicationName: "away", maxConnections: 1 });
    await expect(startedRun(store.requests)).rejects.toThrow(StoreUnavailable);
    await expect(store.reads.counts()).rejects.toThrow(StoreUnavailable);
    await expect(store.ping()).rejects.toThrow(StoreUnavailable);
    await store.close();
  });

  test("S-27: closing the store ends a worker's wait for the server", async () => {
    const store = createStore({ url: away, applicationName: "away", maxConnections: 1 });
    const waiting = store.work.claim(
      { runId: "019ad0c0-0000-7000-8000-000000000000", token: 1 },
      "w",
      60_000,
      5,
    );
    const refused = expect(waiting).rejects.toThrow(StoreUnavailable);
    await store.close();
    await refused;
  });

  test("L-51: a worker's commit sits out the loss of every connection and is stored once", async () => {
    const store = createStore(pools);
    const claim = await claimedLoop(store);
    const blocker = new pg.Client({ connectionString: database.url });
    await blocker.connect();
    await blocker.query("begin");
    await blocker.query("select from run where id = $1 for update", [claim.runId]);
    const commit = store.work.commitIteration(commitOf(claim, 1));
    const waiting = await untilBlocked();
    await terminate(waiting);
    await blocker.query("rollback");
    await blocker.end();
    expect(await commit).toEqual({ kind: "committed", token: claim.token + 1 });
    expect((await claimOf(store.work, { runId: claim.runId, token: claim.token + 1 })).nextIteration).toBe(2);
  });
});

test("C8: every connection has its time limits and its name", async () => {
  const show = async (pool: pg.Pool) => {
    const { rows } = await pool.query(
      `select name, setting from pg_settings
       where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'application_name')`,
    );
    return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
  };
  for (const pool of Object.values(pools)) {
    expect(await show(pool)).toEqual({
      statement_timeout: "15000",
      lock_timeout: "5000",
      idle_in_transaction_session_timeout: "10000",
      application_name: "connections",
    });
  }
});

test("C7: with every work connection busy a heartbeat still gets through", async () => {
  const store = createStore(pools);
  const claim = await claimOf(store.work, await startedRun(store.requests));
  const busy = await Promise.all([pools.work.connect(), pools.work.connect()]);
  expect(await store.work.heartbeat([{ ...claim, activeMs: 1 }], 60_000)).toEqual(new Set([claim.runId]));
  for (const client of busy) client.release();
});

/** The backend of the statement that waits for a lock of this database. */
async function untilBlocked(): Promise<number> {
  for (;;) {
    const { rows } = await pools.side.query<{ pid: number }>(
      "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    if (rows[0] !== undefined) return rows[0].pid;
  }
}
