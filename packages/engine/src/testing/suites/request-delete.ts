import { describe, expect, test } from "vitest";
import {
  caller,
  cancelled,
  claimed,
  claimedLoop,
  claimedRun,
  eventsOf,
  flowVersionOf,
  leaseMs,
  loopPath,
  maxAttempts,
  newId,
  newRun,
  parentScope,
  parked,
  resumeOf,
  started,
  stepOf,
  wakeIn,
} from "./fixtures.ts";
import type { GetStore } from "./harness.ts";

/** Deleting runs and archiving flows (3.4, S-22). */
export function removalTests(get: GetStore): void {
  const remove = (runId: string) => get().requests.deleteRun(runId, caller);

  describe("deleting a run", () => {
    test("3.4: a parked run goes with its loops, history, steps, events and logs; its audit rows stay without payloads", async () => {
      const { runId } = await parked(get());
      const claim = await claimed(
        get(),
        wakeIn(await get().requests.resumeRun(resumeOf(runId, { payload: '"private"' }))),
      );
      await get().work.recordStep(claim, parentScope, stepOf("a"), eventsOf("node-done"));
      const log = { scope: parentScope, frame: "[]", node: "a", attempt: 1, text: "said" };
      await get().work.appendLog(claim, log);
      await get().requests.cancelRun(runId, caller, cancelled);
      expect(await remove(runId)).toEqual({ kind: "deleted" });
      expect(await get().reads.run(runId)).toBeNull();
      expect(await get().work.checkpoint(runId, loopPath)).toBeNull();
      expect(await get().work.history(runId, loopPath, 0)).toEqual([]);
      expect(await get().work.steps(runId, parentScope)).toEqual([]);
      expect(await get().reads.events(runId, { after: 0, limit: 9 })).toBe("no_run");
      expect(await get().reads.logs(runId, { iteration: null, limit: 9 })).toBe("no_run");
      const audits = await get().audits(runId);
      expect(audits.map(({ action }) => action)).toEqual(["resume", "cancel", "delete"]);
      expect(audits.every(({ payload }) => payload === null)).toBe(true);
      expect(await remove(runId)).toEqual({ kind: "not_found" });
    });

    test("3.4: queued and ended runs go; their wakes and late workers find nothing", async () => {
      const wake = await started(get());
      expect(await remove(wake.runId)).toEqual({ kind: "deleted" });
      expect(await get().work.claim(wake, "w", leaseMs, maxAttempts)).toEqual({ kind: "stale" });
      const claim = await claimedLoop(get());
      await get().requests.cancelRun(claim.runId, caller, cancelled);
      expect(await remove(claim.runId)).toEqual({ kind: "deleted" });
      expect(await get().work.appendEvents(claim, eventsOf("late"))).toEqual({ kind: "stale" });
      expect(await get().work.heartbeat([{ ...claim, activeMs: 1 }], leaseMs)).toEqual(new Set());
    });

    test("3.4: a running run stays, whoever holds it", async () => {
      const claim = await claimedRun(get());
      expect(await remove(claim.runId)).toEqual({ kind: "running", status: "running" });
      expect(await get().reads.run(claim.runId)).toMatchObject({ status: "running" });
      expect(await get().audits(claim.runId)).toEqual([]);
      expect(await remove(newId())).toEqual({ kind: "not_found" });
    });

    test("3.4: a delete beside a claim ends in one of the two, never in both", async () => {
      for (let round = 0; round < 5; round += 1) {
        const wake = await started(get());
        const [claim, removed] = await Promise.all([
          get().work.claim(wake, "w", leaseMs, maxAttempts),
          remove(wake.runId),
        ]);
        expect([claim.kind, removed.kind]).toEqual(
          removed.kind === "deleted" ? ["stale", "deleted"] : ["claimed", "running"],
        );
      }
    });

    test("3.4: the Idempotency-Key of a deleted run is free again", async () => {
      const run = await newRun(get(), { idempotencyKey: newId() });
      await get().requests.startRun(run);
      await remove(run.id);
      expect(await get().requests.startRun({ ...run, id: newId() })).toMatchObject({ kind: "created" });
    });
  });

  describe("archiving a flow", () => {
    const archive = (flow: string) => get().requests.archiveFlow(flow, caller);

    test("3.4: an archived flow is listed and started no longer, its versions stay readable, registering brings it back", async () => {
      const version = flowVersionOf();
      const { flow } = version;
      await get().requests.registerFlow(version);
      const archived = await archive(flow);
      expect(archived).toEqual({ kind: "archived", archivedAt: expect.stringMatching(/Z$/) });
      expect(await archive(flow)).toEqual(archived);
      const audits = (await get().audits(null)).filter(({ action }) => action === "flow_archive");
      expect(audits.at(-1)).toMatchObject(caller);
      expect(await get().requests.flowVersion(flow, null)).toBeNull();
      expect(await get().requests.flowVersionById(version.id)).not.toBeNull();
      const archivedAt = "archivedAt" in archived ? archived.archivedAt : "";
      expect(await get().reads.flow(flow)).toMatchObject({ archivedAt });
      expect(JSON.stringify(await get().reads.flows({ limit: 500 }))).not.toContain(flow);
      await get().requests.registerFlow(version);
      expect(await get().requests.flowVersion(flow, null)).toMatchObject({ version: 1 });
      expect(await get().reads.flow(flow)).toMatchObject({ archivedAt: null });
    });

    test("3.4: a flow with runs that have not ended is not archived, and they are named", async () => {
      const run = await newRun(get());
      await get().requests.startRun(run);
      expect(await archive(run.flow)).toEqual({ kind: "in_use", runs: [run.id] });
      await get().requests.cancelRun(run.id, caller, cancelled);
      expect(await archive(run.flow)).toMatchObject({ kind: "archived" });
      expect(await archive("no-such-flow")).toEqual({ kind: "not_found" });
    });
  });
}
