import { describe, expect, test } from "vitest";
import type { Claim } from "../../ports/work.ts";
import {
  caller,
  cancelled,
  claimed,
  claimedLoop,
  claimedRun,
  commitOf,
  committed,
  leaseMs,
  loopOf,
  loopPath,
  maxAttempts,
  parentScope,
  stepOf,
} from "./fixtures.ts";
import type { GetStore } from "./harness.ts";

const uncounted = { counted: false, delayMs: 0 };

/** Keeping, losing and giving back a claim (S-8, S-27). */
export function leaseTests(get: GetStore): void {
  describe("heartbeat", () => {
    test("S-8: a heartbeat keeps the lease alive past its first end", async () => {
      const claim = await claimedRun(get());
      await get().clockForward(leaseMs - 20_000);
      expect(await get().work.heartbeat([{ ...claim, activeMs: 1 }], leaseMs)).toEqual(
        new Set([claim.runId]),
      );
      await get().clockForward(leaseMs - 20_000);
      expect(await get().work.claim(claim, "worker-2", leaseMs, maxAttempts)).toEqual({ kind: "held" });
    });

    test("S-8: one call answers exactly the runs still held", async () => {
      const [kept, taken, ended, free] = await Promise.all([
        claimedRun(get()),
        claimedRun(get()),
        claimedRun(get()),
        claimedRun(get()),
      ]);
      expect(await get().work.handBack(free, 0, uncounted)).not.toBeNull();
      await get().requests.cancelRun(ended.runId, caller, cancelled);
      await get().clockForward(leaseMs + 1_000);
      await claimed(get(), taken, "worker-2");
      const beats = [kept, taken, ended, free].map((claim) => ({
        runId: claim.runId,
        token: claim.token,
        activeMs: 5,
      }));
      expect(await get().work.heartbeat(beats, leaseMs)).toEqual(new Set([kept.runId]));
    });

    test("S-8: no beats are no runs held", async () => {
      expect(await get().work.heartbeat([], leaseMs)).toEqual(new Set());
    });

    test("P-56: a worker that lost its run cannot renew, write, commit, end or give it back", async () => {
      const late = await claimedLoop(get());
      await get().clockForward(leaseMs + 1_000);
      const owner = await claimed(get(), late, "worker-2");
      const before = { view: await get().reads.run(late.runId), events: await get().events(late.runId) };
      await expectRefused(get, late);
      expect({ view: await get().reads.run(late.runId), events: await get().events(late.runId) }).toEqual(
        before,
      );
      expect(await get().work.commitIteration(commitOf(owner, 1))).toMatchObject({ kind: "committed" });
    });
  });

  describe("handing back", () => {
    test("S-27: a claim handed back uses up no attempt, keeps its active time and can be claimed at once", async () => {
      const claim = await claimedLoop(get());
      await get().work.heartbeat([{ ...claim, activeMs: 250 }], leaseMs);
      const wake = await get().work.handBack(claim, 300, uncounted);
      expect(wake).toEqual({ runId: claim.runId, token: expect.any(Number), delayMs: 0 });
      expect(wake!.token).toBeGreaterThan(claim.token);
      expect(await get().reads.run(claim.runId)).toMatchObject({
        status: "running",
        leaseOwner: null,
        inDoubt: false,
      });
      expect(await claimed(get(), wake!, "worker-2")).toMatchObject({
        attempt: 1,
        priorMs: 300,
        loop: loopPath,
        nextIteration: 1,
      });
      expect(await get().reads.run(claim.runId)).toMatchObject({ inDoubt: false });
    });

    test("L-51: a counted hand-back uses up an attempt and waits, and the last one fails the run", async () => {
      const claim = await claimedRun(get());
      const wake = await get().work.handBack(claim, 0, { counted: true, delayMs: 4_000 });
      expect(wake).toMatchObject({ delayMs: 4_000 });
      const second = await claimed(get(), wake!);
      expect(second.attempt).toBe(2);
      const last = await get().work.handBack(second, 0, { counted: true, delayMs: 0 });
      expect(await get().work.claim(last!, "worker-1", leaseMs, 2)).toEqual({ kind: "exhausted" });
      expect(await get().reads.run(claim.runId)).toMatchObject({
        status: "failed",
        failure: { code: "worker_lost" },
      });
    });

    test("L-42: a fresh claim handed back before anything was committed is fresh for the next owner", async () => {
      const claim = await claimedLoop(get());
      const wake = await get().work.handBack(claim, 0, uncounted);
      expect((await claimed(get(), wake!)).fresh).toBe(true);
    });

    test("L-35, C21: active time of dead and of handed-back attempts adds up", async () => {
      const first = await claimedLoop(get());
      await get().work.heartbeat([{ ...first, activeMs: 1200 }], leaseMs);
      await get().clockForward(leaseMs + 1_000);
      const second = await claimed(get(), first);
      const wake = await get().work.handBack(second, 300, uncounted);
      expect(await claimed(get(), wake!)).toMatchObject({ attempt: 2, priorMs: 1500 });
      expect(await get().reads.run(first.runId)).toMatchObject({ inDoubt: true });
    });

    test("L-35: an attempt that dies before its first heartbeat is not charged with what an earlier one noted", async () => {
      const first = await claimedLoop(get());
      await get().work.heartbeat([{ ...first, activeMs: 250 }], leaseMs);
      const wake = await get().work.handBack(first, 300, uncounted);
      const second = await claimed(get(), wake!);
      await get().clockForward(leaseMs + 1_000);
      const third = await claimed(get(), second);
      expect(third.priorMs).toBe(300);
      await get().work.heartbeat([{ ...third, activeMs: 40 }], leaseMs);
      const token = await committed(get(), commitOf(third, 1));
      const fourth = await claimed(get(), { runId: first.runId, token });
      await get().clockForward(leaseMs + 1_000);
      expect((await claimed(get(), fourth)).priorMs).toBe(0);
    });

    test("S-6: a claim can be handed back once, and not at all once somebody else has the run", async () => {
      const claim = await claimedRun(get());
      const answers = await Promise.all([
        get().work.handBack(claim, 0, uncounted),
        get().work.handBack(claim, 0, uncounted),
      ]);
      expect(answers.filter((wake) => wake === null)).toHaveLength(1);
      expect(await get().work.handBack(claim, 0, uncounted)).toBeNull();
    });
  });
}

/** Every guarded write with this claim finds itself stale (S-6). */
export async function expectRefused(get: GetStore, claim: Claim): Promise<void> {
  const { work } = get();
  const stale = { kind: "stale" };
  const events = [{ type: "never-stored" }];
  expect(
    await work.heartbeat([{ runId: claim.runId, token: claim.token, activeMs: 99_000 }], leaseMs),
  ).toEqual(new Set());
  expect(await work.recordStep(claim, parentScope, stepOf("late"), events)).toEqual(stale);
  expect(await work.beginLoop(claim, loopOf({ state: '"late"' }), events)).toEqual(stale);
  expect(await work.resetLoop(claim, loopOf({ state: '"late"', epoch: 7 }), events)).toEqual(stale);
  expect(await work.commitIteration(commitOf(claim, 1, { events }))).toEqual(stale);
  const nested = {
    ...loopOf({ state: '"late"' }, '[["again","body",1],"inner"]'),
    fence: claim,
    scope: parentScope,
    entry: null,
    events,
  };
  expect(await work.commitNested(nested)).toEqual(stale);
  expect(await work.appendEvents(claim, events)).toEqual(stale);
  expect(await work.finishRun(claim, { status: "succeeded" }, events)).toEqual(stale);
  expect(await work.handBack(claim, 1_000, uncounted)).toBeNull();
  expect(await work.steps(claim.runId, parentScope)).toEqual([]);
}
