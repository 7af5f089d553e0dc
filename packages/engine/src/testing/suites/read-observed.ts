import { describe, expect, test } from "vitest";
import { LOG_PAGE_UNITS } from "../../ports/logs.ts";
import {
  caller,
  cancelled,
  claimed,
  claimedLoop,
  claimedRun,
  commitOf,
  committed,
  eventsOf,
  leaseMs,
  loopPath,
  newId,
  parentScope,
  parked,
  started,
} from "./fixtures.ts";
import type { GetStore } from "./harness.ts";

/** Events and logs of one run, and why it stands where it stands. */
export function observationTests(get: GetStore): void {
  describe("events of a run", () => {
    test("L-50: pages go on behind any number without gaps, also inside one write", async () => {
      const claim = await claimedRun(get());
      await get().work.appendEvents(claim, eventsOf("a", "b", "c"));
      await get().work.appendEvents(claim, eventsOf("d"));
      for (let after = 0; after <= 4; after += 1) {
        const page = await get().reads.events(claim.runId, { after, limit: 100 });
        if (page === "no_run") throw new Error(page);
        expect(page).toMatchObject({ newest: 4, ended: false });
        expect(page.items.map(({ seq }) => seq)).toEqual([1, 2, 3, 4].slice(after));
        expect(page.items.every(({ at }) => at.endsWith("Z"))).toBe(true);
      }
      const first = await get().reads.events(claim.runId, { after: 0, limit: 1 });
      if (first === "no_run") throw new Error(first);
      expect(first.items[0]).toMatchObject({ seq: 1, type: "a" });
      expect(await get().reads.events(newId(), { after: 0, limit: 1 })).toBe("no_run");
      expect(await get().reads.events("x", { after: 0, limit: 1 })).toBe("no_run");
    });

    test("L-50: heads tell how far many runs are and which have ended", async () => {
      const live = await claimedRun(get());
      await get().work.appendEvents(live, eventsOf("a", "b"));
      const over = await claimedRun(get());
      await get().requests.cancelRun(over.runId, caller, cancelled);
      const heads = await get().reads.eventHeads([live.runId, over.runId, newId()]);
      expect(heads).toEqual(
        new Map([
          [live.runId, { newest: 2, ended: false }],
          [over.runId, { newest: 1, ended: true }],
        ]),
      );
    });
  });

  describe("logs of a run", () => {
    const round = (iteration: number) => ({ loop: loopPath, epoch: 0, iteration });
    const logOf = (text: string, given: object = {}) => ({
      ...{ scope: parentScope, frame: "[]", node: "step", attempt: 1, text },
      ...given,
    });

    test("3.4: stderr comes back in order, with its place, of one iteration or of all", async () => {
      const claim = await claimedLoop(get());
      await get().work.appendLog(claim, logOf("before\n\ufffd é"));
      for (const iteration of [1, 2])
        await get().work.appendLog(
          claim,
          logOf(`in ${iteration}`, { scope: round(iteration), frame: '[["again","body",1]]', attempt: 2 }),
        );
      const all = await get().reads.logs(claim.runId, { iteration: null, limit: 50 });
      expect(all).toMatchObject({
        items: [
          {
            loop: null,
            epoch: 0,
            iteration: null,
            frame: "[]",
            node: "step",
            attempt: 1,
            text: "before\n\ufffd é",
          },
          { loop: loopPath, iteration: 1, frame: '[["again","body",1]]', attempt: 2, text: "in 1" },
          { loop: loopPath, iteration: 2, text: "in 2" },
        ],
        nextCursor: null,
      });
      const second = await get().reads.logs(claim.runId, { iteration: 2, limit: 50 });
      expect(second).toMatchObject({ items: [{ text: "in 2", at: expect.stringMatching(/Z$/) }] });
    });

    test("3.4: pages follow each other, and end early where texts are long", async () => {
      const claim = await claimedRun(get());
      const long = "x".repeat(LOG_PAGE_UNITS / 4);
      for (let number = 0; number < 7; number += 1)
        await get().work.appendLog(claim, logOf(`${number}${long}`));
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const query = { iteration: null, limit: 6, ...(cursor === null ? {} : { cursor }) };
        const page = await get().reads.logs(claim.runId, query);
        if (typeof page === "string") throw new Error(page);
        expect(page.items.length).toBeGreaterThan(0);
        expect(page.items.length).toBeLessThan(5);
        seen.push(...page.items.map(({ text }) => text[0] ?? ""));
        cursor = page.nextCursor;
      } while (cursor !== null && seen.length < 50);
      expect(seen.join("")).toBe("0123456");
      for (const wrong of ["x", "W10", "e30"])
        expect(await get().reads.logs(claim.runId, { iteration: null, limit: 1, cursor: wrong })).toBe(
          "invalid_cursor",
        );
      expect(await get().reads.logs(newId(), { iteration: null, limit: 1 })).toBe("no_run");
    });

    test("S-6: whoever lost the claim stores no log", async () => {
      const claim = await claimedRun(get());
      await get().requests.cancelRun(claim.runId, caller, cancelled);
      expect(await get().work.appendLog(claim, logOf("late"))).toEqual({ kind: "stale" });
      expect(await get().reads.logs(claim.runId, { iteration: null, limit: 9 })).toMatchObject({ items: [] });
    });
  });

  describe("standing of a run", () => {
    const standing = (runId: string) => get().reads.standing(runId);

    test("3.4: queued, executing, between iterations, parked and ended are told apart", async () => {
      const queued = await started(get());
      expect(await standing(queued.runId)).toMatchObject({ status: "queued", leased: false, loop: null });
      const claim = await claimedLoop(get());
      expect(await standing(claim.runId)).toMatchObject({
        ...{ status: "running", leased: true, leaseOwner: "worker-1", attempt: 1, nextIteration: 1 },
        loop: { label: "Again", summary: "" },
      });
      await committed(get(), commitOf(claim, 1));
      expect(await standing(claim.runId)).toMatchObject({
        leased: false,
        leaseOwner: null,
        nextIteration: 2,
      });
      const { runId } = await parked(get());
      expect(await standing(runId)).toMatchObject({
        status: "waiting",
        settledAt: expect.stringMatching(/Z$/),
      });
      await get().requests.cancelRun(claim.runId, caller, cancelled);
      expect(await standing(claim.runId)).toMatchObject({ status: "cancelled", failure: cancelled });
      expect(await standing(newId())).toBeNull();
      expect(await standing("x")).toBeNull();
    });

    test("L-52: an attempt that died is shown with its worker, its time and its key until the iteration is committed", async () => {
      const first = await claimedLoop(get());
      await get().clockForward(leaseMs + 1_000);
      const second = await claimed(get(), first, "worker-2");
      const key = /^afw_[0-9a-f]{32}$/;
      expect((await standing(first.runId))?.lost).toEqual({
        attempt: 1,
        worker: "worker-1",
        startedAt: expect.stringMatching(/Z$/),
        idempotencyKey: expect.stringMatching(key),
      });
      await committed(get(), commitOf(second, 1));
      expect((await standing(first.runId))?.lost).toBeNull();
    });

    test("3.4: a queued run knows how many were queued before it", async () => {
      const first = await started(get());
      await started(get());
      const last = await started(get());
      await get().alignCreated([first.runId]);
      expect((await standing(first.runId))?.ahead).toBe(0);
      expect((await standing(last.runId))?.ahead).toBeGreaterThan(0);
    });

    test("S-9: a run that nobody moves is overdue, one whose worker was lost a while ago too", async () => {
      const { runId } = await started(get());
      const claim = await claimed(get(), await started(get()));
      expect(await standing(runId)).toMatchObject({ overdue: false });
      await get().clockForward(leaseMs + 40_000);
      expect(await standing(runId)).toMatchObject({ overdue: true });
      expect(await standing(claim.runId)).toMatchObject({
        overdue: true,
        leased: false,
        leaseOwner: "worker-1",
      });
      expect(await get().reads.stuck()).toBeGreaterThanOrEqual(2);
    });

    test("S-25: the age of what is parked is that of the longest parked run", async () => {
      const { runId } = await parked(get());
      await parked(get());
      const oldest = await get().reads.oldestParked();
      expect(oldest).toMatch(/Z$/);
      expect(oldest! <= (await standing(runId))!.settledAt!).toBe(true);
    });
  });

  test("3.4: a flow shows its versions and its runs by status", async () => {
    const claim = await claimedLoop(get());
    const { flow } = (await get().reads.run(claim.runId))!;
    const found = await get().reads.flow(flow);
    expect(found).toMatchObject({ flow, version: 1, archivedAt: null });
    expect(found?.versions).toEqual([
      { version: 1, digest: found?.digest, createdAt: expect.stringMatching(/Z$/) },
    ]);
    expect(found?.runs).toEqual({ queued: 0, running: 1, waiting: 0, succeeded: 0, failed: 0, cancelled: 0 });
    expect(await get().reads.flow("no-such-flow")).toBeNull();
  });
}
