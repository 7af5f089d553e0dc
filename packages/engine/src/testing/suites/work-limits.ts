import { describe, expect, test } from "vitest";
import type { FlowLimits } from "../../ports/limits.ts";
import type { NewRun } from "../../ports/requests.ts";
import type { Wake } from "../../ports/work.ts";
import {
  caller,
  cancelled,
  claimed,
  commitOf,
  committed,
  digestOf,
  flowVersionOf,
  leaseMs,
  loopOf,
  maxAttempts,
  newId,
  wakeIn,
} from "./fixtures.ts";
import type { GetStore } from "./harness.ts";

/** Limits of flows: how many runs are executed at a time, counted by their leases. */
export function limitTests(get: GetStore): void {
  const setLimits = (flow: string, limits: Partial<FlowLimits>) =>
    get().requests.setFlowLimits(flow, { maxRunning: null, maxRunningPerKey: null, ...limits }, caller);

  async function flowWith(limits: Partial<FlowLimits>) {
    const version = flowVersionOf();
    await get().requests.registerFlow(version);
    expect(await setLimits(version.flow, limits)).toBe(true);
    const start = async (given: Partial<NewRun> = {}): Promise<Wake> =>
      wakeIn(
        await get().requests.startRun({
          ...{
            id: newId(),
            flowVersionId: version.id,
            flow: version.flow,
            version: 1,
            inputs: "{}",
            tags: [],
          },
          ...{
            priority: null,
            idempotencyKey: null,
            requestDigest: digestOf("start"),
            rerunOf: null,
            events: [],
          },
          ...given,
        }),
      );
    return { flow: version.flow, start };
  }
  const kind = async (wake: { runId: string; token: number }) =>
    (await get().work.claim(wake, "worker-1", leaseMs, maxAttempts)).kind;
  const behind = async (runId: string) => (await get().work.wakesBehind(runId)).map((wake) => wake.runId);
  /** Ends an iteration, so that the run may be claimed again. */
  async function iterate(wake: Wake): Promise<Wake> {
    const claim = await claimed(get(), wake);
    await get().work.beginLoop(claim, loopOf(), []);
    return { runId: wake.runId, token: await committed(get(), commitOf(claim, 1)), delayMs: 0 };
  }

  describe("limits of a flow", () => {
    test("A22: no more runs are claimed than the limit says, and the next one when a lease is over", async () => {
      const { start } = await flowWith({ maxRunning: 2 });
      const [first, second, third] = [await start(), await start(), await start()];
      const claim = await claimed(get(), first);
      expect(claim.limited).toBe(true);
      expect(await kind(second)).toBe("claimed");
      expect(await kind(third)).toBe("limited");
      expect(await behind(first.runId)).toEqual([]);
      await get().work.finishRun(claim, { status: "succeeded" }, []);
      expect(await get().work.wakesBehind(first.runId)).toEqual([third]);
      expect(await kind(third)).toBe("claimed");
      expect(await behind(first.runId)).toEqual([]);
    });

    test("A22: of many claims at one moment exactly as many succeed as there is room", async () => {
      const { start } = await flowWith({ maxRunning: 3 });
      const wakes = [];
      for (let i = 0; i < 12; i += 1) wakes.push(await start());
      const kinds = await Promise.all(wakes.map(kind));
      expect(kinds.filter((one) => one === "claimed")).toHaveLength(3);
      expect(kinds.filter((one) => one === "limited")).toHaveLength(9);
    });

    test("A22, S-9: a lease that ran out holds no place, without anybody giving it back; the sweep tells the next run", async () => {
      const { start } = await flowWith({ maxRunning: 1 });
      const [dead, next] = [await start(), await start()];
      await claimed(get(), dead);
      expect(await kind(next)).toBe("limited");
      await get().clockForward(leaseMs + 1000);
      expect((await get().work.sweep(10_000)).map(({ runId }) => runId)).toContain(next.runId);
      expect(await kind(next)).toBe("claimed");
      const again = await get().work.claim(
        { runId: dead.runId, token: dead.token + 1 },
        "w",
        leaseMs,
        maxAttempts,
      );
      expect(again.kind).toBe("limited");
    });

    test("A21: the limit per key leaves runs with other keys, and without one, alone", async () => {
      const { start } = await flowWith({ maxRunningPerKey: 1 });
      const a = await start({ concurrencyKey: "a" });
      const a2 = await start({ concurrencyKey: "a" });
      expect(await kind(a)).toBe("claimed");
      expect(await kind(a2)).toBe("limited");
      for (const concurrencyKey of ["b", null, null])
        expect(await kind(await start({ concurrencyKey }))).toBe("claimed");
      expect(await get().reads.run(a2.runId)).toMatchObject({ concurrencyKey: "a", status: "queued" });
      await get().requests.cancelRun(a.runId, caller, cancelled);
      expect(await behind(a.runId)).toEqual([a2.runId]);
    });

    test("A20, A21: a run keeps its place between two iterations, and who waits longest goes next", async () => {
      const { start } = await flowWith({ maxRunning: 1 });
      const [first, second, third] = [await start(), await start(), await start()];
      const claim = await claimed(get(), first);
      expect(await kind(second)).toBe("limited");
      await get().clockForward(10);
      expect(await kind(third)).toBe("limited");
      await get().work.beginLoop(claim, loopOf(), []);
      const next = { runId: first.runId, token: await committed(get(), commitOf(claim, 1)) };
      expect([await kind(third), await behind(first.runId)]).toEqual(["limited", []]);
      const again = await claimed(get(), next);
      await committed(get(), commitOf(again, 2, { run: { status: "waiting" } }));
      expect(await kind(third)).toBe("limited");
      expect(await behind(first.runId)).toEqual([second.runId]);
      expect(await kind(second)).toBe("claimed");
    });

    test("S-9: a run whose next iteration nobody takes gives its place away, and queues for it again", async () => {
      const { start } = await flowWith({ maxRunning: 1 });
      const [first, second] = [await start(), await start()];
      const next = await iterate(first);
      expect(await kind(second)).toBe("limited");
      await get().clockForward(5000);
      expect(await kind(second)).toBe("claimed");
      expect(await kind(next)).toBe("limited");
    });

    test("A20: a step of priority counts like a second of waiting, so that nobody waits for ever", async () => {
      const { start } = await flowWith({ maxRunning: 1 });
      const holder = await claimed(get(), await start());
      const low = await start({ priority: 30 });
      expect(await kind(low)).toBe("limited");
      await get().clockForward(10_000);
      const urgent = await start();
      expect(await kind(urgent)).toBe("limited");
      await get().clockForward(30_000);
      const late = await start();
      expect(await kind(late)).toBe("limited");
      await get().work.finishRun(holder, { status: "succeeded" }, []);
      for (const expected of [urgent, low, late]) {
        expect(await behind(holder.runId)).toEqual([expected.runId]);
        await get().work.finishRun(await claimed(get(), expected), { status: "succeeded" }, []);
      }
    });

    test("S-9: one that waits and is cancelled, or whose claim is stale, holds nobody up", async () => {
      const { start } = await flowWith({ maxRunning: 1 });
      const holder = await claimed(get(), await start());
      const [gone, next] = [await start(), await start()];
      expect(await kind(gone)).toBe("limited");
      expect(await kind(next)).toBe("limited");
      await get().requests.cancelRun(gone.runId, caller, cancelled);
      expect(await kind(gone)).toBe("stale");
      await get().work.finishRun(holder, { status: "succeeded" }, []);
      expect(await behind(holder.runId)).toEqual([next.runId]);
      expect(await kind(next)).toBe("claimed");
    });

    test("3.4: a limit set while runs are there holds for their next claims; taken away, those that wait are due at once", async () => {
      const { flow, start } = await flowWith({});
      const [one, two] = [await iterate(await start()), await iterate(await start())];
      await setLimits(flow, { maxRunning: 1 });
      expect(await get().reads.flow(flow)).toMatchObject({
        limits: { maxRunning: 1, maxRunningPerKey: null },
      });
      expect([await kind(one), await kind(two)]).toEqual(["claimed", "limited"]);
      await setLimits(flow, {});
      expect(await get().reads.flow(flow)).toMatchObject({
        limits: { maxRunning: null, maxRunningPerKey: null },
      });
      expect((await get().work.sweep(10_000)).map(({ runId }) => runId)).toContain(two.runId);
      const free = await claimed(get(), two);
      expect(free.limited).toBeUndefined();
      expect(
        await get().requests.setFlowLimits("no-such-flow", { maxRunning: 1, maxRunningPerKey: null }, caller),
      ).toBe(false);
    });

    test("3.4 explain: a run that waits for a limit says so, and since when", async () => {
      const { start } = await flowWith({ maxRunning: 1 });
      await claimed(get(), await start());
      const [next, last] = [await start(), await start()];
      expect((await get().reads.standing(next.runId))?.limit).toBeNull();
      expect(await kind(next)).toBe("limited");
      await get().clockForward(10);
      expect(await kind(last)).toBe("limited");
      expect((await get().reads.standing(next.runId))?.limit).toEqual({
        ...{ level: "flow", max: 1, ahead: 0, since: expect.stringMatching(/Z$/) },
      });
      expect((await get().reads.standing(last.runId))?.limit).toMatchObject({ ahead: 1 });
    });
  });
}
