import { describe, expect, test } from "vitest";
import type { Claim } from "../../ports/work.ts";
import {
  checkpointOf,
  claimed,
  claimedLoop,
  claimedRun,
  commitOf,
  committed,
  entryOf,
  iterated,
  loopOf,
  loopPath,
  newId,
  parentScope,
  parked,
  resumeOf,
  started,
  wakeIn,
} from "./fixtures.ts";
import type { GetStore } from "./harness.ts";

const otherPath = '["other"]';
const innerPath = '[["again","body",1],"inner"]';

/** Loops, states and histories of one run (S-13). */
export function loopReadTests(get: GetStore): void {
  async function nested(claim: Claim): Promise<void> {
    const loop = loopOf({ state: '"INNER-MARK"' }, innerPath, "Inner");
    await get().work.commitNested({ ...loop, fence: claim, scope: parentScope, entry: null, events: [] });
  }

  async function withSecondLoop(claim: Claim): Promise<void> {
    const next = await claimed(get(), {
      runId: claim.runId,
      token: await committed(get(), commitOf(claim, 1)),
    });
    await get().work.beginLoop(next, loopOf({ state: '"second"' }, otherPath, "Other"), []);
  }

  describe("loops of a run", () => {
    test("3.4: a loop shows where it stands and its last three history entries", async () => {
      const claim = await claimedLoop(get());
      const token = await iterated(get(), claim, 5);
      const view = await get().reads.run(claim.runId);
      const {
        state: _state,
        stateDigest: _digest,
        schema: _schema,
        succeeded: _succeeded,
        failed: _failed,
        paced: _paced,
        tries: _tries,
        last: _last,
        ...shown
      } = commitOf({ ...claim, token }, 5).checkpoint;
      expect(view?.loops).toEqual([
        {
          path: loopPath,
          label: "Again",
          ...shown,
          iterations: 5,
          usage: { inputTokens: 0, outputTokens: 0 },
          recent: [entryOf(3), entryOf(4), entryOf(5)],
        },
      ]);
    });

    test("3.4: a loop that has just begun has no iterations and no decision", async () => {
      const claim = await claimedLoop(get());
      const view = await get().reads.run(claim.runId);
      expect(view?.loops).toMatchObject([
        { status: "running", epoch: 0, decision: null, iterations: 0, nextIteration: 1, recent: [] },
      ]);
    });

    test("3.4: loops stand in execution order, those of the parent graph first", async () => {
      const claim = await claimedLoop(get());
      await nested(claim);
      await withSecondLoop(claim);
      const view = await get().reads.run(claim.runId);
      expect(view?.loops.map((loop) => loop.path)).toEqual([loopPath, otherPath, innerPath]);
    });

    test("S-13: a run's view holds no state", async () => {
      const claim = await claimedLoop(get(), { state: '"STATE-MARK"' });
      await nested(claim);
      expect(JSON.stringify(await get().reads.run(claim.runId))).not.toContain("MARK");
    });

    test("L-44: after a reset the view shows the live epoch only", async () => {
      const { runId } = await parked(get());
      const claim = await claimed(get(), wakeIn(await get().requests.resumeRun(resumeOf(runId))));
      await get().work.resetLoop(claim, loopOf({ epoch: 1 }), []);
      expect((await get().reads.run(runId))?.loops).toMatchObject([{ epoch: 1, iterations: 0, recent: [] }]);
    });
  });

  describe("states", () => {
    test("3.4: the state is that of the named loop, or of the only one", async () => {
      const claim = await claimedLoop(get(), { state: '{"2":-0,"1":1.0}' });
      expect(await get().reads.state(claim.runId, null)).toEqual({ text: '{"2":-0,"1":1.0}' });
      await withSecondLoop(claim);
      expect(await get().reads.state(claim.runId, loopPath)).toEqual({ text: '{"n":1}' });
      expect(await get().reads.state(claim.runId, otherPath)).toEqual({ text: '"second"' });
      expect(await get().reads.state(claim.runId, null)).toBe("ambiguous_loop");
    });

    test("3.4: no run, no loop yet and an unknown loop are told apart from a state", async () => {
      expect(await get().reads.state(newId(), null)).toBe("no_run");
      const { runId } = await started(get());
      expect(await get().reads.state(runId, null)).toBe("no_loop");
      expect(await get().reads.state(runId, loopPath)).toBe("no_loop");
      const claim = await claimedLoop(get());
      expect(await get().reads.state(claim.runId, '["again","x"]')).toBe("no_loop");
    });

    test("S-16: a run that is not there has no view", async () => {
      expect(await get().reads.run(newId())).toBeNull();
    });
  });

  describe("histories", () => {
    const all = { path: null, epoch: null, limit: 50 };

    test("3.4: before iteration 1 completes the history is empty", async () => {
      const claim = await claimedLoop(get());
      expect(await get().reads.history(claim.runId, all)).toEqual({ items: [], nextCursor: null });
    });

    test("S-16, P-16: pages give every entry once, ascending", async () => {
      const claim = await claimedLoop(get());
      await iterated(get(), claim, 11);
      const seen: number[] = [];
      let cursor: string | null = null;
      do {
        const page = await get().reads.history(claim.runId, {
          ...all,
          limit: 3,
          ...(cursor === null ? {} : { cursor }),
        });
        if (typeof page === "string") throw new Error(page);
        expect(page.items.length).toBeGreaterThan(0);
        seen.push(...page.items.map((entry) => entry.iteration));
        cursor = page.nextCursor;
      } while (cursor !== null);
      expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
      expect(await get().reads.history(claim.runId, { ...all, path: loopPath, epoch: 0 })).toMatchObject({
        items: seen.map((n) => entryOf(n)),
      });
    });

    test("L-44: the live epoch unless another is named", async () => {
      const { runId } = await parked(get());
      const claim = await claimed(get(), wakeIn(await get().requests.resumeRun(resumeOf(runId))));
      await get().work.resetLoop(claim, loopOf({ epoch: 1 }), []);
      expect(await get().reads.history(runId, all)).toMatchObject({ items: [] });
      await committed(
        get(),
        commitOf(claim, 1, {
          checkpoint: checkpointOf({ epoch: 1, nextIteration: 2 }),
          entry: entryOf(1, { summary: "anew" }),
        }),
      );
      expect(await get().reads.history(runId, all)).toMatchObject({ items: [{ summary: "anew" }] });
      expect(await get().reads.history(runId, { ...all, epoch: 0 })).toMatchObject({
        items: [{ decision: "wait" }],
      });
      expect(await get().reads.history(runId, { ...all, epoch: 9 })).toEqual({ items: [], nextCursor: null });
    });

    test("3.4: no run, no loop, several loops and a malformed cursor are told", async () => {
      expect(await get().reads.history(newId(), all)).toBe("no_run");
      const bare = await claimedRun(get());
      expect(await get().reads.history(bare.runId, all)).toBe("no_loop");
      const claim = await claimedLoop(get());
      expect(await get().reads.history(claim.runId, { ...all, path: otherPath })).toBe("no_loop");
      await withSecondLoop(claim);
      expect(await get().reads.history(claim.runId, all)).toBe("ambiguous_loop");
      for (const cursor of ["x", "W10", "'; --"]) {
        expect(await get().reads.history(claim.runId, { ...all, path: loopPath, cursor })).toBe(
          "invalid_cursor",
        );
      }
    });
  });
}
