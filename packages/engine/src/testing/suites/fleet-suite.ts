import { describe, expect, test } from "vitest";
import { WORKER_SILENT_MS } from "../../ports/fleet.ts";
import type { WorkerSign } from "../../ports/fleet.ts";
import {
  caller,
  cancelled,
  claimedLoop,
  claimedRun,
  eventsOf,
  loopPath,
  newId,
  parentScope,
  parked,
  started,
} from "./fixtures.ts";
import { freshStore } from "./harness.ts";
import type { MakeStore } from "./harness.ts";

const DAY_MS = 86_400_000;

const sign = (id: string): WorkerSign => ({
  ...{ id, version: "1.2.3", queue: "redis", concurrency: 10, draining: false },
});

/** Registers the tests every `FleetStore` must pass; `name` tells the stores apart. */
export function fleetStoreSuite(name: string, makeStore: MakeStore): void {
  describe(`fleet: ${name}`, () => {
    const get = freshStore(makeStore);
    const ended = async (): Promise<string> => {
      const claim = await claimedRun(get());
      await get().work.finishRun(claim, { status: "succeeded" }, eventsOf("run-succeeded"));
      return claim.runId;
    };

    test("K-3: a worker is seen while it gives signs of life, idle or not, and how much it holds", async () => {
      expect(await get().fleet.workers()).toEqual([]);
      await get().fleet.signIn(sign("worker-1"));
      await get().fleet.signIn({ ...sign("worker-1"), draining: true });
      await get().fleet.signIn(sign("idle"));
      await claimedRun(get());
      expect(await get().fleet.workers()).toEqual([
        {
          ...{ ...sign("worker-1"), draining: true, alive: true, holding: 1 },
          ...{ startedAt: expect.stringMatching(/Z$/), lastSeenAt: expect.stringMatching(/Z$/) },
        },
        expect.objectContaining({ id: "idle", alive: true, holding: 0 }),
      ]);
      expect((await get().reads.activity()).workers).toBe(2);
      await get().clockForward(WORKER_SILENT_MS + 1000);
      expect((await get().fleet.workers()).map(({ alive }) => alive)).toEqual([false, false]);
      expect((await get().reads.activity()).workers).toBe(0);
      await get().fleet.signOff("idle");
      expect((await get().fleet.workers()).map(({ id }) => id)).toEqual(["worker-1"]);
    });

    test("S-26, P-81: runs that ended long ago go with everything of theirs, oldest first, in batches", async () => {
      const first = await ended();
      await get().clockForward(DAY_MS);
      const second = await ended();
      const third = await claimedLoop(get());
      await get().requests.cancelRun(third.runId, caller, cancelled);
      await get().clockForward(2 * DAY_MS);
      const young = await ended();
      expect(await get().fleet.removeEnded(DAY_MS, 1)).toBe(1);
      expect(await get().reads.run(first)).toBeNull();
      expect(await get().reads.run(second)).not.toBeNull();
      expect(await get().fleet.removeEnded(DAY_MS, 100)).toBe(2);
      expect(await get().fleet.removeEnded(DAY_MS, 100)).toBe(0);
      expect(await get().reads.run(second)).toBeNull();
      expect(await get().work.checkpoint(third.runId, loopPath)).toBeNull();
      expect(await get().work.history(third.runId, loopPath, 0)).toEqual([]);
      expect(await get().work.steps(third.runId, parentScope)).toEqual([]);
      expect(await get().reads.events(third.runId, { after: 0, limit: 9 })).toBe("no_run");
      expect((await get().audits(third.runId)).map(({ action }) => action)).toEqual(["cancel"]);
      expect(await get().reads.run(young)).not.toBeNull();
    });

    test("S-26, P-81: parked and live runs stay, however old", async () => {
      const kept = [
        (await parked(get())).runId,
        (await started(get())).runId,
        (await claimedRun(get())).runId,
      ];
      await get().clockForward(400 * DAY_MS);
      expect(await get().fleet.removeEnded(DAY_MS, 100)).toBe(0);
      for (const runId of kept) expect(await get().reads.run(runId)).not.toBeNull();
      expect(await get().reads.run(newId())).toBeNull();
    });

    test("S-26: what the tables hold is told, largest first", async () => {
      await ended();
      const { tables, databaseBytes } = await get().fleet.size();
      expect(tables.map(({ table }) => table)).toContain("run");
      expect(tables.map(({ bytes }) => bytes)).toEqual(
        tables.map(({ bytes }) => bytes).toSorted((a, b) => b - a),
      );
      expect(databaseBytes).toBeGreaterThanOrEqual(0);
    });
  });
}
