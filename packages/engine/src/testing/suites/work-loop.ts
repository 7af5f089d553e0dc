import { describe, expect, test } from "vitest";
import {
  checkpointOf,
  claimed,
  claimedLoop,
  claimedRun,
  commitOf,
  committed,
  entryOf,
  exactTexts,
  iterated,
  leaseMs,
  loopOf,
  loopPath,
  parked,
  resumeOf,
  wakeIn,
} from "./fixtures.ts";
import type { GetStore } from "./harness.ts";

/** The captured start of a loop and its resets (L-21, L-41, L-44). */
export function loopTests(get: GetStore): void {
  describe("beginning a loop", () => {
    test("L-42: before a loop begins it has no checkpoint and no history, and the run no position", async () => {
      const claim = await claimedRun(get());
      expect(await get().work.checkpoint(claim.runId, loopPath)).toBeNull();
      expect(await get().work.history(claim.runId, loopPath, 0)).toEqual([]);
      expect(claim.loop).toBeNull();
    });

    test("L-21: the captured start is stored whole and becomes the run's position", async () => {
      const claim = await claimedRun(get());
      const loop = loopOf({ maxIterations: 1_000_000, fingerprint: "" }, loopPath, "Wieder & wieder é");
      expect(await get().work.beginLoop(claim, loop, [])).toEqual({ kind: "stored" });
      expect(await get().work.checkpoint(claim.runId, loopPath)).toEqual(loop);
      await get().clockForward(leaseMs + 1_000);
      expect(await claimed(get(), claim)).toMatchObject({ loop: loopPath, nextIteration: 1 });
    });

    test.each(exactTexts)("L-46, AC-31, C14: a state with %s is kept to the byte", async (_what, state) => {
      const claim = await claimedLoop(get(), { state });
      expect((await get().work.checkpoint(claim.runId, loopPath))?.checkpoint.state).toBe(state);
      expect(await get().reads.state(claim.runId, null)).toEqual({ text: state });
    });

    test("L-31, AC-26: a state of exactly 1 MiB is kept", async () => {
      const state = `"${"é".repeat(524_287)}"`;
      expect(new TextEncoder().encode(state)).toHaveLength(1_048_576);
      const claim = await claimedLoop(get(), { state });
      expect((await get().work.checkpoint(claim.runId, loopPath))?.checkpoint.state === state).toBe(true);
    });

    test("P-11, L-8: durations beyond 32 bits are kept", async () => {
      const claim = await claimedLoop(get(), { timeoutMs: 2_592_000_000, elapsedMs: 2_591_999_999 });
      expect((await get().work.checkpoint(claim.runId, loopPath))?.checkpoint).toMatchObject({
        timeoutMs: 2_592_000_000,
        elapsedMs: 2_591_999_999,
      });
    });

    test("L-42: a checkpoint of an unknown schema is handed out as it is, for the reader to judge", async () => {
      const claim = await claimedLoop(get(), { schema: 99, stateDigest: "", summary: "s" });
      expect((await get().work.checkpoint(claim.runId, loopPath))?.checkpoint).toEqual(
        checkpointOf({ schema: 99, stateDigest: "", summary: "s" }),
      );
    });

    test("L-35: active time before the loop is not charged to the loop", async () => {
      const claim = await claimedRun(get());
      await get().work.heartbeat([{ ...claim, activeMs: 500 }], leaseMs);
      await get().clockForward(leaseMs + 1_000);
      const second = await claimed(get(), claim);
      expect(second.priorMs).toBe(500);
      await get().work.heartbeat([{ ...second, activeMs: 70 }], leaseMs);
      await get().work.beginLoop(second, loopOf(), []);
      await get().clockForward(leaseMs + 1_000);
      expect((await claimed(get(), second)).priorMs).toBe(0);
    });

    test("F-9: a second loop takes the position over and the first one's checkpoint stays", async () => {
      const claim = await claimedLoop(get());
      const token = await committed(get(), commitOf(claim, 1));
      const next = await claimed(get(), { runId: claim.runId, token });
      const second = loopOf({ state: '"second"' }, '["other"]', "Other");
      expect(await get().work.beginLoop(next, second, [])).toEqual({ kind: "stored" });
      const commit = commitOf(next, 1, {
        path: '["other"]',
        checkpoint: checkpointOf({ state: '"two"', nextIteration: 2 }),
      });
      const later = await claimed(get(), { runId: claim.runId, token: await committed(get(), commit) });
      expect(later).toMatchObject({ loop: '["other"]', nextIteration: 2 });
      expect((await get().work.checkpoint(claim.runId, loopPath))?.checkpoint.state).toBe('{"n":1}');
      expect((await get().work.checkpoint(claim.runId, '["other"]'))?.checkpoint.state).toBe('"two"');
    });
  });

  describe("resetting a loop", () => {
    test("L-41, L-44: a reset starts a new epoch at iteration 1; abandoned rounds stay under theirs", async () => {
      const { runId } = await parked(get());
      const claim = await claimed(
        get(),
        wakeIn(await get().requests.resumeRun(resumeOf(runId, { inputs: '{"n":10}' }))),
      );
      const fresh = loopOf({ epoch: 1, state: '{"n":10}', fingerprint: "other" }, loopPath, "Renamed");
      expect(await get().work.resetLoop(claim, fresh, [{ type: "loop-reset" }])).toEqual({ kind: "stored" });
      expect(await get().work.checkpoint(runId, loopPath)).toEqual(fresh);
      expect(await get().work.history(runId, loopPath, 1)).toEqual([]);
      expect(await get().work.history(runId, loopPath, 0)).toEqual([entryOf(1, { decision: "wait" })]);

      const commit = commitOf(claim, 1, {
        checkpoint: checkpointOf({ epoch: 1, nextIteration: 2 }),
        entry: entryOf(1, { summary: "anew" }),
      });
      const next = await claimed(get(), { runId, token: await committed(get(), commit) });
      expect(next).toMatchObject({ loop: loopPath, nextIteration: 2 });
      expect(await get().work.history(runId, loopPath, 1)).toEqual([entryOf(1, { summary: "anew" })]);
      expect(await get().work.history(runId, loopPath, 0)).toHaveLength(1);
    });

    test("L-44, L-35: the new epoch inherits no active time and no attempts", async () => {
      const first = await claimedLoop(get());
      const second = await claimed(get(), { runId: first.runId, token: await iterated(get(), first, 2) });
      await get().work.heartbeat([{ ...second, activeMs: 800 }], leaseMs);
      await get().clockForward(leaseMs + 1_000);
      const third = await claimed(get(), second);
      await get().work.resetLoop(third, loopOf({ epoch: 1 }), []);
      await get().clockForward(leaseMs + 1_000);
      expect(await claimed(get(), third)).toMatchObject({ priorMs: 0, attempt: 2, nextIteration: 1 });
    });
  });
}
