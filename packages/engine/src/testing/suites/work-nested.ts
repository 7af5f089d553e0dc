import { describe, expect, test } from "vitest";
import type { Claim, NestedCommit, StepScope } from "../../ports/work.ts";
import {
  checkpointOf,
  claimed,
  claimedLoop,
  commitOf,
  committed,
  entryOf,
  eventsOf,
  leaseMs,
  loopPath,
  stepOf,
} from "./fixtures.ts";
import type { GetStore } from "./harness.ts";

const innerPath = '[["again","body",1],"inner"]';
const scope: StepScope = { loop: loopPath, epoch: 0, iteration: 1 };

function nestedCommit(claim: Claim, iteration: number, given: Partial<NestedCommit> = {}): NestedCommit {
  const checkpoint = checkpointOf({
    state: `{"i":${iteration}}`,
    nextIteration: iteration + 1,
    decision: iteration === 0 ? null : "continue",
  });
  const entry = iteration === 0 ? null : entryOf(iteration);
  return { fence: claim, path: innerPath, label: "Inner", scope, checkpoint, entry, events: [], ...given };
}

/** Inner iterations of nested loops (S-11, L-20). */
export function nestedTests(get: GetStore): void {
  describe("a nested loop", () => {
    test("S-11: its start and iterations are stored under the outer claim, which stays as it is", async () => {
      const claim = await claimedLoop(get());
      for (const iteration of [0, 1, 2])
        expect(await get().work.commitNested(nestedCommit(claim, iteration))).toEqual({ kind: "stored" });
      expect(await get().work.checkpoint(claim.runId, innerPath)).toEqual({
        path: innerPath,
        label: "Inner",
        checkpoint: nestedCommit(claim, 2).checkpoint,
      });
      expect(await get().work.history(claim.runId, innerPath, 0)).toEqual([entryOf(1), entryOf(2)]);
      expect(await get().work.history(claim.runId, loopPath, 0)).toEqual([]);
      expect(await get().requests.runHead(claim.runId)).toMatchObject({ nextIteration: 1 });
      expect(await get().work.commitIteration(commitOf(claim, 1))).toMatchObject({ kind: "committed" });
    });

    test("S-11: after a crash in inner iteration 7 the next worker finds iteration 7 to do", async () => {
      const claim = await claimedLoop(get());
      for (let iteration = 0; iteration <= 6; iteration += 1)
        await get().work.commitNested(nestedCommit(claim, iteration));
      await get().clockForward(leaseMs + 1_000);
      const next = await claimed(get(), claim, "worker-2");
      expect(next).toMatchObject({ loop: loopPath, nextIteration: 1 });
      expect((await get().work.checkpoint(claim.runId, innerPath))?.checkpoint).toMatchObject({
        nextIteration: 7,
        state: '{"i":6}',
      });
      expect(await get().work.commitNested(nestedCommit(claim, 7))).toEqual({ kind: "stale" });
      expect(await get().work.commitNested(nestedCommit(next, 7))).toEqual({ kind: "stored" });
      expect(await get().work.history(claim.runId, innerPath, 0)).toHaveLength(7);
    });

    test("OP-7: what guards of an inner loop remember is stored with its iteration", async () => {
      const claim = await claimedLoop(get());
      const begun = nestedCommit(claim, 1);
      await get().work.commitNested({ ...begun, checkpoint: { ...begun.checkpoint, guarded: "{}" } });
      expect((await get().work.checkpoint(claim.runId, innerPath))?.checkpoint.guarded).toBe("{}");
    });

    test("L-51: an inner iteration is progress, so attempts are counted anew after it", async () => {
      const first = await claimedLoop(get());
      await get().clockForward(leaseMs + 1_000);
      const second = await claimed(get(), first);
      expect(second.attempt).toBe(2);
      await get().work.commitNested(nestedCommit(second, 0));
      await get().clockForward(leaseMs + 1_000);
      expect(await get().work.claim(second, "worker-3", leaseMs, 2)).toMatchObject({
        kind: "claimed",
        claim: { attempt: 2 },
      });
    });

    test("L-34: an inner loop that ends by a limit keeps its history; one that begins again starts with none", async () => {
      const claim = await claimedLoop(get());
      for (const iteration of [0, 1, 2]) await get().work.commitNested(nestedCommit(claim, iteration));
      const ended = checkpointOf({ status: "failed", nextIteration: 3 });
      await get().work.commitNested(nestedCommit(claim, 2, { checkpoint: ended, entry: null }));
      expect((await get().work.checkpoint(claim.runId, innerPath))?.checkpoint).toEqual(ended);
      expect(await get().work.history(claim.runId, innerPath, 0)).toEqual([entryOf(1), entryOf(2)]);
      await get().work.commitNested(nestedCommit(claim, 0));
      expect(await get().work.history(claim.runId, innerPath, 0)).toEqual([]);
      expect(await get().work.commitNested(nestedCommit(claim, 1))).toEqual({ kind: "stored" });
      expect(await get().work.history(claim.runId, innerPath, 0)).toEqual([entryOf(1)]);
    });

    test("S-11: a stale inner iteration leaves no trace", async () => {
      const claim = await claimedLoop(get());
      await get().work.commitNested(nestedCommit(claim, 0));
      const late = { ...claim, token: claim.token - 1 };
      expect(await get().work.commitNested(nestedCommit(late, 1, { events: eventsOf("x") }))).toEqual({
        kind: "stale",
      });
      expect(await get().work.history(claim.runId, innerPath, 0)).toEqual([]);
      expect((await get().work.checkpoint(claim.runId, innerPath))?.checkpoint.state).toBe('{"i":0}');
      expect(await get().events(claim.runId)).toEqual([]);
    });

    test("S-11: inner iterations keep the outer iteration's journal until the outer commit", async () => {
      const claim = await claimedLoop(get());
      await get().work.recordStep(claim, scope, stepOf("outer"), []);
      await get().work.commitNested(nestedCommit(claim, 0));
      await get().work.commitNested(nestedCommit(claim, 1));
      expect((await get().work.steps(claim.runId, scope)).map((step) => step.node)).toContain("outer");
      await committed(get(), commitOf(claim, 1));
      expect(await get().work.steps(claim.runId, scope)).toEqual([]);
      expect(await get().work.history(claim.runId, innerPath, 0)).toEqual([entryOf(1)]);
    });
  });
}
