import { describe, expect, test } from "vitest";
import {
  caller,
  cancelled,
  checkpointOf,
  claimed,
  claimedLoop,
  claimedRun,
  commitOf,
  committed,
  entryOf,
  eventsOf,
  loopOf,
  parentScope,
  resumeOf,
  started,
  stepOf,
  wakeIn,
} from "./fixtures.ts";
import type { GetStore } from "./harness.ts";

/** Events of a run (L-50). */
export function eventTests(get: GetStore): void {
  const types = async (runId: string) => (await get().events(runId)).map((event) => event.type);

  describe("events", () => {
    test("L-50: every write of a run's life numbers its events on from 1 without gaps", async () => {
      const { requests, work } = get();
      const first = await claimed(get(), await started(get(), { events: eventsOf("queued") }));
      await work.appendEvents(first, eventsOf("run-started", "node-start"));
      await work.recordStep(first, parentScope, stepOf("a"), eventsOf("node-done"));
      await work.beginLoop(first, loopOf(), eventsOf("node-start"));
      await work.commitNested({
        ...loopOf({}, '[["again","body",1],"i"]'),
        fence: first,
        scope: parentScope,
        entry: null,
        events: eventsOf("inner"),
      });
      await work.appendEvents(first, []);
      const parking = checkpointOf({ status: "waiting", nextIteration: 2, decision: "wait" });
      const events = eventsOf("while-iteration-done", "run-waiting");
      await committed(
        get(),
        commitOf(first, 1, {
          checkpoint: parking,
          entry: entryOf(1, { decision: "wait" }),
          run: { status: "waiting" },
          events,
        }),
      );
      const second = await claimed(get(), wakeIn(await requests.resumeRun(resumeOf(first.runId))));
      await work.resetLoop(second, loopOf({ epoch: 1 }), eventsOf("loop-reset"));
      await work.finishRun(second, { status: "succeeded" }, eventsOf("run-succeeded"));

      const stored = await get().events(first.runId);
      expect(stored.map((event) => event.type)).toEqual([
        ...["queued", "run-started", "node-start", "node-done", "node-start", "inner"],
        ...["while-iteration-done", "run-waiting", "run-resumed", "loop-reset", "run-succeeded"],
      ]);
      expect(stored.map((event) => event.seq)).toEqual(stored.map((_, i) => i + 1));
      for (const event of stored) expect(event.at).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    });

    test("L-50, P-46: fields come back exactly, and a time given by the writer is kept", async () => {
      const claim = await claimedRun(get());
      const event = {
        type: "node-failed",
        at: "2026-01-02T03:04:05.678Z",
        text: "\0 \ud800 é",
        count: 2 ** 40,
        none: null,
        yes: true,
        inner: { list: [1, { "": -1 }] },
      };
      await get().work.appendEvents(claim, [event, { type: "node-start" }]);
      const stored = await get().events(claim.runId);
      expect(stored[0]).toEqual({ ...event, seq: 1 });
      expect(stored[1]).toMatchObject({ type: "node-start", seq: 2 });
    });

    test("L-50: events written at the same moment get numbers of their own", async () => {
      const claim = await claimedRun(get());
      await Promise.all(
        Array.from({ length: 20 }, (_, i) => get().work.appendEvents(claim, eventsOf(`a${i}`, `b${i}`))),
      );
      const stored = await get().events(claim.runId);
      expect(stored.map((event) => event.seq)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
      expect(new Set(stored.map((event) => event.type)).size).toBe(40);
    });

    test("L-50: a cancel is an event, and nothing of the late worker follows it", async () => {
      const claim = await claimedLoop(get());
      await get().requests.cancelRun(claim.runId, caller, cancelled);
      expect(await get().work.appendEvents(claim, eventsOf("late"))).toEqual({ kind: "stale" });
      expect(await types(claim.runId)).toEqual(["run-cancelled"]);
    });
  });
}
