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
  loopPath,
  maxAttempts,
  newId,
  parked,
  resumeOf,
  started,
  wakeIn,
} from "./fixtures.ts";
import type { GetStore } from "./harness.ts";

/** Cancelling runs: at once, whoever holds them (P-27, P-28, P-30). */
export function cancelTests(get: GetStore): void {
  const cancel = (runId: string) => get().requests.cancelRun(runId, caller, cancelled);
  const idle = { kind: "cancelled", executing: false };

  async function expectCancelled(runId: string): Promise<void> {
    const view = await get().reads.run(runId);
    expect(view).toMatchObject({ status: "cancelled", leaseOwner: null, finishedAt: expect.any(String) });
    expect(view?.failure).toEqual(cancelled);
    expect((await get().events(runId)).at(-1)).toMatchObject({ type: "run-cancelled" });
    expect(await get().audits(runId)).toContainEqual({ action: "cancel", ...caller, payload: null });
  }

  describe("cancelling a run", () => {
    test("P-30: a run nobody has claimed yet is cancelled, and its queued job finds that", async () => {
      const wake = await started(get());
      expect(await cancel(wake.runId)).toEqual(idle);
      await expectCancelled(wake.runId);
      expect(await get().work.claim(wake, "worker-1", leaseMs, maxAttempts)).toEqual({ kind: "stale" });
    });

    test("P-28, AC-87: a run at work is cancelled at once; its worker loses the claim and the checkpoint stays readable", async () => {
      const claim = await claimedLoop(get());
      expect(await cancel(claim.runId)).toEqual({ kind: "cancelled", executing: true });
      await expectCancelled(claim.runId);
      expect(await get().work.heartbeat([{ ...claim, activeMs: 1 }], leaseMs)).toEqual(new Set());
      expect(await get().reads.state(claim.runId, loopPath)).toEqual({ text: '{"n":0}' });
    });

    test("P-28: between two iterations, and after a worker's death, nothing is executing", async () => {
      const between = await claimedLoop(get());
      const token = await committed(get(), commitOf(between, 1));
      expect(await cancel(between.runId)).toEqual(idle);
      await expectCancelled(between.runId);
      expect(
        await get().work.claim({ runId: between.runId, token }, "worker-1", leaseMs, maxAttempts),
      ).toEqual({ kind: "stale" });

      const dead = await claimedRun(get());
      await get().clockForward(leaseMs + 1_000);
      expect(await cancel(dead.runId)).toEqual(idle);
      await expectCancelled(dead.runId);
    });

    test("P-27: a parked run is cancelled without any worker, cannot be resumed, and a second cancel changes nothing", async () => {
      const { runId } = await parked(get());
      expect(await cancel(runId)).toEqual(idle);
      await expectCancelled(runId);
      const before = {
        view: await get().reads.run(runId),
        events: await get().events(runId),
        audits: await get().audits(runId),
      };
      expect(await get().requests.resumeRun(resumeOf(runId))).toEqual({
        kind: "not_waiting",
        status: "cancelled",
        nextIteration: 2,
      });
      expect(await cancel(runId)).toEqual({ kind: "already_cancelled" });
      expect({
        view: await get().reads.run(runId),
        events: await get().events(runId),
        audits: await get().audits(runId),
      }).toEqual(before);
    });

    test("L-33: an ended run is told as it ended; an unknown one is not found", async () => {
      const claim = await claimedRun(get());
      await get().work.finishRun(claim, { status: "succeeded" }, []);
      expect(await cancel(claim.runId)).toEqual({ kind: "ended", status: "succeeded" });
      expect(await get().audits(claim.runId)).toEqual([]);
      expect(await cancel(newId())).toEqual({ kind: "not_found" });
    });

    test("P-27: of 20 cancels at once one cancels", async () => {
      const claim = await claimedRun(get());
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => cancel(claim.runId)));
      expect(outcomes.filter((outcome) => outcome.kind === "cancelled")).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome.kind === "already_cancelled")).toHaveLength(19);
      expect(await get().events(claim.runId)).toHaveLength(1);
    });

    test("P-28: a cancel beside a resume or a commit always ends in cancelled", async () => {
      const { runId } = await parked(get());
      const [resumed, first] = await Promise.all([get().requests.resumeRun(resumeOf(runId)), cancel(runId)]);
      expect(first.kind).toBe("cancelled");
      await expectCancelled(runId);
      if (resumed.kind === "resumed")
        expect(await get().work.claim(wakeIn(resumed), "w", leaseMs, maxAttempts)).toEqual({ kind: "stale" });

      const claim = await claimed(get(), await started(get()));
      const [, second] = await Promise.all([
        get().work.appendEvents(claim, [{ type: "x" }]),
        cancel(claim.runId),
      ]);
      expect(second.kind).toBe("cancelled");
      await expectCancelled(claim.runId);
    });
  });
}
