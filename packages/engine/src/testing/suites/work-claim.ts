import { describe, expect, test } from "vitest";
import {
  claimed,
  claimedLoop,
  claimedRun,
  commitOf,
  committed,
  eventsOf,
  leaseMs,
  maxAttempts,
  newId,
  newRun,
  parked,
  resumeOf,
  started,
  stepOf,
  parentScope,
  wakeIn,
} from "./fixtures.ts";
import type { GetStore } from "./harness.ts";

/** Who may work on a run, and what a claim hands out (S-5, S-6). */
export function claimTests(get: GetStore): void {
  describe("claim", () => {
    test("S-6: a claim takes a queued run, raises the token and hands out what the work needs", async () => {
      const inputs = String.raw`{"b":{"2":-0,"1":"\u0000\ud800"},"__proto__":1}`;
      const run = await newRun(get(), { inputs });
      const wake = wakeIn(await get().requests.startRun(run));
      const claim = await claimed(get(), wake, "worker-7");
      expect(claim).toEqual({
        runId: run.id,
        token: claim.token,
        flowVersionId: run.flowVersionId,
        fresh: true,
        attempt: 1,
        priorMs: 0,
        inputs,
        loop: null,
        nextIteration: 1,
        resumePayload: null,
        reset: null,
      });
      expect(claim.token).toBeGreaterThan(wake.token);
      const view = await get().reads.run(run.id);
      expect(view).toMatchObject({
        status: "running",
        leaseOwner: "worker-7",
        attempt: 1,
        inDoubt: false,
        startedAt: expect.any(String),
      });
    });

    test("S-5: a wake whose token is not the run's current one is stale and changes nothing", async () => {
      const wake = await started(get());
      const before = await get().reads.run(wake.runId);
      for (const token of [wake.token - 1, wake.token + 1, 9_000_000_000]) {
        expect(
          await get().work.claim({ runId: wake.runId, token }, "worker-1", leaseMs, maxAttempts),
        ).toEqual({ kind: "stale" });
      }
      expect(
        await get().work.claim({ runId: newId(), token: wake.token }, "worker-1", leaseMs, maxAttempts),
      ).toEqual({ kind: "stale" });
      expect(await get().reads.run(wake.runId)).toEqual(before);
    });

    test("S-6: of 20 workers claiming with one wake exactly one gets the run", async () => {
      const wake = await started(get());
      const claims = Array.from({ length: 20 }, (_, i) =>
        get().work.claim(wake, `worker-${i}`, leaseMs, maxAttempts),
      );
      const kinds = (await Promise.all(claims)).map((outcome) => outcome.kind);
      expect(kinds.filter((kind) => kind === "claimed")).toHaveLength(1);
      expect(kinds.filter((kind) => kind === "stale" || kind === "held")).toHaveLength(19);
      expect(await get().reads.run(wake.runId)).toMatchObject({ attempt: 1, inDoubt: false });
    });

    test("S-6: a live lease is held, also against a wake with the current token", async () => {
      const claim = await claimedRun(get());
      await get().clockForward(leaseMs - 10_000);
      expect(await get().work.claim(claim, "worker-2", leaseMs, maxAttempts)).toEqual({ kind: "held" });
      expect(await get().reads.run(claim.runId)).toMatchObject({ leaseOwner: "worker-1", attempt: 1 });
    });

    test("S-6, L-52: an expired lease is taken over as the next attempt, in doubt", async () => {
      const first = await claimedRun(get());
      await get().clockForward(leaseMs + 1_000);
      const second = await claimed(get(), first, "worker-2");
      expect(second).toMatchObject({ attempt: 2, fresh: true, loop: null, nextIteration: 1 });
      expect(second.token).toBeGreaterThan(first.token);
      expect(await get().reads.run(first.runId)).toMatchObject({
        leaseOwner: "worker-2",
        attempt: 2,
        inDoubt: true,
      });
      expect(await get().work.claim(first, "worker-3", leaseMs, maxAttempts)).toEqual({ kind: "stale" });
    });

    test("L-35: a dead attempt is charged up to its last heartbeat, and dead attempts add up", async () => {
      const first = await claimedLoop(get());
      await get().work.heartbeat([{ ...first, activeMs: 700 }], leaseMs);
      await get().work.heartbeat([{ ...first, activeMs: 1200 }], leaseMs);
      await get().clockForward(leaseMs + 1_000);
      const second = await claimed(get(), first);
      expect(second.priorMs).toBe(1200);
      await get().work.heartbeat([{ ...second, activeMs: 300 }], leaseMs);
      await get().clockForward(leaseMs + 1_000);
      const third = await claimed(get(), second);
      expect(third.priorMs).toBe(1500);
      await get().clockForward(leaseMs + 1_000);
      expect((await claimed(get(), third)).priorMs).toBe(1500);
    });

    test("P-11, L-35: active time beyond 32 bits is kept", async () => {
      const claim = await claimedRun(get());
      await get().work.heartbeat([{ ...claim, activeMs: 2_500_000_000 }], leaseMs);
      await get().clockForward(leaseMs + 1_000);
      expect((await claimed(get(), claim)).priorMs).toBe(2_500_000_000);
    });

    test("L-51: when all attempts are used up the claim fails the run with worker_lost, once", async () => {
      const first = await claimedRun(get());
      await get().clockForward(leaseMs + 1_000);
      const second = await claimed(get(), first);
      await get().clockForward(leaseMs + 1_000);
      expect(await get().work.claim(second, "worker-3", leaseMs, 2)).toEqual({ kind: "exhausted" });

      const view = await get().reads.run(first.runId);
      expect(view).toMatchObject({
        status: "failed",
        failure: { code: "worker_lost" },
        leaseOwner: null,
        finishedAt: expect.any(String),
      });
      const events = await get().events(first.runId);
      expect(events.map((event) => event.type)).toEqual(["run-failed"]);
      const again = await get().work.claim(second, "worker-3", leaseMs, 2);
      expect(again).toEqual({ kind: "stale" });
    });

    test("L-51: a journaled step is progress, so attempts are counted anew after it", async () => {
      const first = await claimedRun(get());
      await get().clockForward(leaseMs + 1_000);
      const second = await claimed(get(), first);
      expect(second.attempt).toBe(2);
      await get().work.recordStep(second, parentScope, stepOf("a"), []);
      await get().clockForward(leaseMs + 1_000);
      const third = await get().work.claim(second, "worker-3", leaseMs, 2);
      expect(third).toMatchObject({ kind: "claimed", claim: { attempt: 2, fresh: true } });
    });

    test("L-42: a claim is fresh after start and resume and after a lost attempt, not between iterations", async () => {
      const first = await claimedLoop(get());
      const second = await claimed(get(), {
        runId: first.runId,
        token: await committed(get(), commitOf(first, 1)),
      });
      expect([first.fresh, second.fresh]).toEqual([true, false]);
      await get().clockForward(leaseMs + 1_000);
      const third = await claimed(get(), second);
      expect(third.fresh).toBe(true);
      const fourth = await claimed(get(), {
        runId: first.runId,
        token: await committed(get(), commitOf(third, 2)),
      });
      expect(fourth.fresh).toBe(false);

      const { runId } = await parked(get());
      const resumed = await claimed(get(), wakeIn(await get().requests.resumeRun(resumeOf(runId))));
      expect(resumed.fresh).toBe(true);
    });

    test("S-12: a parked run cannot be claimed", async () => {
      const { runId, token } = await parked(get());
      expect(await get().work.claim({ runId, token }, "worker-1", leaseMs, maxAttempts)).toEqual({
        kind: "stale",
      });
      expect((await get().reads.run(runId))?.status).toBe("waiting");
    });

    test("S-16: the time a run started is that of its first claim", async () => {
      const first = await claimedLoop(get());
      const before = (await get().reads.run(first.runId))?.startedAt;
      await get().clockForward(1_000);
      const token = await committed(get(), commitOf(first, 1, { events: eventsOf("while-iteration-done") }));
      await claimed(get(), { runId: first.runId, token });
      expect((await get().reads.run(first.runId))?.startedAt).toBe(before);
    });
  });
}
