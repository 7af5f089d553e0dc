import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { openPools, type Pools } from "./connection/pools.ts";
import { createStore, type Store } from "./store.ts";
import { createDatabase, type TestDatabase } from "./testing/database.ts";
import { claimOf, claimedLoop, commitOf, loopAt, sha256 } from "./testing/fixtures.ts";
import { meetAtRun } from "./testing/meet-at-run.ts";

let database: TestDatabase;
let pools: Pools;
let store: Store;
beforeAll(async () => {
  database = await createDatabase(inject("postgresUrl"));
  pools = openPools({ url: database.url, applicationName: "kept resumes", maxConnections: 8 });
  store = createStore(pools);
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

const resumeOf = (runId: string) => ({
  ...{
    id: crypto.randomUUID(),
    runId,
    payload: '{"a":1}',
    inputs: null,
    flowVersion: null,
    nextIteration: null,
  },
  ...{ idempotencyKey: null, requestDigest: sha256("resume"), caller: { actor: "a", remote: "r" } },
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

describe("resumes that are kept", () => {
  test("P-17, C19: a buffered resume before the parking commit is met by it, and one behind it resumes", async () => {
    const early = { keep: { buffer: true, until: null } };
    const first = await claimedLoop(store);
    const before = await inThisOrder<[unknown, unknown]>(
      first.runId,
      () => store.requests.resumeRun({ ...early, ...resumeOf(first.runId) }),
      () => store.work.commitIteration(parkingCommit(first)),
    );
    expect(before).toMatchObject([{ kind: "kept" }, { kind: "committed" }]);
    const second = await claimedLoop(store);
    const behind = await inThisOrder<[unknown, unknown]>(
      second.runId,
      () => store.work.commitIteration(parkingCommit(second)),
      () => store.requests.resumeRun({ ...early, ...resumeOf(second.runId) }),
    );
    expect(behind).toMatchObject([{ kind: "committed" }, { kind: "resumed" }]);
    for (const { runId } of [first, second]) {
      expect(await store.reads.run(runId)).toMatchObject({ status: "queued", keptResume: null });
      const wake = await store.work.wakeOfKeptResume(runId);
      expect(await claimOf(store.work, wake!)).toMatchObject({ resumePayload: '{"a":1}', nextIteration: 2 });
    }
  });

  test("3.4, C22: a resume that is due and one that is called meet, and only the first to come counts", async () => {
    for (const dueFirst of [true, false]) {
      const claim = await claimedLoop(store);
      await store.work.commitIteration(parkingCommit(claim));
      const { runId } = claim;
      const keep = { buffer: false, until: "2999-01-01T00:00:00Z" };
      await store.requests.resumeRun({ ...resumeOf(runId), payload: '"due"', keep });
      await pools.side.query("update kept_resume set until = now() where run_id = $1", [runId]);
      const due = () =>
        pools.side.query("select give_kept_resume(id) from (select id from run where id = $1 for update) r", [
          runId,
        ]);
      const called = () => store.requests.resumeRun(resumeOf(runId));
      await inThisOrder<[unknown, unknown]>(runId, ...(dueFirst ? [due, called] : [called, due]));
      const wake = await store.work.wakeOfKeptResume(runId);
      const { resumePayload } = await claimOf(store.work, wake!);
      expect(resumePayload).toBe(dueFirst ? '"due"' : '{"a":1}');
      const { items } = (await store.reads.events(runId, { after: 0, limit: 10 })) as {
        items: { type: string }[];
      };
      expect(items.filter(({ type }) => type === "run-resumed")).toHaveLength(1);
    }
  });
});
