import { describe, expect, test } from "vitest";
import type { IterationCommit } from "../../ports/work.ts";
import {
  checkpointOf,
  claimed,
  claimedLoop,
  commitOf,
  committed,
  leaseMs,
  loopPath,
  maxAttempts,
  parked,
  resumeOf,
  stepOf,
  wakeIn,
} from "./fixtures.ts";
import type { GetStore } from "./harness.ts";

const MINUTE_MS = 60_000;
const scope = { loop: loopPath, epoch: 0, iteration: 1 };

/** What a failed attempt of iteration 1 commits when another one follows (O-3). */
const retryOf = (given: Partial<IterationCommit> = {}): Partial<IterationCommit> => ({
  checkpoint: checkpointOf({ tries: 1, elapsedMs: MINUTE_MS }),
  stateChanged: false,
  entry: null,
  pauseMs: MINUTE_MS,
  priorMs: 70,
  ...given,
});

/** Pauses between iterations and attempts (O-1, O-3). Each test has a store of its own. */
export function pauseTests(get: GetStore): void {
  const swept = async () => (await get().work.sweep(100)).map(({ runId }) => runId);

  describe("pauses", () => {
    test("O-1, S-9: a pause is the run's due time: no claim and no sweep before it, both after it", async () => {
      const { runId, token: held } = await claimedLoop(get());
      const token = await committed(get(), commitOf({ runId, token: held }, 1, { pauseMs: MINUTE_MS }));
      const view = await get().reads.run(runId);
      expect(view).toMatchObject({ status: "running", leaseOwner: null });
      expect(Date.parse(view?.dueAt ?? "") - Date.parse(view?.updatedAt ?? "")).toBe(MINUTE_MS);
      expect(await get().work.claim({ runId, token }, "worker-1", leaseMs, maxAttempts)).toEqual({
        kind: "held",
      });
      await get().clockForward(MINUTE_MS / 2);
      expect(await swept()).toEqual([]);
      await get().clockForward(MINUTE_MS);
      expect(await swept()).toEqual([runId]);
      expect(await claimed(get(), { runId, token })).toMatchObject({ nextIteration: 2, attempt: 1 });
      expect((await get().reads.run(runId))?.dueAt).toBeNull();
    });

    test("O-1: a pause of nothing is none, and the next iteration may be claimed at once", async () => {
      const claim = await claimedLoop(get());
      const token = await committed(get(), commitOf(claim, 1, { pauseMs: 0 }));
      expect((await get().reads.run(claim.runId))?.dueAt).toBeNull();
      expect(await claimed(get(), { runId: claim.runId, token })).toMatchObject({ nextIteration: 2 });
    });

    test("O-1: a run that pauses is explained by its due time, and is not stuck", async () => {
      const claim = await claimedLoop(get());
      await committed(get(), commitOf(claim, 1, { pauseMs: 60 * MINUTE_MS }));
      await get().clockForward(30 * MINUTE_MS);
      const { dueAt } = (await get().reads.run(claim.runId)) ?? {};
      expect(await get().reads.standing(claim.runId)).toMatchObject({ dueAt, overdue: false, leased: false });
    });

    test("O-3, L-34, L-51: another attempt keeps iteration, history and steps, gets the time of the one before, and counts from 1", async () => {
      const claim = await claimedLoop(get());
      await get().work.recordStep(claim, scope, stepOf("judge"), []);
      const token = await committed(get(), commitOf(claim, 1, retryOf()));
      await get().clockForward(2 * MINUTE_MS);
      const again = await claimed(get(), { runId: claim.runId, token });
      expect(again).toMatchObject({ nextIteration: 1, attempt: 1, priorMs: 70, fresh: false });
      expect(await get().work.history(claim.runId, loopPath, 0)).toEqual([]);
      expect((await get().work.steps(claim.runId, scope)).map(({ node }) => node)).toEqual(["judge"]);
      expect((await get().work.checkpoint(claim.runId, loopPath))?.checkpoint).toMatchObject({
        ...{ tries: 1, elapsedMs: MINUTE_MS, nextIteration: 1 },
      });
      const next = await committed(get(), commitOf(again, 1));
      expect(await claimed(get(), { runId: claim.runId, token: next })).toMatchObject({ priorMs: 0 });
      expect(await get().work.steps(claim.runId, scope)).toEqual([]);
    });

    test("O-3, L-40: another attempt sees the payload of the resume", async () => {
      const { runId } = await parked(get());
      const resumed = await get().requests.resumeRun(resumeOf(runId, { payload: '{"yes":1}' }));
      const claim = await claimed(get(), wakeIn(resumed));
      const checkpoint = checkpointOf({ tries: 1, nextIteration: 2, decision: "wait" });
      const token = await committed(get(), commitOf(claim, 2, retryOf({ checkpoint, pauseMs: 0 })));
      expect(await claimed(get(), { runId, token })).toMatchObject({ resumePayload: '{"yes":1}' });
    });

    test("O-2, O-6: counts, errors and what a form keeps are stored with the iteration, the last one only when it changed", async () => {
      const claim = await claimedLoop(get());
      const counts = { succeeded: 0, failed: 1, paced: 1, tries: 0, last: '{"b":-0}' };
      const commit = commitOf(claim, 1, { lastChanged: true });
      const error = { code: "exit_nonzero", message: "1", node: "loop", iteration: 1 } as const;
      const token = await committed(get(), {
        ...commit,
        checkpoint: { ...commit.checkpoint, ...counts },
        entry: { ...commit.entry!, error },
      });
      const read = async () => (await get().work.checkpoint(claim.runId, loopPath))?.checkpoint;
      expect(await read()).toMatchObject(counts);
      expect((await get().work.history(claim.runId, loopPath, 0))[0]?.error).toEqual(error);
      await committed(get(), commitOf(await claimed(get(), { runId: claim.runId, token }), 2));
      expect(await read()).toMatchObject({ succeeded: 0, failed: 0, last: '{"b":-0}' });
    });
  });
}
