import { randomBytes } from "node:crypto";
import { ValueRefused } from "@agentflow/engine";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { openPools, type Pools } from "./connection/pools.ts";
import { createStore, type Store } from "./store.ts";
import { createDatabase, type TestDatabase } from "./testing/database.ts";
import { LOOP, claimOf, claimedLoop, commitOf, loopAt, startedRun } from "./testing/fixtures.ts";

let database: TestDatabase;
let pools: Pools;
let store: Store;
beforeAll(async () => {
  database = await createDatabase(inject("postgresUrl"));
  // One connection: its statistics are counted by the time it answers.
  pools = openPools({ url: database.url, applicationName: "rows", maxConnections: 1 });
  store = createStore(pools);
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

/** Claims and commits iterations `from` to `to` of a run. */
async function iterate(
  start: { runId: string; token: number },
  from: number,
  to: number,
): Promise<{ runId: string; token: number }> {
  let fence = start;
  for (let iteration = from; iteration <= to; iteration += 1) {
    const outcome = await store.work.commitIteration(commitOf(fence, iteration));
    if (outcome.kind !== "committed") throw new Error("stale");
    fence = await claimOf(store.work, { runId: fence.runId, token: outcome.token });
  }
  return fence;
}

/** Bytes of all tables with their indexes and long values. */
async function storedBytes(): Promise<number> {
  const { rows } = await pools.side.query<{ bytes: number }>(
    "select sum(pg_total_relation_size(relid))::int8 as bytes from pg_stat_user_tables where schemaname = 'public'",
  );
  return rows[0]!.bytes;
}

/** Counts of a statistics view as of now. */
async function counts<Row extends { relname: string }>(text: string): Promise<Map<string, Row>> {
  await pools.work.query("select pg_stat_force_next_flush()");
  await pools.work.query("select pg_stat_clear_snapshot()");
  const { rows } = await pools.work.query<Row>(text);
  return new Map(rows.map((row) => [row.relname, row]));
}

describe("what an iteration costs", () => {
  test("C16: its updates of the run and of the checkpoint are heap-only", async () => {
    const updates = () =>
      counts<{ relname: string; all: number; hot: number }>(
        "select relname, n_tup_upd as all, n_tup_hot_upd as hot from pg_stat_user_tables where relname in ('run', 'checkpoint')",
      );
    const claim = await claimedLoop(store);
    const before = await updates();
    await iterate(claim, 1, 200);
    const after = await updates();
    for (const [table, least] of [
      ["run", 400],
      ["checkpoint", 200],
    ] as const) {
      const all = after.get(table)!.all - before.get(table)!.all;
      const hot = after.get(table)!.hot - before.get(table)!.hot;
      expect(all).toBeGreaterThanOrEqual(least);
      expect(hot / all).toBeGreaterThan(0.95);
    }
  });

  test("S-13, P-16, C10: iterations 1001 to 1300 store no more than iterations 101 to 400", async () => {
    let fence = await iterate(await claimedLoop(store), 1, 100);
    const growth = async (from: number, to: number) => {
      const before = await storedBytes();
      fence = await iterate(fence, from, to);
      return (await storedBytes()) - before;
    };
    const early = await growth(101, 400);
    fence = await iterate(fence, 401, 1000);
    const late = await growth(1001, 1300);
    expect(early).toBeGreaterThan(0);
    // Whole pages of 8 KiB are counted, a dozen of them; a row that grew with the iterations would make it over fourfold.
    expect(late / early).toBeLessThan(2.5);
  });

  test("C11: a state of 1 MiB that an iteration leaves alone is not written again", async () => {
    const chunks = async () => {
      const found = await counts<{ relname: string; chunks: number }>(
        `select 'state' as relname, n_tup_ins as chunks from pg_stat_all_tables
         where relid = (select reltoastrelid from pg_class where oid = 'checkpoint'::regclass)`,
      );
      return found.get("state")!.chunks;
    };
    const state = JSON.stringify(randomBytes(780_000).toString("base64"));
    const claim = await claimedLoop(store);
    const before = await chunks();
    const changed = commitOf(claim, 1, { checkpoint: loopAt(2, { state }).checkpoint });
    await store.work.commitIteration(changed);
    const written = await chunks();
    expect(written - before).toBeGreaterThan(300);
    const second = await claimOf(store.work, { runId: claim.runId, token: claim.token + 1 });
    const kept = commitOf(second, 2, { checkpoint: loopAt(3, { state }).checkpoint, stateChanged: false });
    await store.work.commitIteration(kept);
    expect(await chunks()).toBe(written);
    expect((await store.work.checkpoint(claim.runId, LOOP))?.checkpoint.state).toBe(state);
  });
});

describe("rows that must not be", () => {
  const set = (id: string, assignment: string) =>
    pools.requests.query(`update run set ${assignment} where id = $1`, [id]);
  const ended = async (end: Parameters<Store["work"]["finishRun"]>[1]) => {
    const claim = await claimOf(store.work, await startedRun(store.requests));
    await store.work.finishRun(claim, end, []);
    return claim.runId;
  };
  const failed = (code: "exit_nonzero" | "checkpoint_corrupt") =>
    ended({ status: "failed", failure: { code, message: "", node: null, iteration: null } });

  test.each(["queued", "running", "waiting", "failed", "cancelled"])(
    "L-33: the database itself keeps a succeeded run from becoming %s",
    async (status) => {
      const id = await ended({ status: "succeeded" });
      await expect(set(id, `status = '${status}'`)).rejects.toThrow(/an ended run never changes/);
    },
  );

  test("L-33: of failed runs only one with a corrupt checkpoint may be queued again", async () => {
    const toQueued = "status = 'queued', failure = null, failure_code = null";
    await expect(set(await failed("exit_nonzero"), toQueued)).rejects.toThrow(/an ended run never changes/);
    const corrupt = await failed("checkpoint_corrupt");
    await expect(set(corrupt, "status = 'succeeded'")).rejects.toThrow(/an ended run never changes/);
    expect((await set(corrupt, toQueued)).rowCount).toBe(1);
  });

  test("3.3: there is no other status", async () => {
    const { runId } = await startedRun(store.requests);
    await expect(set(runId, "status = 'canceled'")).rejects.toThrow(/run_status/);
  });
});

describe("values Postgres refuses", () => {
  const nul = (iteration: number) => ({
    ...commitOf({ runId: "", token: 0 }, iteration).entry!,
    summary: "a\0b",
  });

  test("C13: an un-storable value is ValueRefused, not an outage, and the run is as it was", async () => {
    const claim = await claimedLoop(store);
    await expect(store.work.commitIteration(commitOf(claim, 1, { entry: nul(1) }))).rejects.toThrow(
      ValueRefused,
    );
    expect(await store.work.commitIteration(commitOf(claim, 1))).toEqual({
      kind: "committed",
      token: claim.token + 1,
    });
  });

  test("C13: it fails alone: commits that went out with it are stored", async () => {
    const claims = await Promise.all(Array.from({ length: 8 }, () => claimedLoop(store)));
    const outcomes = await Promise.allSettled(
      claims.map((claim, index) =>
        store.work.commitIteration(commitOf(claim, 1, index === 5 ? { entry: nul(1) } : {})),
      ),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(
      claims.map((_, index) => (index === 5 ? "rejected" : "fulfilled")),
    );
  });

  test("P-46: labels, step outputs, events and failures may hold anything", async () => {
    const claim = await claimOf(store.work, await startedRun(store.requests));
    const odd = "a\0b\ud800";
    const scope = { loop: "", epoch: 0, iteration: 0 };
    const step = {
      frame: "[]",
      node: "a",
      fingerprint: "f",
      outputs: new Map([
        [odd, odd],
        ["__proto__", "x"],
        ["1", "y"],
      ]),
      shown: true,
    };
    await store.work.beginLoop(claim, { ...loopAt(1), label: odd }, [{ type: "told", text: odd }]);
    await store.work.recordStep(claim, scope, step, []);
    const failure = { code: "node_failed", message: odd, node: null, iteration: null } as const;
    await store.work.finishRun(claim, { status: "failed", failure }, []);
    expect(await store.work.steps(claim.runId, scope)).toEqual([step]);
    expect(await store.reads.run(claim.runId)).toMatchObject({
      failure,
      outputs: [{ node: "a", value: odd }],
      loops: [{ label: "a\ufffdb\ufffd" }],
    });
    expect(await store.reads.events(claim.runId, { after: 0, limit: 10 })).toMatchObject({
      items: [{ text: odd }],
    });
  });

  test("P-74: names that cannot be stored or are no ids are not found, and are no errors", async () => {
    const nowhere = { limit: 10 };
    expect(await store.reads.run("nothing")).toBeNull();
    expect(await store.reads.state("nothing", null)).toBe("no_run");
    expect(await store.reads.events("nothing", { after: 0, limit: 1 })).toBe("no_run");
    expect(await store.reads.runs({ ...nowhere, flow: "a\0" })).toEqual({ items: [], nextCursor: null });
    expect(await store.reads.flowVersionView("a\0", null)).toBeNull();
    expect(await store.requests.flowVersion("a\0", null)).toBeNull();
    expect(await store.requests.runHead("nothing")).toBeNull();
    expect(await store.requests.bundle("a\0")).toBeNull();
  });
});

test("L-52: an attempt that died is noted with its worker and the time it worked", async () => {
  const claim = await claimedLoop(store);
  await store.work.heartbeat([{ ...claim, activeMs: 700 }], 60_000);
  await pools.requests.query("update run set lease_until = now() - interval '1 s' where id = $1", [
    claim.runId,
  ]);
  await store.work.claim(claim, "worker-2", 60_000, 5);
  const { rows } = await pools.requests.query(
    `select token, loop, iteration, attempt, worker, active_ms, started_at <= last_heartbeat_at as ordered from attempt where run_id = $1`,
    [claim.runId],
  );
  expect(rows).toEqual([
    {
      token: claim.token,
      loop: LOOP,
      iteration: 1,
      attempt: 1,
      worker: "worker-1",
      active_ms: 700,
      ordered: true,
    },
  ]);
});

test("L-50: events can be read on from any number, also from within one write", async () => {
  const claim = await claimOf(store.work, await startedRun(store.requests));
  const told = (...types: string[]) =>
    store.work.appendEvents(
      claim,
      types.map((type) => ({ type })),
    );
  await told("a", "b", "c");
  await told("d");
  await told("e", "f");
  const from = async (after: number, limit: number) => {
    const page = await store.reads.events(claim.runId, { after, limit });
    return page === "no_run" ? [] : page.items.map(({ seq, type }) => `${seq}${type}`);
  };
  expect(await from(0, 100)).toEqual(["1a", "2b", "3c", "4d", "5e", "6f"]);
  expect(await from(1, 100)).toEqual(["2b", "3c", "4d", "5e", "6f"]);
  expect(await from(3, 100)).toEqual(["4d", "5e", "6f"]);
  expect(await from(5, 100)).toEqual(["6f"]);
  expect(await from(6, 100)).toEqual([]);
  expect((await from(1, 1))[0]).toBe("2b");
});
