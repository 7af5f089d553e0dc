import { describe, expect, test } from "vitest";
import { FORKED_SCHEMA } from "../../ports/timeline.ts";
import type { NewFork } from "../../ports/timeline.ts";
import {
  caller,
  checkpointOf,
  claimed,
  claimedLoop,
  commitOf,
  committed,
  digestOf,
  entryOf,
  eventsOf,
  iterated,
  loopOf,
  loopPath,
  newId,
  newRun,
  parentScope,
  stepOf,
  wakeIn,
} from "./fixtures.ts";
import type { GetStore, StoreUnderTest } from "./harness.ts";

const EARLIER = '["earlier"]';

/** A fork of a run's loop after an iteration. */
async function forkOf(
  store: StoreUnderTest,
  runId: string,
  iteration: number,
  given: Partial<NewFork> = {},
): Promise<NewFork> {
  const checkpoint = checkpointOf({
    ...{ schema: FORKED_SCHEMA, fingerprint: "", state: '{"patched":1.0}', nextIteration: iteration + 1 },
  });
  return {
    run: await newRun(store, { events: eventsOf("run-forked"), tags: ["t"], inputs: '{"a":1.0}' }),
    origin: { runId, path: loopPath, epoch: 0, iteration },
    label: "Again",
    checkpoint,
    loopsBefore: [],
    nodesBefore: [],
    caller,
    ...given,
  };
}

/** Forking runs (3.4). */
export function forkTests(get: GetStore): void {
  describe("forking a run", () => {
    test("OP-7: a fork stands after the iteration, with the history up to it, and the other run does not change", async () => {
      const claim = await claimedLoop(get());
      await iterated(get(), claim, 4);
      const before = await get().reads.run(claim.runId);
      const fork = await forkOf(get(), claim.runId, 3);
      const outcome = await get().requests.forkRun(fork);
      expect(outcome).toEqual({
        kind: "created",
        wake: { runId: fork.run.id, token: expect.any(Number), delayMs: 0 },
      });
      expect(await get().reads.run(claim.runId)).toEqual(before);
      expect(await get().reads.run(fork.run.id)).toMatchObject({
        ...{ status: "queued", tags: ["t"], inputs: '{"a":1.0}', rerunOf: null },
        forkedFrom: { runId: claim.runId, loop: loopPath, iteration: 3 },
        loops: [{ path: loopPath, label: "Again", iterations: 3, nextIteration: 4 }],
      });
      expect(await get().work.checkpoint(fork.run.id, loopPath)).toEqual({
        ...{ path: loopPath, label: "Again", inherited: 3, checkpoint: { ...fork.checkpoint, succeeded: 3 } },
      });
      expect(await get().work.history(fork.run.id, loopPath, 0)).toEqual([1, 2, 3].map((n) => entryOf(n)));
      expect((await get().events(fork.run.id)).map(({ type }) => type)).toEqual(["run-forked"]);
      expect(await get().audits(claim.runId)).toEqual([{ action: "fork", ...caller, payload: null }]);
      const next = await claimed(get(), wakeIn(outcome));
      expect(next).toMatchObject({ fresh: true, loop: null, attempt: 1 });
    });

    test("OP-7: what a worker makes of a fork's start keeps what it inherited; a reset gives it up", async () => {
      const claim = await claimedLoop(get());
      await iterated(get(), claim, 2);
      const fork = await forkOf(get(), claim.runId, 2);
      const next = await claimed(get(), wakeIn(await get().requests.forkRun(fork)));
      const own = loopOf({ ...fork.checkpoint, schema: 1, fingerprint: digestOf("own") });
      await get().work.beginLoop(next, own, []);
      expect(await get().work.checkpoint(next.runId, loopPath)).toEqual({ ...own, inherited: 2 });
      await committed(get(), commitOf(next, 3));
      expect(await get().work.history(next.runId, loopPath, 0)).toEqual([1, 2, 3].map((n) => entryOf(n)));
      expect(await get().work.history(claim.runId, loopPath, 0)).toHaveLength(2);
    });

    test("OP-7, L-44: a loop that starts over in a new epoch has inherited nothing", async () => {
      const claim = await claimedLoop(get());
      await iterated(get(), claim, 2);
      const fork = await forkOf(get(), claim.runId, 2);
      const next = await claimed(get(), wakeIn(await get().requests.forkRun(fork)));
      const fresh = loopOf({ epoch: 1 });
      await get().work.resetLoop(next, fresh, []);
      expect(await get().work.checkpoint(next.runId, loopPath)).toEqual(fresh);
    });

    test("OP-7: loops and finished steps before it are taken over, those after it are not", async () => {
      const claim = await claimedLoop(get());
      await get().work.recordStep(claim, parentScope, stepOf("before", { shown: true }), []);
      await get().work.recordStep(claim, parentScope, stepOf("after", { shown: true }), []);
      const earlier = loopOf({ status: "done", nextIteration: 2, decision: "done" }, EARLIER, "Earlier");
      const nested = { fence: claim, path: EARLIER, label: "Earlier", scope: parentScope, events: [] };
      await get().work.commitNested({
        ...nested,
        checkpoint: earlier.checkpoint,
        entry: entryOf(1, { decision: "done" }),
      });
      await iterated(get(), claim, 1);
      const fork = await forkOf(get(), claim.runId, 1, { nodesBefore: ["before"], loopsBefore: [EARLIER] });
      expect(await get().requests.forkRun(fork)).toMatchObject({ kind: "created" });
      const steps = await get().work.steps(fork.run.id, parentScope);
      expect(steps).toEqual([stepOf("before", { shown: true })]);
      expect(await get().work.checkpoint(fork.run.id, EARLIER)).toEqual({ ...earlier, inherited: 1 });
      expect(await get().work.history(fork.run.id, EARLIER, 0)).toEqual([entryOf(1, { decision: "done" })]);
    });

    test("OP-7: without the whole history up to the iteration nothing is stored", async () => {
      const claim = await claimedLoop(get());
      await iterated(get(), claim, 2);
      for (const fork of [await forkOf(get(), claim.runId, 3), await forkOf(get(), newId(), 0)]) {
        expect(await get().requests.forkRun(fork)).toEqual({ kind: "origin_gone" });
        expect(await get().reads.run(fork.run.id)).toBeNull();
      }
    });

    test("P-58: of ten forks with one Idempotency-Key at once one creates the run and all name it", async () => {
      const claim = await claimedLoop(get());
      await iterated(get(), claim, 2);
      const fork = await forkOf(get(), claim.runId, 1);
      const run = { ...fork.run, idempotencyKey: `key-${newId()}` };
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, () => get().requests.forkRun({ ...fork, run: { ...run, id: newId() } })),
      );
      expect(outcomes.filter(({ kind }) => kind === "created")).toHaveLength(1);
      expect(outcomes.filter(({ kind }) => kind === "existing")).toHaveLength(9);
      const other = { ...fork, run: { ...run, id: newId(), requestDigest: digestOf("other") } };
      expect(await get().requests.forkRun(other)).toMatchObject({ kind: "conflict" });
    });
  });
}
