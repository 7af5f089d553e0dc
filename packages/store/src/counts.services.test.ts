import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { openPools, type Pools } from "./connection/pools.ts";
import { createStore, type Store } from "./store.ts";
import { createDatabase, type TestDatabase } from "./testing/database.ts";
import { LOOP, claimOf, claimedLoop, commitOf, loopAt, startedRun } from "./testing/fixtures.ts";

let database: TestDatabase;
let pools: Pools;
let store: Store;
beforeAll(async () => {
  database = await createDatabase(inject("postgresUrl"));
  pools = openPools({ url: database.url, applicationName: "counts", maxConnections: 4 });
  store = createStore(pools);
});
afterAll(async () => {
  await store.close();
  await database.drop();
});
beforeEach(async () => {
  await pools.requests.query("delete from run");
});

const query = async (text: string, values: unknown[] = []) => (await pools.requests.query(text, values)).rows;
const parked = async () => {
  const claim = await claimedLoop(store);
  const checkpoint = loopAt(2, { status: "waiting", decision: "wait" }).checkpoint;
  await store.work.commitIteration(commitOf(claim, 1, { checkpoint, run: { status: "waiting" } }));
  return claim.runId;
};
const failed = async () => {
  const claim = await claimOf(store.work, await startedRun(store.requests));
  const failure = { code: "exit_nonzero", message: "", node: null, iteration: null } as const;
  await store.work.finishRun(claim, { status: "failed", failure }, []);
  return claim.runId;
};

describe("counts", () => {
  const expected = { queued: 3, running: 2, waiting: 1, succeeded: 0, failed: 2, cancelled: 0 };
  const fill = async () => {
    for (const _ of [1, 2, 3]) await startedRun(store.requests);
    await Promise.all([claimedLoop(store), claimedLoop(store), parked(), failed(), failed()]);
  };
  const waitingChanges = async () => (await query("select from run_count_change")).length;

  test("P-76: they are exact before the sweep has folded their changes and after it", async () => {
    await fill();
    expect(await waitingChanges()).toBeGreaterThan(0);
    expect(await store.reads.counts()).toEqual(expected);
    await store.work.sweep(1);
    expect(await waitingChanges()).toBe(0);
    expect(await store.reads.counts()).toEqual(expected);
  });

  test("P-76: they stay exact when runs come and go while many sweeps fold", async () => {
    const sweeps = Array.from({ length: 10 }, () => store.work.sweep(1));
    await Promise.all([fill(), ...sweeps]);
    await Promise.all(Array.from({ length: 10 }, () => store.work.sweep(1)));
    expect(await store.reads.counts()).toEqual(expected);
    await query("delete from run where status = 'failed'");
    expect(await store.reads.counts()).toEqual({ ...expected, failed: 0 });
  });

  test("S-7: iterations between which a run stays running change no count", async () => {
    const claim = await claimedLoop(store);
    await store.work.sweep(1);
    await store.work.commitIteration(commitOf(claim, 1));
    await claimOf(store.work, { runId: claim.runId, token: claim.token + 1 });
    expect(await waitingChanges()).toBe(0);
  });
});

describe("views for dashboards", () => {
  test("S-24: parked runs show since when, failures by code and flow, iterations by minute", async () => {
    const [waiting] = await Promise.all([parked(), failed(), failed()]);
    expect(await query("select id, next_iteration, age >= interval '0' as aged from ops.parked")).toEqual([
      { id: waiting, next_iteration: 2, aged: true },
    ]);
    expect(await query("select code, flow, runs from ops.failures")).toEqual([
      { code: "exit_nonzero", flow: "flow", runs: 2 },
    ]);
    const [{ iterations }] = await query("select sum(iterations)::int as iterations from ops.throughput");
    expect(iterations).toBe((await query("select from ops.iterations")).length);
    expect(await query("select path, iterations from ops.loops where run_id = $1", [waiting])).toEqual([
      { path: LOOP, iterations: 1 },
    ]);
  });

  test("S-9: a live run that nothing has moved for 30 s is stuck, unless its lease is live", async () => {
    const lost = await startedRun(store.requests);
    const held = await claimOf(store.work, await startedRun(store.requests));
    const stuck = () => query("select id from ops.stuck");
    expect(await stuck()).toEqual([]);
    await query("update run set dispatch_after = now() - interval '31 s'");
    expect(await stuck()).toEqual([{ id: lost.runId }]);
    expect(await store.reads.stuck()).toBe(1);
    await query("update run set lease_until = now() - interval '31 s' where id = $1", [held.runId]);
    expect(new Set((await stuck()).map(({ id }) => id))).toEqual(new Set([held.runId, lost.runId]));
  });

  test("S-13, L-49: no view shows a state, inputs or a payload", async () => {
    const columns = await query(
      "select column_name from information_schema.columns where table_schema = 'ops'",
    );
    const names = columns.map(({ column_name: name }) => name);
    expect(names).toContain("parked_at");
    expect(names).not.toContain("state");
    expect(names).not.toContain("inputs");
    expect(names).not.toContain("payload");
  });
});
