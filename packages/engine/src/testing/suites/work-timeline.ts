import { describe, expect, test } from "vitest";
import type { KeptStates } from "../../ports/timeline.ts";
import { readStateAt } from "../../read-state.ts";
import { STEP_HEAD_BYTES, makeStep } from "../../timeline/step.ts";
import {
  checkpointOf,
  claimed,
  claimedLoop,
  commitOf,
  committed,
  exactTexts,
  loopOf,
  loopPath,
  newId,
  parentScope,
  stepOf,
} from "./fixtures.ts";
import type { GetStore, StoreUnderTest } from "./harness.ts";

/** A text of some kilobytes that no compression makes small; another one for each seed. */
function noise(seed: number): string {
  let value = seed + 1;
  const parts = Array.from({ length: 400 }, () => (value = (value * 48_271) % 2_147_483_647).toString(36));
  return JSON.stringify(parts.join(""));
}

/** A run whose loop went through these states; the first one is its initial state. */
async function livedThrough(store: StoreUnderTest, states: readonly string[]): Promise<string> {
  const first = await claimedLoop(store, { state: states[0]! });
  let claim = first;
  for (let iteration = 1; iteration < states.length; iteration += 1) {
    const stored = await store.work.checkpoint(first.runId, loopPath);
    const [before, after] = [states[iteration - 1]!, states[iteration]!];
    const step = await makeStep(stored!.step ?? null, before, after);
    const checkpoint = checkpointOf({ state: after, nextIteration: iteration + 1, decision: "continue" });
    const commit = commitOf(claim, iteration, { checkpoint, stateChanged: before !== after, step });
    const token = await committed(store, commit);
    if (iteration + 1 < states.length) claim = await claimed(store, { runId: first.runId, token });
  }
  return first.runId;
}

async function stateAt(store: StoreUnderTest, runId: string, iteration: number): Promise<unknown> {
  const found = await readStateAt(store.reads, runId, { path: null, epoch: null, iteration });
  return found.kind === "state" ? found.text : found;
}

/** States after earlier iterations (OP-7). */
export function timelineTests(get: GetStore): void {
  describe("the timeline", () => {
    test("OP-7, L-46: the exact state after each iteration is there, whatever its texts are", async () => {
      const texts = exactTexts.map(([, text]) => text);
      const states = [...texts, texts.at(-1)!, noise(1), `[${noise(1)},1]`, `[${noise(1)},1]`, texts[0]!];
      const runId = await livedThrough(get(), states);
      for (const [iteration, state] of states.entries())
        expect(await stateAt(get(), runId, iteration)).toBe(state);
      expect(await stateAt(get(), runId, states.length)).toMatchObject({
        ...{ kind: "not_kept", completed: states.length - 1, kept: { from: 0, to: states.length - 1 } },
      });
    });

    test("OP-7: a checkpoint comes with as much of its last step as the next one is made from", async () => {
      const runId = await livedThrough(get(), ["1", noise(1)]);
      const { step } = (await get().work.checkpoint(runId, loopPath))!;
      expect(step!.length).toBeGreaterThanOrEqual(STEP_HEAD_BYTES);
      const whole = (await kept(get(), runId, 1, 1)).steps.get(1)!;
      expect(Buffer.from(step!.subarray(0, STEP_HEAD_BYTES))).toEqual(
        Buffer.from(whole.subarray(0, STEP_HEAD_BYTES)),
      );
    });

    test("OP-7: the oldest chains go when a run has more than its budget, and what is left can be restored", async () => {
      const states = Array.from({ length: 12 }, (_, n) => noise(Math.floor(n / 2)).replace("}", `${n}}`));
      const runId = await livedThrough(get(), states);
      expect(await get().work.trimTimeline(runId, 1_000_000, 1000)).toBe(0);
      expect(await stateAt(get(), runId, 0)).toBe(states[0]);
      expect(await get().work.trimTimeline(runId, 8000, 6000)).toBeGreaterThan(2);
      const missing = await stateAt(get(), runId, 0);
      const { from } = (missing as { kept: { from: number } }).kept;
      expect(from).toBeGreaterThan(3);
      expect(from).toBeLessThan(11);
      for (let at = from; at < states.length; at += 1)
        expect(await stateAt(get(), runId, at)).toBe(states[at]);
      const left = [...(await kept(get(), runId, 0, 20)).steps.values()].reduce(
        (sum, { length }) => sum + length,
        0,
      );
      expect(left).toBeLessThanOrEqual(6000);
    });

    test("OP-7: a budget smaller than the last chain leaves the checkpoint alone", async () => {
      const runId = await livedThrough(get(), [noise(1), noise(2)]);
      expect(await get().work.trimTimeline(runId, 10, 10)).toBe(1);
      expect(await stateAt(get(), runId, 0)).toMatchObject({ kind: "not_kept", kept: null });
      expect(await stateAt(get(), runId, 1)).toBe(noise(2));
      expect(await get().work.checkpoint(runId, loopPath)).not.toHaveProperty("step");
    });

    test("OP-7, S-6: a stale commit leaves no step behind", async () => {
      const claim = await claimedLoop(get());
      const late = { ...claim, token: claim.token - 1 };
      const step = await makeStep(null, "1", "2");
      expect(await get().work.commitIteration(commitOf(late, 1, { step }))).toEqual({ kind: "stale" });
      expect((await kept(get(), claim.runId, 0, 5)).steps.size).toBe(0);
    });

    test("OP-7: what guards remember is stored with its iteration, and forgotten by a new epoch", async () => {
      const claim = await claimedLoop(get());
      const commit = commitOf(claim, 1);
      const token = await committed(get(), {
        ...commit,
        checkpoint: { ...commit.checkpoint, guarded: '{"seen":["a"]}' },
      });
      const stored = await get().work.checkpoint(claim.runId, loopPath);
      expect(stored!.checkpoint.guarded).toBe('{"seen":["a"]}');
      const next = await claimed(get(), { runId: claim.runId, token });
      await get().work.resetLoop(next, loopOf({ epoch: 1 }), []);
      expect((await get().work.checkpoint(claim.runId, loopPath))!.checkpoint).not.toHaveProperty("guarded");
    });

    test("OP-7: tokens of a loop are those of its steps", async () => {
      const claim = await claimedLoop(get());
      const usage = { inputTokens: 30, outputTokens: 12 };
      await get().work.recordStep(claim, parentScope, stepOf("ask"), [], { usage, loops: [loopPath] });
      expect(await get().work.loopTokens(claim.runId, loopPath)).toBe(42);
      expect(await get().work.loopTokens(claim.runId, '["other"]')).toBe(0);
    });

    test("OP-7: what is not there is told apart", async () => {
      const reads = get().reads;
      const asked = { from: 0, to: 1, first: true };
      expect(await reads.keptStates(newId(), { path: null, epoch: null }, asked)).toBe("no_run");
      const runId = await livedThrough(get(), ["1", "2"]);
      expect(await reads.keptStates(runId, { path: '["other"]', epoch: null }, asked)).toBe("no_loop");
      expect(await reads.keptStates(runId, { path: null, epoch: 4 }, asked)).toMatchObject({
        completed: 0,
        state: null,
      });
    });
  });
}

async function kept(store: StoreUnderTest, runId: string, from: number, to: number): Promise<KeptStates> {
  const found = await store.reads.keptStates(runId, { path: null, epoch: null }, { from, to, first: false });
  if (typeof found === "string") throw new Error(found);
  return found;
}
