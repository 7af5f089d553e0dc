import { describe, expect, test } from "vitest";
import type { StepScope } from "../../ports/work.ts";
import {
  claimed,
  claimedLoop,
  claimedRun,
  commitOf,
  committed,
  leaseMs,
  loopPath,
  parentScope,
  stepOf,
} from "./fixtures.ts";
import type { GetStore } from "./harness.ts";

const round = (iteration: number, epoch = 0): StepScope => ({ loop: loopPath, epoch, iteration });

/** The step journal (S-11, L-19). */
export function stepTests(get: GetStore): void {
  describe("step journal", () => {
    test("S-11: steps come back in the order they finished, with every output exactly as it was", async () => {
      const claim = await claimedRun(get());
      const texts = new Map([
        ["result", "line\nwith \0 NUL and \ud800 half a pair"],
        ["__proto__", "a slot of that name"],
        ["constructor", ""],
        ["10", "ten"],
        ["2", "two"],
      ]);
      const steps = [
        stepOf("zeta", { outputs: texts }),
        stepOf("alpha", { outputs: new Map(), shown: true }),
        stepOf("alpha", { frame: '[["again","body",1]]' }),
        stepOf("alpha", { frame: '[["again","body",2]]', fingerprint: "" }),
        stepOf("步骤", { frame: '[["step:1"]]' }),
      ];
      for (const step of steps)
        expect(await get().work.recordStep(claim, parentScope, step, [])).toEqual({ kind: "stored" });
      const stored = await get().work.steps(claim.runId, parentScope);
      expect(stored).toEqual(steps);
      expect([...stored[0]!.outputs.keys()]).toEqual([...texts.keys()]);
    });

    test("S-11, P-06: scopes do not mix: parent graph, iterations, epochs, loops and runs", async () => {
      const claim = await claimedLoop(get());
      const other = await claimedLoop(get());
      const scopes = [parentScope, round(1), round(2), round(1, 1), { ...round(1), loop: '["again",1]' }];
      for (const [i, scope] of scopes.entries())
        await get().work.recordStep(claim, scope, stepOf(`node${i}`), []);
      for (const [i, scope] of scopes.entries()) {
        expect((await get().work.steps(claim.runId, scope)).map((step) => step.node)).toEqual([`node${i}`]);
        expect(await get().work.steps(other.runId, scope)).toEqual([]);
      }
    });

    test("S-11: a step of the same address replaces the earlier one", async () => {
      const claim = await claimedRun(get());
      await get().work.recordStep(
        claim,
        parentScope,
        stepOf("a", { outputs: new Map([["result", "old"]]) }),
        [],
      );
      const newer = stepOf("a", { fingerprint: "other", outputs: new Map([["text", "new"]]), shown: true });
      await get().work.recordStep(claim, parentScope, newer, []);
      expect(await get().work.steps(claim.runId, parentScope)).toEqual([newer]);
    });

    test("L-19: stored steps are there for the worker that takes the iteration over", async () => {
      const claim = await claimedLoop(get());
      await get().work.recordStep(claim, round(1), stepOf("a"), []);
      await get().clockForward(leaseMs + 1_000);
      await claimed(get(), claim, "worker-2");
      expect(await get().work.steps(claim.runId, round(1))).toEqual([stepOf("a")]);
    });

    test("S-11: the commit of an iteration drops its own steps except shown results, and no others", async () => {
      const claim = await claimedLoop(get());
      const shown = stepOf("show", { outputs: new Map([["content", "seen"]]), shown: true });
      await get().work.recordStep(claim, parentScope, stepOf("before"), []);
      await get().work.recordStep(claim, round(1), stepOf("work"), []);
      await get().work.recordStep(claim, round(1), stepOf("inner", { frame: '[["again","body",1]]' }), []);
      await get().work.recordStep(claim, round(1), shown, []);
      await get().work.recordStep(claim, round(1, 1), stepOf("other epoch"), []);
      await committed(get(), commitOf(claim, 1));
      expect(await get().work.steps(claim.runId, round(1))).toEqual([shown]);
      expect(await get().work.steps(claim.runId, round(1, 1))).toEqual([stepOf("other epoch")]);
      expect(await get().work.steps(claim.runId, parentScope)).toEqual([stepOf("before")]);
    });

    test("L-19: a commit that comes too late drops no steps", async () => {
      const claim = await claimedLoop(get());
      await get().work.recordStep(claim, round(1), stepOf("a"), []);
      expect(await get().work.commitIteration(commitOf({ ...claim, token: claim.token - 1 }, 1))).toEqual({
        kind: "stale",
      });
      expect(await get().work.steps(claim.runId, round(1))).toEqual([stepOf("a")]);
    });
  });
}
