import { describe, expect, test } from "vitest";
import { claimed, digestOf, eventsOf, newId, newRun, wakeIn } from "./fixtures.ts";
import type { GetStore } from "./harness.ts";

/** Starting runs (3.4 POST /v1/runs). */
export function startTests(get: GetStore): void {
  describe("starting a run", () => {
    test("S-14: a started run is there, queued, with everything it was given", async () => {
      const inputs = String.raw`{"a":{"2":1,"1":-0,"x":"\u0000\ud800"}}`;
      const run = await newRun(get(), {
        inputs,
        tags: ["b", "a", "with, comma", '{"'],
        priority: -3,
        events: eventsOf("queued"),
      });
      const outcome = await get().requests.startRun(run);
      expect(outcome).toEqual({
        kind: "created",
        wake: { runId: run.id, token: expect.any(Number), delayMs: 0 },
      });
      const { id, flow, version, flowVersionId, tags, priority } = run;
      expect(await get().reads.run(id)).toMatchObject({
        ...{
          id,
          flow,
          version,
          inputs,
          tags,
          priority,
          status: "queued",
          failure: null,
          attempt: 0,
          inDoubt: false,
          leaseOwner: null,
        },
        ...{ dueAt: null, startedAt: null, finishedAt: null, loops: [], outputs: [] },
      });
      expect(await get().requests.runHead(id)).toEqual({
        id,
        flow,
        version,
        flowVersionId,
        status: "queued",
        inputs,
        nextIteration: 1,
        tags,
        priority,
        concurrencyKey: null,
        failure: null,
      });
      expect((await get().events(id)).map((event) => event.type)).toEqual(["queued"]);
      expect(await claimed(get(), wakeIn(outcome))).toMatchObject({ runId: id, flowVersionId, inputs });
    });

    test("3.4: the same Idempotency-Key with the same request names the run there is, whatever became of it", async () => {
      const key = `key-${newId()}`;
      const first = await newRun(get(), { idempotencyKey: key, events: eventsOf("queued") });
      const claim = await claimed(get(), wakeIn(await get().requests.startRun(first)));
      const again = { ...first, id: newId() };
      expect(await get().requests.startRun(again)).toEqual({ kind: "existing", runId: first.id });
      await get().work.finishRun(claim, { status: "succeeded" }, []);
      expect(await get().requests.startRun({ ...first, id: newId() })).toEqual({
        kind: "existing",
        runId: first.id,
      });
      expect(await get().reads.run(again.id)).toBeNull();
      expect(await get().events(first.id)).toHaveLength(1);
    });

    test("3.4: the same Idempotency-Key with another request conflicts and stores nothing", async () => {
      const first = await newRun(get(), { idempotencyKey: `key-${newId()}` });
      await get().requests.startRun(first);
      const other = { ...first, id: newId(), requestDigest: digestOf("another request") };
      expect(await get().requests.startRun(other)).toEqual({ kind: "conflict", runId: first.id });
      expect(await get().reads.run(other.id)).toBeNull();
    });

    test("P-58: of 20 starts with one Idempotency-Key at once one creates the run and all name it", async () => {
      const run = await newRun(get(), { idempotencyKey: `key-${newId()}` });
      const starts = Array.from({ length: 20 }, () => ({ ...run, id: newId() }));
      const outcomes = await Promise.all(starts.map((start) => get().requests.startRun(start)));
      expect(outcomes.filter((outcome) => outcome.kind === "created")).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome.kind === "existing")).toHaveLength(19);
      const ids = outcomes.map((outcome) =>
        outcome.kind === "created" ? outcome.wake.runId : outcome.runId,
      );
      expect(new Set(ids).size).toBe(1);
      const page = await get().reads.runs({ flow: run.flow, limit: 50 });
      expect(page).toMatchObject({ items: [{ id: ids[0] }], nextCursor: null });
    });

    test("3.4: without a key equal requests are runs of their own", async () => {
      const run = await newRun(get());
      expect(await get().requests.startRun(run)).toMatchObject({ kind: "created" });
      expect(await get().requests.startRun({ ...run, id: newId() })).toMatchObject({ kind: "created" });
    });

    test("S-14: a run that is not there has no head", async () => {
      expect(await get().requests.runHead(newId())).toBeNull();
    });
  });
}
