import { describe, expect, test } from "vitest";
import type { Claim } from "../../ports/work.ts";
import {
  cancelled,
  caller,
  claimed,
  claimedLoop,
  claimedRun,
  commitOf,
  committed,
  digestOf,
  entryOf,
  checkpointOf,
  leaseMs,
  loopOf,
  loopPath,
  maxAttempts,
  parentScope,
  resumeOf,
  stepOf,
  wakeIn,
} from "./fixtures.ts";
import type { GetStore } from "./harness.ts";

const digest = digestOf("references");
const sealed = new Uint8Array([1, 0, 255, 128, 10]);
const round = { loop: loopPath, epoch: 0, iteration: 1 };
const tokens = (inputTokens: number, outputTokens: number) => ({ inputTokens, outputTokens });

/** Encrypted contexts (L-49) and token usage (F-27). */
export function resourceTests(get: GetStore): void {
  describe("contexts", () => {
    const kept = (claim: Claim) => get().work.context(claim.runId, digest);
    const keep = (claim: Claim, bytes = sealed) => get().work.keepContext(claim, digest, bytes);

    test("L-49: a context comes back byte for byte, for its own run and references only", async () => {
      const claim = await claimedRun(get());
      const other = await claimedRun(get());
      expect(await kept(claim)).toBeNull();
      expect(await keep(claim)).toEqual({ kind: "stored" });
      expect([...(await kept(claim))!]).toEqual([...sealed]);
      expect(await kept(other)).toBeNull();
      expect(await get().work.context(claim.runId, digestOf("others"))).toBeNull();
    });

    test("L-48: the first context kept stays, whoever comes later", async () => {
      const claim = await claimedRun(get());
      await keep(claim);
      expect(await keep(claim, new Uint8Array([9]))).toEqual({ kind: "stored" });
      expect([...(await kept(claim))!]).toEqual([...sealed]);
    });

    test("S-6: who lost the claim keeps no context", async () => {
      const claim = await claimedRun(get());
      expect(await keep({ ...claim, token: claim.token - 1 })).toEqual({ kind: "stale" });
      expect(await kept(claim)).toBeNull();
      await get().requests.cancelRun(claim.runId, caller, cancelled);
      expect(await keep(claim)).toEqual({ kind: "stale" });
      expect(await kept(claim)).toBeNull();
    });

    test("L-49: a context outlives iterations and lost workers, and goes when the run is resumed", async () => {
      const claim = await claimedLoop(get());
      await keep(claim);
      const token = await committed(get(), commitOf(claim, 1));
      const second = await claimed(get(), { runId: claim.runId, token });
      await get().clockForward(leaseMs + 1_000);
      const third = await claimed(get(), second, "worker-2");
      expect(await kept(third)).not.toBeNull();
      const checkpoint = checkpointOf({ status: "waiting", nextIteration: 3, decision: "wait" });
      const wait = {
        checkpoint,
        entry: entryOf(2, { decision: "wait" }),
        run: { status: "waiting" },
      } as const;
      await committed(get(), commitOf(third, 2, wait));
      expect(await kept(third)).not.toBeNull();
      wakeIn(await get().requests.resumeRun(resumeOf(claim.runId)));
      expect(await kept(third)).toBeNull();
    });

    test("L-49: a context goes with the end of its run: success, failure in and outside an iteration, cancel, lost workers", async () => {
      const failure = { ...cancelled, code: "node_failed" } as const;
      const ends: readonly ((claim: Claim) => Promise<unknown>)[] = [
        (claim) => get().work.finishRun(claim, { status: "succeeded" }, []),
        (claim) => get().work.finishRun(claim, { status: "failed", failure }, []),
        (claim) =>
          get().work.commitIteration(commitOf(claim, 1, { entry: null, run: { status: "failed", failure } })),
        (claim) => get().requests.cancelRun(claim.runId, caller, cancelled),
        async (claim) => {
          let wake: { runId: string; token: number } = claim;
          for (let lost = 1; lost < maxAttempts; lost += 1) {
            await get().clockForward(leaseMs + 1_000);
            wake = await claimed(get(), wake);
          }
          await get().clockForward(leaseMs + 1_000);
          return get().work.claim(wake, "last", leaseMs, maxAttempts);
        },
      ];
      for (const [index, end] of ends.entries()) {
        const claim = await claimedLoop(get());
        await keep(claim);
        await end(claim);
        expect((await get().reads.run(claim.runId))?.finishedAt, String(index)).not.toBeNull();
        expect(await kept(claim), String(index)).toBeNull();
      }
    });
  });

  describe("token usage", () => {
    const usage = async (claim: Claim) => {
      const view = await get().reads.run(claim.runId);
      return [view?.usage, ...(view?.loops ?? []).map((loop) => loop.usage)];
    };

    test("F-27: tokens of steps add up for the run and for every loop around the step", async () => {
      const claim = await claimedLoop(get());
      const inner = '[["again","body",1],"inner"]';
      const nested = { fence: claim, scope: round, entry: null, events: [] };
      await get().work.commitNested({ ...nested, ...loopOf({}, inner) });
      await get().work.recordStep(claim, parentScope, stepOf("before"), [], {
        usage: tokens(5, 1),
        loops: [],
      });
      await get().work.recordStep(claim, round, stepOf("a"), [], { usage: tokens(70, 7), loops: [loopPath] });
      const both = { usage: tokens(2_000_000_000, 100), loops: [loopPath, inner] };
      await get().work.recordStep(claim, round, stepOf("b"), [], both);
      await get().work.recordStep(claim, round, stepOf("c"), []);
      expect(await usage(claim)).toEqual([
        tokens(2_000_000_075, 108),
        tokens(2_000_000_070, 107),
        tokens(2_000_000_000, 100),
      ]);
    });

    test("F-27: a repeated step counts again, and the sum outlives commit, failure and the steps themselves", async () => {
      const claim = await claimedLoop(get());
      const spent = { usage: tokens(10, 2), loops: [loopPath] };
      await get().work.recordStep(claim, round, stepOf("a"), [], spent);
      await get().work.recordStep(claim, round, stepOf("a"), [], spent);
      const token = await committed(get(), commitOf(claim, 1));
      const next = await claimed(get(), { runId: claim.runId, token });
      await get().work.finishRun(next, { status: "succeeded" }, []);
      expect(await usage(claim)).toEqual([tokens(20, 4), tokens(20, 4)]);
    });

    test("S-6: tokens of a stale step do not count, and a run without agents used none", async () => {
      const claim = await claimedLoop(get());
      const spent = { usage: tokens(10, 2), loops: [loopPath] };
      const late = { ...claim, token: claim.token - 1 };
      expect(await get().work.recordStep(late, round, stepOf("a"), [], spent)).toEqual({ kind: "stale" });
      expect(await usage(claim)).toEqual([tokens(0, 0), tokens(0, 0)]);
    });
  });
}
