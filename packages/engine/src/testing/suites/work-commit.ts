import { describe, expect, test } from "vitest";
import type { Failure } from "@agentflow/core";
import {
  caller,
  cancelled,
  checkpointOf,
  claimed,
  claimedLoop,
  commitOf,
  committed,
  digestOf,
  entryOf,
  eventsOf,
  exactTexts,
  iterated,
  leaseMs,
  loopOf,
  loopPath,
  maxAttempts,
} from "./fixtures.ts";
import type { GetStore } from "./harness.ts";

/** A failure whose texts a text column would refuse if it did not hold them escaped (P-46). */
export const hardFailure: Failure = {
  code: "exit_nonzero",
  message: "exit code 3: \0 and \ud800",
  node: "work",
  iteration: 1,
  details: { exitCode: 3, signal: null, stderrTail: "a\0b" },
};

/** The one commit of an iteration (S-7, L-37). */
export function commitTests(get: GetStore): void {
  describe("committing an iteration", () => {
    test("L-37, S-7: state, history, elapsed time, next iteration and status change together, and the run is free at once", async () => {
      const claim = await claimedLoop(get());
      const commit = commitOf(claim, 1);
      const token = await committed(get(), commit);
      expect(token).toBeGreaterThan(claim.token);
      expect(await get().work.checkpoint(claim.runId, loopPath)).toEqual(loopOf(commit.checkpoint));
      expect(await get().work.history(claim.runId, loopPath, 0)).toEqual([commit.entry]);
      expect(await get().reads.run(claim.runId)).toMatchObject({
        status: "running",
        leaseOwner: null,
        attempt: 0,
        finishedAt: null,
      });
      const next = await claimed(get(), { runId: claim.runId, token }, "worker-2");
      expect(next).toMatchObject({ attempt: 1, priorMs: 0, loop: loopPath, nextIteration: 2, fresh: false });
    });

    test("S-6, S-7: pure work claims and commits at once, and only while nobody else has written to the run", async () => {
      const claim = await claimedLoop(get());
      const free = await committed(get(), commitOf(claim, 1));
      const ahead = { ...claim, token: free + 1 };
      const unclaimed = { ...commitOf(ahead, 2), unclaimed: true as const };
      const token = await committed(get(), unclaimed);
      expect(token).toBe(free + 2);
      expect(await get().work.commitIteration(unclaimed)).toEqual({ kind: "stale" });
      expect(await get().work.history(claim.runId, loopPath, 0)).toEqual([entryOf(1), entryOf(2)]);
      expect(await get().reads.run(claim.runId)).toMatchObject({
        status: "running",
        leaseOwner: null,
        attempt: 0,
      });
      const held = await claimed(get(), { runId: claim.runId, token });
      const late = { ...commitOf(held, 3), unclaimed: true as const };
      expect(await get().work.commitIteration(late)).toEqual({ kind: "stale" });
      expect(
        await get().work.commitIteration({ ...late, fence: { runId: claim.runId, token: held.token + 1 } }),
      ).toEqual({
        kind: "stale",
      });
      await committed(get(), commitOf(held, 3));
    });

    test("L-11, L-34: history is contiguous from 1, and earlier entries stay identical", async () => {
      const claim = await claimedLoop(get());
      await iterated(get(), claim, 12);
      const history = await get().work.history(claim.runId, loopPath, 0);
      expect(history).toEqual(Array.from({ length: 12 }, (_, i) => entryOf(i + 1)));
    });

    test("AC-03, S-12: a wait parks the run", async () => {
      const claim = await claimedLoop(get());
      const checkpoint = checkpointOf({
        status: "waiting",
        decision: "wait",
        nextIteration: 2,
        summary: "approve",
      });
      const token = await committed(
        get(),
        commitOf(claim, 1, {
          checkpoint,
          entry: entryOf(1, { decision: "wait" }),
          run: { status: "waiting" },
        }),
      );
      expect(token).toBeGreaterThan(claim.token);
      expect(await get().reads.run(claim.runId)).toMatchObject({
        status: "waiting",
        leaseOwner: null,
        failure: null,
        finishedAt: null,
      });
      expect(await get().requests.runHead(claim.runId)).toMatchObject({
        status: "waiting",
        nextIteration: 2,
      });
    });

    test("AC-04: a fail ends the run with its failure and keeps state and history", async () => {
      const claim = await claimedLoop(get());
      const checkpoint = checkpointOf({
        status: "failed",
        state: '{"n":9}',
        decision: "fail",
        nextIteration: 2,
      });
      const entry = entryOf(1, { decision: "fail", summary: "nope" });
      await committed(
        get(),
        commitOf(claim, 1, { checkpoint, entry, run: { status: "failed", failure: hardFailure } }),
      );
      const view = await get().reads.run(claim.runId);
      expect(view).toMatchObject({ status: "failed", leaseOwner: null, finishedAt: expect.any(String) });
      expect(view?.failure).toEqual(hardFailure);
      expect(await get().work.history(claim.runId, loopPath, 0)).toEqual([entry]);
      expect(await get().reads.state(claim.runId, null)).toEqual({ text: '{"n":9}' });
    });

    test("L-32, L-19: an iteration that did not complete leaves no history row and the state as it was", async () => {
      const claim = await claimedLoop(get());
      const checkpoint = checkpointOf({ status: "failed", elapsedMs: 1_800_000 });
      const failure = { code: "loop_timeout", message: "1800000 ms", node: "again", iteration: 1 } as const;
      await committed(
        get(),
        commitOf(claim, 1, {
          checkpoint,
          stateChanged: false,
          entry: null,
          run: { status: "failed", failure },
        }),
      );
      expect(await get().work.history(claim.runId, loopPath, 0)).toEqual([]);
      expect(await get().work.checkpoint(claim.runId, loopPath)).toEqual(loopOf(checkpoint));
      expect((await get().reads.run(claim.runId))?.failure).toEqual(failure);
    });

    test("AC-14, L-27: without a new state the stored text stays untouched", async () => {
      const state = '{"2":-0,"1":1.0}';
      const claim = await claimedLoop(get(), { state });
      const checkpoint = checkpointOf({
        state: "",
        stateDigest: digestOf(state),
        nextIteration: 2,
        decision: "continue",
      });
      await committed(get(), commitOf(claim, 1, { checkpoint, stateChanged: false }));
      expect((await get().work.checkpoint(claim.runId, loopPath))?.checkpoint).toEqual({
        ...checkpoint,
        state,
      });
    });

    test.each(exactTexts)("L-46, AC-31: a new state with %s is kept to the byte", async (_what, state) => {
      const claim = await claimedLoop(get());
      await committed(get(), commitOf(claim, 1, { checkpoint: checkpointOf({ state, nextIteration: 2 }) }));
      expect((await get().work.checkpoint(claim.runId, loopPath))?.checkpoint.state).toBe(state);
    });

    test("L-30, L-34: a summary of 4000 units and an entry's error are kept", async () => {
      const claim = await claimedLoop(get());
      const entry = entryOf(1, {
        summary: `${"😀".repeat(1_999)}\n'"`,
        elapsedMs: 3_000_000_000,
        error: hardFailure,
      });
      await committed(
        get(),
        commitOf(claim, 1, { entry, checkpoint: checkpointOf({ nextIteration: 2, summary: entry.summary }) }),
      );
      expect(await get().work.history(claim.runId, loopPath, 0)).toEqual([entry]);
      expect((await get().work.checkpoint(claim.runId, loopPath))?.checkpoint.summary).toBe(entry.summary);
    });

    test("L-35, L-52: a commit clears the doubt and the active time of lost attempts", async () => {
      const first = await claimedLoop(get());
      await get().work.heartbeat([{ ...first, activeMs: 900 }], leaseMs);
      await get().clockForward(leaseMs + 1_000);
      const second = await claimed(get(), first);
      expect(second.priorMs).toBe(900);
      const token = await committed(get(), commitOf(second, 1, { attempts: 2 }));
      expect(await get().reads.run(first.runId)).toMatchObject({ inDoubt: false });
      expect(await claimed(get(), { runId: first.runId, token })).toMatchObject({ priorMs: 0, attempt: 1 });
    });
  });

  describe("compare-and-set of a commit", () => {
    test("S-6: another token is stale and stores nothing", async () => {
      const claim = await claimedLoop(get());
      for (const token of [claim.token - 1, claim.token + 1]) {
        expect(
          await get().work.commitIteration(commitOf({ ...claim, token }, 1, { events: eventsOf("x") })),
        ).toEqual({ kind: "stale" });
      }
      await expectUntouched(get, claim.runId);
    });

    test("S-6: another iteration than the run's next is stale and stores nothing", async () => {
      const claim = await claimedLoop(get());
      for (const iteration of [0, 2, 7]) {
        expect(
          await get().work.commitIteration(commitOf(claim, iteration, { events: eventsOf("x") })),
        ).toEqual({ kind: "stale" });
      }
      await expectUntouched(get, claim.runId);
      expect(await get().work.commitIteration(commitOf(claim, 1))).toMatchObject({ kind: "committed" });
    });

    test("P-28, L-33: a cancelled run takes no commit", async () => {
      const claim = await claimedLoop(get());
      await get().requests.cancelRun(claim.runId, caller, cancelled);
      expect(await get().work.commitIteration(commitOf(claim, 1, { events: eventsOf("x") }))).toEqual({
        kind: "stale",
      });
      expect(await get().work.history(claim.runId, loopPath, 0)).toEqual([]);
      expect(await get().reads.run(claim.runId)).toMatchObject({ status: "cancelled" });
    });

    test("P-61: of 10 equal commits at once one is stored, and the token rises once", async () => {
      const claim = await claimedLoop(get());
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, () =>
          get().work.commitIteration(commitOf(claim, 1, { events: eventsOf("once") })),
        ),
      );
      const tokens = outcomes.flatMap((outcome) => (outcome.kind === "committed" ? [outcome.token] : []));
      expect(tokens).toHaveLength(1);
      expect(await get().work.history(claim.runId, loopPath, 0)).toEqual([entryOf(1)]);
      expect(await get().events(claim.runId)).toHaveLength(1);
      const next = await get().work.claim(
        { runId: claim.runId, token: tokens[0]! },
        "worker-2",
        leaseMs,
        maxAttempts,
      );
      expect(next).toMatchObject({ kind: "claimed", claim: { nextIteration: 2 } });
    });
  });
}

async function expectUntouched(get: GetStore, runId: string): Promise<void> {
  expect(await get().work.history(runId, loopPath, 0)).toEqual([]);
  expect(await get().work.checkpoint(runId, loopPath)).toEqual(loopOf());
  expect(await get().events(runId)).toEqual([]);
  expect(await get().reads.run(runId)).toMatchObject({
    status: "running",
    leaseOwner: "worker-1",
    attempt: 1,
  });
}
