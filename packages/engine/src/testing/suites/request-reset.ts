import { describe, expect, test } from "vitest";
import type { Failure } from "@agentflow/core";
import type { Claim } from "../../ports/work.ts";
import {
  caller,
  checkpointOf,
  claimed,
  claimedLoop,
  commitOf,
  committed,
  entryOf,
  eventsOf,
  loopOf,
  loopPath,
  newId,
  parked,
  resumeOf,
  stepOf,
  wakeIn,
} from "./fixtures.ts";
import type { GetStore, StoreUnderTest } from "./harness.ts";

const corrupt: Failure = {
  code: "checkpoint_corrupt",
  message: "the state does not match its digest",
  node: "again",
  iteration: null,
};

/** A run that failed with `checkpoint_corrupt` when it was resumed after iteration 1. */
async function corrupted(store: StoreUnderTest): Promise<Claim> {
  const { runId } = await parked(store);
  const claim = await claimed(
    store,
    wakeIn(await store.requests.resumeRun(resumeOf(runId, { payload: "1" }))),
  );
  await store.work.finishRun(claim, { status: "failed", failure: corrupt }, eventsOf("run-failed"));
  return claim;
}

/** Resetting runs whose checkpoint cannot be trusted (L-33, L-42, L-44). */
export function resetTests(get: GetStore): void {
  const reset = (runId: string) => get().requests.resetRun(runId, loopPath, caller);

  describe("resetting a run", () => {
    test("L-33, L-42: a run with a corrupt checkpoint is queued again, audited, and its claim says which loop starts over", async () => {
      const { runId } = await corrupted(get());
      const outcome = await reset(runId);
      expect(outcome).toEqual({ kind: "reset", wake: { runId, token: expect.any(Number), delayMs: 0 } });
      const view = await get().reads.run(runId);
      expect(view).toMatchObject({ status: "queued", failure: null, finishedAt: null });
      expect(await get().audits(runId)).toContainEqual({ action: "reset", ...caller, payload: null });
      expect((await get().events(runId)).at(-1)).toMatchObject({ type: "run-reset", loop: loopPath });
      const claim = await claimed(get(), wakeIn(outcome));
      expect(claim).toMatchObject({ reset: loopPath, fresh: true, attempt: 1, resumePayload: null });
    });

    test("L-44: the loop starts in an epoch without rows; the old history stays, and later claims reset nothing", async () => {
      const { runId } = await corrupted(get());
      const claim = await claimed(get(), wakeIn(await reset(runId)));
      const old = await get().work.checkpoint(runId, loopPath);
      const epoch = (old?.checkpoint.epoch ?? 0) + 1;
      expect(epoch).toBe(1);
      await get().work.resetLoop(claim, loopOf({ epoch }), eventsOf("loop-reset"));
      expect(await get().work.history(runId, loopPath, 0)).toEqual([entryOf(1, { decision: "wait" })]);
      const token = await committed(
        get(),
        commitOf(claim, 1, { checkpoint: checkpointOf({ epoch, nextIteration: 2 }) }),
      );
      expect(await claimed(get(), { runId, token })).toMatchObject({ reset: null, nextIteration: 2 });
    });

    test("L-42: an epoch that was tampered with does not lead into rows that exist", async () => {
      for (const epoch of [-5, 2_000_000_000]) {
        const claim = await claimedLoop(get(), { epoch: 3 });
        const token = await committed(
          get(),
          commitOf(claim, 1, { checkpoint: checkpointOf({ epoch: 3, nextIteration: 2 }) }),
        );
        const next = await claimed(get(), { runId: claim.runId, token });
        await get().work.beginLoop(next, loopOf({ epoch, nextIteration: 2 }), []);
        await get().work.finishRun(next, { status: "failed", failure: corrupt }, []);
        await reset(claim.runId);
        expect((await get().work.checkpoint(claim.runId, loopPath))?.checkpoint.epoch).toBe(3);
      }
    });

    test("L-33: a run that is anything else cannot be reset, and stays as it is", async () => {
      const waiting = await parked(get());
      expect(await reset(waiting.runId)).toEqual({ kind: "refused", status: "waiting" });
      const claim = await claimedLoop(get());
      expect(await reset(claim.runId)).toEqual({ kind: "refused", status: "running" });
      await get().work.finishRun(
        claim,
        { status: "failed", failure: { ...corrupt, code: "exit_nonzero" } },
        [],
      );
      expect(await reset(claim.runId)).toEqual({ kind: "refused", status: "failed" });
      expect(await get().audits(claim.runId)).toEqual([]);
      expect(await reset(newId())).toEqual({ kind: "not_found" });
    });

    test("P-19: of 10 resets at once one resets", async () => {
      const { runId } = await corrupted(get());
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => reset(runId)));
      expect(outcomes.filter(({ kind }) => kind === "reset")).toHaveLength(1);
      expect((await get().audits(runId)).filter(({ action }) => action === "reset")).toHaveLength(1);
    });

    test("L-42: steps that a corrupt epoch left behind are not used by the new one", async () => {
      const { runId } = await corrupted(get());
      const claim = await claimed(get(), wakeIn(await reset(runId)));
      const scope = { loop: loopPath, epoch: 1, iteration: 1 };
      await get().work.resetLoop(claim, loopOf({ epoch: 1 }), []);
      expect(await get().work.steps(runId, scope)).toEqual([]);
      await get().work.recordStep(claim, scope, stepOf("a"), []);
      expect(await get().work.steps(runId, scope)).toEqual([stepOf("a")]);
    });
  });
}
