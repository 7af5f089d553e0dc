import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { openPools, type Pools } from "./connection/pools.ts";
import { createStore, type Store } from "./store.ts";
import { createDatabase, type TestDatabase } from "./testing/database.ts";
import {
  LEASE_MS,
  LOOP,
  claimOf,
  claimedLoop,
  commitOf,
  loopAt,
  sha256,
  startedRun,
} from "./testing/fixtures.ts";
import { meetAtRun } from "./testing/meet-at-run.ts";

let database: TestDatabase;
let pools: Pools;
let store: Store;
beforeAll(async () => {
  database = await createDatabase(inject("postgresUrl"));
  pools = openPools({ url: database.url, applicationName: "races", maxConnections: 8 });
  store = createStore(pools);
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

const caller = { actor: "a", remote: "r" };
const cancelled = { code: "run_cancelled", message: "", node: null, iteration: null } as const;
const resumeOf = (runId: string) => ({
  id: crypto.randomUUID(),
  runId,
  payload: '{"a":1}',
  inputs: null,
  flowVersion: null,
  nextIteration: null,
  idempotencyKey: null,
  requestDigest: sha256("resume"),
  caller,
});
const parkingCommit = (claim: { runId: string; token: number }) =>
  commitOf(claim, 1, {
    checkpoint: loopAt(2, { status: "waiting", decision: "wait" }).checkpoint,
    run: { status: "waiting" },
  });

const inThisOrder = <T extends unknown[]>(
  runId: string,
  ...calls: { [K in keyof T]: () => Promise<T[K]> }
): Promise<T> => meetAtRun(database.url, pools, runId, ...calls);

/** Rows of these tables that a run left behind. */
async function leftOf(runId: string): Promise<readonly string[]> {
  const left: string[] = [];
  for (const table of ["checkpoint", "iteration", "step", "event", "log", "attempt"]) {
    const { rowCount } = await pools.requests.query(`select from ${table} where run_id = $1`, [runId]);
    if (rowCount !== 0) left.push(table);
  }
  return left;
}

const logOf = (text: string) => ({
  ...{ scope: { loop: "", epoch: 0, iteration: 0 }, frame: "[]", node: "a", attempt: 1, text },
});

describe("calls that meet at one run", () => {
  test("3.4: a delete finds what was written while it waited, and nothing is written behind it", async () => {
    const claim = await claimedLoop(store);
    await store.work.commitIteration(parkingCommit(claim));
    const [cancel, gone, again] = await inThisOrder<[unknown, unknown, unknown]>(
      claim.runId,
      () => store.requests.cancelRun(claim.runId, caller, cancelled),
      () => store.requests.deleteRun(claim.runId, caller),
      () => store.requests.resumeRun(resumeOf(claim.runId)),
    );
    expect([cancel, gone, again]).toMatchObject([
      { kind: "cancelled" },
      { kind: "deleted" },
      // Refused either way: by the status that the cancel left, or because the row is gone.
      { kind: expect.stringMatching(/^not_(found|waiting)$/) },
    ]);
    expect(await leftOf(claim.runId)).toEqual([]);
  });

  test("3.4: a log on its way is stored before the cancel and goes with the delete; a later one is stale", async () => {
    const claim = await claimedLoop(store);
    const [early] = await inThisOrder<[unknown, unknown, unknown]>(
      claim.runId,
      () => store.work.appendLog(claim, logOf("early")),
      () => store.requests.cancelRun(claim.runId, caller, cancelled),
      () => store.requests.deleteRun(claim.runId, caller),
    );
    expect(early).toEqual({ kind: "stored" });
    expect(await store.work.appendLog(claim, logOf("late"))).toEqual({ kind: "stale" });
    expect(await leftOf(claim.runId)).toEqual([]);
  });

  test("P-17, C19: a resume that arrives while the parking commit is on its way is honoured after it", async () => {
    const claim = await claimedLoop(store);
    const [commit, resume] = await inThisOrder<[unknown, { kind: string }]>(
      claim.runId,
      () => store.work.commitIteration(parkingCommit(claim)),
      () => store.requests.resumeRun(resumeOf(claim.runId)),
    );
    expect(commit).toMatchObject({ kind: "committed" });
    expect(resume).toMatchObject({ kind: "resumed" });
    expect(await store.reads.run(claim.runId)).toMatchObject({ status: "queued" });
  });

  test("P-17: a resume before the parking commit is refused, and the run parks", async () => {
    const claim = await claimedLoop(store);
    const [resume, commit] = await inThisOrder<[unknown, unknown]>(
      claim.runId,
      () => store.requests.resumeRun(resumeOf(claim.runId)),
      () => store.work.commitIteration(parkingCommit(claim)),
    );
    expect(resume).toMatchObject({ kind: "not_waiting", status: "running" });
    expect(commit).toMatchObject({ kind: "committed" });
    expect(await store.reads.run(claim.runId)).toMatchObject({ status: "waiting" });
  });

  test("P-28, S-6: a commit behind a cancel is stale; a cancel behind a commit stands", async () => {
    const first = await claimedLoop(store);
    const [, stale] = await inThisOrder<[unknown, unknown]>(
      first.runId,
      () => store.requests.cancelRun(first.runId, caller, cancelled),
      () => store.work.commitIteration(commitOf(first, 1)),
    );
    expect(stale).toEqual({ kind: "stale" });
    const second = await claimedLoop(store);
    const [committed, outcome] = await inThisOrder<[unknown, unknown]>(
      second.runId,
      () => store.work.commitIteration(commitOf(second, 1)),
      () => store.requests.cancelRun(second.runId, caller, cancelled),
    );
    expect(committed).toMatchObject({ kind: "committed" });
    expect(outcome).toEqual({ kind: "cancelled", executing: false });
    for (const { runId } of [first, second]) {
      expect(await store.reads.run(runId)).toMatchObject({ status: "cancelled" });
    }
  });

  test("C1: a late commit behind the claim of the next worker is stale, and the reverse", async () => {
    const late = await claimedLoop(store);
    await pools.requests.query("update run set lease_until = now() - interval '1 s' where id = $1", [
      late.runId,
    ]);
    const [claim, commit] = await inThisOrder<[{ token: number }, unknown]>(
      late.runId,
      () => claimOf(store.work, late),
      () => store.work.commitIteration(commitOf(late, 1)),
    );
    expect(commit).toEqual({ kind: "stale" });
    expect(await store.work.commitIteration(commitOf({ ...late, token: claim.token }, 1))).toMatchObject({
      kind: "committed",
    });
  });

  test("C1: a claim behind the commit of a worker whose lease is over finds its token gone", async () => {
    const slow = await claimedLoop(store);
    await pools.requests.query("update run set lease_until = now() - interval '1 s' where id = $1", [
      slow.runId,
    ]);
    const [commit, claim] = await inThisOrder<[unknown, unknown]>(
      slow.runId,
      () => store.work.commitIteration(commitOf(slow, 1)),
      () => store.work.claim(slow, "worker-2", LEASE_MS, 5),
    );
    expect(commit).toMatchObject({ kind: "committed" });
    expect(claim).toEqual({ kind: "stale" });
  });

  test("S-9: a claim that waited behind a heartbeat of the holder is told that the run is held", async () => {
    const holder = await claimOf(store.work, await startedRun(store.requests));
    await pools.requests.query("update run set lease_until = now() - interval '1 s' where id = $1", [
      holder.runId,
    ]);
    const [beats, claim] = await inThisOrder<[unknown, unknown]>(
      holder.runId,
      () => store.work.heartbeat([{ ...holder, activeMs: 5 }], LEASE_MS),
      () => store.work.claim(holder, "worker-2", LEASE_MS, 5),
    );
    expect(beats).toEqual(new Set([holder.runId]));
    expect(claim).toEqual({ kind: "held" });
  });
});

test("C22: two sweeps at once find every run once", async () => {
  const wakes = await Promise.all(Array.from({ length: 60 }, () => startedRun(store.requests)));
  await pools.requests.query(
    "update run set dispatch_after = now() - interval '1 s' where id = any($1::uuid[])",
    [wakes.map(({ runId }) => runId)],
  );
  const found = await Promise.all([store.work.sweep(50), store.work.sweep(50), store.work.sweep(50)]);
  const ours = found.flat().filter(({ runId }) => wakes.some((wake) => wake.runId === runId));
  expect(ours.map(({ runId }) => runId).toSorted()).toEqual(wakes.map(({ runId }) => runId).toSorted());
});

test("L-51: runs whose worker died wait from the second death on, twice as long each time, and not all for as long", async () => {
  const delaysAfter = async (deaths: number): Promise<number[]> => {
    const claims = await Promise.all(Array.from({ length: 40 }, () => claimedLoop(store)));
    await pools.requests.query(
      `update run set attempt = $2, lease_until = now() - interval '1 s', dispatch_after = now() - interval '1 s'
       where id = any($1::uuid[])`,
      [claims.map(({ runId }) => runId), deaths],
    );
    const wakes = (await store.work.sweep(200)).filter((wake) =>
      claims.some(({ runId }) => runId === wake.runId),
    );
    expect(wakes).toHaveLength(claims.length);
    return wakes.map(({ delayMs }) => delayMs);
  };
  expect(new Set(await delaysAfter(1))).toEqual(new Set([0]));
  for (const [deaths, longest] of [
    [2, 2000],
    [3, 4000],
    [4, 8000],
    [5, 8000],
    [100, 8000],
  ] as const) {
    const delays = await delaysAfter(deaths);
    expect(Math.max(...delays)).toBeLessThan(longest);
    expect(Math.max(...delays)).toBeGreaterThan(longest / 2);
    expect(Math.min(...delays)).toBeLessThan(longest / 2);
  }
});

test("C1: grouped claims and commits, heartbeats and cancels of the same runs never block each other for good", async () => {
  const claims = await Promise.all(Array.from({ length: 40 }, () => claimedLoop(store)));
  const beats = claims.map((claim) => ({ ...claim, activeMs: 1 }));
  const stopped = claims.filter((_, index) => index % 10 === 0);
  const alive = claims.filter((_, index) => index % 10 !== 0);
  const rounds = async (claim: (typeof claims)[number]) => {
    let fence = { runId: claim.runId, token: claim.token };
    for (let iteration = 1; iteration <= 20; iteration += 1) {
      const outcome = await store.work.commitIteration(commitOf(fence, iteration));
      if (outcome.kind !== "committed") return iteration;
      fence = await claimOf(store.work, { runId: claim.runId, token: outcome.token });
    }
    return 20;
  };
  const heart = (async () => {
    for (let beat = 0; beat < 30; beat += 1) await store.work.heartbeat(beats.toReversed(), LEASE_MS);
  })();
  const done = await Promise.all([
    ...alive.map(rounds),
    ...stopped.map(async ({ runId }) => void (await store.requests.cancelRun(runId, caller, cancelled))),
  ]);
  await heart;
  expect(done.filter((count) => count === 20)).toHaveLength(alive.length);
  for (const { runId } of alive) {
    const history = await store.work.history(runId, LOOP, 0);
    expect(history.map(({ iteration }) => iteration)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  }
  const { rows } = await pools.requests.query(
    "select deadlocks from pg_stat_database where datname = current_database()",
  );
  expect(rows).toEqual([{ deadlocks: 0 }]);
});
