import { describe, expect, test } from "vitest";
import {
  caller,
  cancelled,
  claimed,
  claimedLoop,
  claimedRun,
  commitOf,
  committed,
  leaseMs,
  parked,
  resumeOf,
  started,
} from "./fixtures.ts";
import type { GetStore } from "./harness.ts";

const YEAR_MS = 366 * 86_400_000;

/** The sweep that repairs lost wakes (S-9). Each test has a store of its own. */
export function sweepTests(get: GetStore): void {
  const swept = async (limit = 100) =>
    (await get().work.sweep(limit)).map(({ runId, token }) => ({ runId, token }));

  describe("sweep", () => {
    test("S-9, AC-60: a run whose first wake was lost is found once it is due, not before", async () => {
      const wake = await started(get());
      expect(await swept()).toEqual([]);
      await get().clockForward(5_000);
      const found = await get().work.sweep(100);
      expect(found).toEqual([{ runId: wake.runId, token: wake.token, delayMs: 0 }]);
      expect(await claimed(get(), found[0]!)).toMatchObject({ attempt: 1 });
    });

    test("A11, S-9: a sweep pushes what it found on and leaves the token alone", async () => {
      const wake = await started(get());
      await get().clockForward(5_000);
      expect(await swept()).toHaveLength(1);
      expect(await swept()).toEqual([]);
      await get().clockForward(30_000);
      expect(await swept()).toEqual([{ runId: wake.runId, token: wake.token }]);
    });

    test("S-9, AC-60: a wake lost between two iterations is found under the committed token", async () => {
      const claim = await claimedLoop(get());
      const token = await committed(get(), commitOf(claim, 1));
      await get().clockForward(5_000);
      expect(await swept()).toEqual([{ runId: claim.runId, token }]);
    });

    test("S-9: a held run is left alone; when its lease has run out it is found", async () => {
      const claim = await claimedRun(get());
      await get().clockForward(leaseMs - 20_000);
      expect(await swept()).toEqual([]);
      await get().work.heartbeat([{ ...claim, activeMs: 1 }], leaseMs);
      await get().clockForward(leaseMs - 20_000);
      expect(await swept()).toEqual([]);
      await get().clockForward(leaseMs);
      expect(await swept()).toEqual([{ runId: claim.runId, token: claim.token }]);
      expect(await claimed(get(), claim, "worker-2")).toMatchObject({ attempt: 2 });
    });

    test("S-27, L-51: a claim handed back is found if its wake was lost, after its delay", async () => {
      const claim = await claimedRun(get());
      const wake = await get().work.handBack(claim, 0, { counted: true, delayMs: 60_000 });
      await get().clockForward(40_000);
      expect(await swept()).toEqual([]);
      await get().clockForward(40_000);
      expect(await swept()).toEqual([{ runId: claim.runId, token: wake!.token }]);
    });

    test("S-12: parked and ended runs are never found", async () => {
      await parked(get());
      const ended = await claimedRun(get());
      await get().work.finishRun(ended, { status: "succeeded" }, []);
      await get().requests.cancelRun((await started(get())).runId, caller, cancelled);
      await get().clockForward(86_400_000);
      expect(await swept()).toEqual([]);
    });

    test("3.4: a resume at a time is given by the first sweep after it, once, without a job or a timer before", async () => {
      const { runId } = await parked(get());
      const keep = { buffer: false, until: "2999-01-01T00:00:00Z" };
      await get().requests.resumeRun(resumeOf(runId, { payload: '"late"', keep }));
      expect(await swept()).toEqual([]);
      await get().clockForward(1000 * YEAR_MS);
      const found = (await Promise.all([swept(), swept(), swept()])).flat();
      expect(found).toHaveLength(1);
      expect(await claimed(get(), found[0]!)).toMatchObject({ resumePayload: '"late"', nextIteration: 2 });
      expect((await get().events(runId)).map(({ type }) => type)).toEqual(["resume-kept", "run-resumed"]);
      expect(await get().reads.run(runId)).toMatchObject({ dueAt: null, keptResume: null });
    });

    test("S-9: the limit holds, and the next sweep finds the rest", async () => {
      const ids = [];
      for (let i = 0; i < 5; i += 1) ids.push((await started(get())).runId);
      await get().clockForward(5_000);
      const batches = [await swept(2), await swept(2), await swept(2)];
      expect(batches.map((batch) => batch.length)).toEqual([2, 2, 1]);
      expect(
        batches
          .flat()
          .map((wake) => wake.runId)
          .sort(),
      ).toEqual(ids.sort());
    });

    test("C22: sweeps at the same time never find the same run", async () => {
      const ids = [];
      for (let i = 0; i < 12; i += 1) ids.push((await started(get())).runId);
      await get().clockForward(5_000);
      const found = (await Promise.all([swept(), swept(), swept(), swept()]))
        .flat()
        .map((wake) => wake.runId);
      expect(new Set(found).size).toBe(found.length);
      const rest = (await swept()).map((wake) => wake.runId);
      expect([...found, ...rest].sort()).toEqual(ids.sort());
    });
  });
}
