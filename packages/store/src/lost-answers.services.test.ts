import type { Claim } from "@agentflow/engine";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createStore, type Store } from "./store.ts";
import { createDatabase, type TestDatabase } from "./testing/database.ts";
import { faultyPools, type FaultyPools } from "./testing/faulty-pools.ts";
import {
  LEASE_MS,
  LOOP,
  MAX_ATTEMPTS,
  claimOf,
  claimedLoop,
  commitOf,
  loopAt,
  startedRun,
} from "./testing/fixtures.ts";

let database: TestDatabase;
let faulty: FaultyPools;
let store: Store;
beforeAll(async () => {
  database = await createDatabase(inject("postgresUrl"));
  faulty = faultyPools(database.url);
  store = createStore(faulty.pools);
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

const events = async (runId: string) => {
  const page = await store.reads.events(runId, { after: 0, limit: 100 });
  return page === "no_run" ? [] : page.items.map(({ seq, type }) => `${seq} ${type}`);
};
const scope = { loop: LOOP, epoch: 0, iteration: 1 };
const step = { frame: "[]", node: "a", fingerprint: "f", outputs: new Map([["result", "x"]]), shown: false };

/** Every guarded write of a worker, as statement name and call; each tells one event. */
const writes: readonly (readonly [statement: string, write: (claim: Claim) => Promise<{ kind: string }>])[] =
  [
    ["append_events", (claim) => store.work.appendEvents(claim, [{ type: "told" }])],
    ["record_step", (claim) => store.work.recordStep(claim, scope, step, [{ type: "told" }])],
    ["begin_loop", (claim) => store.work.beginLoop(claim, loopAt(1), [{ type: "told" }])],
    ["reset_loop", (claim) => store.work.resetLoop(claim, loopAt(1, { epoch: 1 }), [{ type: "told" }])],
    [
      "commit_nested",
      (claim) =>
        store.work.commitNested({
          fence: claim,
          scope,
          ...loopAt(2),
          path: '[["again","body",1],"inner"]',
          entry: commitOf(claim, 1).entry,
          events: [{ type: "told" }],
        }),
    ],
    ["finish_run", (claim) => store.work.finishRun(claim, { status: "succeeded" }, [{ type: "told" }])],
  ];

describe("a write whose connection is lost", () => {
  test.each(writes)(
    "C3: %s is found to be stored when only its answer was lost, and is not written again",
    async (statement, write) => {
      const claim = await claimedLoop(store);
      faulty.loseAnswerOf(statement);
      expect(await write(claim)).toEqual({ kind: "stored" });
      expect(await events(claim.runId)).toEqual(["1 told"]);
    },
  );

  test.each(writes)("L-51: %s is sent again when it never arrived", async (statement, write) => {
    const claim = await claimedLoop(store);
    faulty.loseRequestOf(statement);
    expect(await write(claim)).toEqual({ kind: "stored" });
    expect(await events(claim.runId)).toEqual(["1 told"]);
  });

  test.each(writes)(
    "S-6: %s is stale, not stored, when its run was cancelled during the outage",
    async (statement, write) => {
      const claim = await claimedLoop(store);
      faulty.loseRequestOf(statement);
      const cancelled = store.requests.cancelRun(
        claim.runId,
        { actor: "a", remote: "r" },
        {
          code: "run_cancelled",
          message: "",
          node: null,
          iteration: null,
        },
      );
      await cancelled;
      expect(await write(claim)).toEqual({ kind: "stale" });
      expect(await events(claim.runId)).toEqual(["1 run-cancelled"]);
    },
  );
});

describe("a commit whose connection is lost", () => {
  test("C3, P-61: the iteration is committed once, and the worker goes on with the next token", async () => {
    const claim = await claimedLoop(store);
    faulty.loseAnswerOf("commit_iteration");
    expect(await store.work.commitIteration(commitOf(claim, 1))).toEqual({
      kind: "committed",
      token: claim.token + 1,
    });
    expect(await store.work.history(claim.runId, LOOP, 0)).toHaveLength(1);
    expect(await events(claim.runId)).toEqual(["1 while-iteration-done"]);
    const next = await claimOf(store.work, { runId: claim.runId, token: claim.token + 1 });
    expect(next).toMatchObject({ nextIteration: 2, attempt: 1, fresh: false });
  });

  test("C3: it is found although another worker has gone on meanwhile", async () => {
    const claim = await claimedLoop(store);
    faulty.loseAnswerOf("commit_iteration");
    const commit = store.work.commitIteration(commitOf(claim, 1));
    const other = createStore({ url: database.url, applicationName: "other", maxConnections: 1 });
    // Far within the first back-off, but either order must give the same.
    await other.work.claim(
      { runId: claim.runId, token: claim.token + 1 },
      "worker-2",
      LEASE_MS,
      MAX_ATTEMPTS,
    );
    await other.close();
    expect(await commit).toEqual({ kind: "committed", token: claim.token + 1 });
  });

  test("C3: the end of a run by a limit, which leaves no history row, is found too", async () => {
    const claim = await claimedLoop(store);
    faulty.loseAnswerOf("commit_iteration");
    const failure = { code: "loop_timeout", message: "", node: "again", iteration: 1 } as const;
    const checkpoint = loopAt(1, { status: "failed" }).checkpoint;
    const commit = commitOf(claim, 1, { checkpoint, entry: null, run: { status: "failed", failure } });
    expect(await store.work.commitIteration(commit)).toEqual({ kind: "committed", token: claim.token + 1 });
    expect(await store.reads.run(claim.runId)).toMatchObject({ status: "failed", failure });
  });

  test("S-6: it is stale when it never arrived and another worker took the run over", async () => {
    const claim = await claimedLoop(store);
    await faulty.pools.requests.query("update run set lease_until = now() - interval '1 s' where id = $1", [
      claim.runId,
    ]);
    await claimOf(store.work, claim);
    faulty.loseRequestOf("commit_iteration");
    expect(await store.work.commitIteration(commitOf(claim, 1))).toEqual({ kind: "stale" });
    expect(await store.work.history(claim.runId, LOOP, 0)).toEqual([]);
  });
});

describe("a claim whose connection is lost", () => {
  test("L-51: it is found when only its answer was lost: the outage uses up no attempt", async () => {
    const wake = await startedRun(store.requests);
    faulty.loseAnswerOf("claim");
    expect(await claimOf(store.work, wake)).toMatchObject({ token: wake.token + 1, attempt: 1 });
  });

  test("L-51: one over a dead attempt is found too, with the attempt counted once", async () => {
    const dead = await claimOf(store.work, await startedRun(store.requests));
    await faulty.pools.requests.query("update run set lease_until = now() - interval '1 s' where id = $1", [
      dead.runId,
    ]);
    faulty.loseAnswerOf("reclaim");
    expect(await claimOf(store.work, dead)).toMatchObject({ token: dead.token + 1, attempt: 2 });
    expect(await store.reads.run(dead.runId)).toMatchObject({ inDoubt: true, attempt: 2 });
  });

  test("S-27: a claim handed back with the answer lost is free for the next worker", async () => {
    const claim = await claimOf(store.work, await startedRun(store.requests));
    faulty.loseAnswerOf("hand_back");
    const wake = await store.work.handBack(claim, 5, { counted: false, delayMs: 0 });
    expect(wake).toEqual({ runId: claim.runId, token: claim.token + 1, delayMs: 0 });
    expect(await claimOf(store.work, { runId: claim.runId, token: claim.token + 1 })).toMatchObject({
      attempt: 1,
      priorMs: 5,
    });
  });
});
