import { describe, expect, test } from "vitest";
import type { RunFilter } from "../../ports/reads.ts";
import {
  caller,
  cancelled,
  claimed,
  claimedLoop,
  claimedRun,
  commitOf,
  committed,
  newId,
  newRun,
  parked,
  started,
  wakeIn,
} from "./fixtures.ts";
import type { GetStore } from "./harness.ts";
import { hardFailure } from "./work-commit.ts";

/** Lists of runs (S-16). Each test has a store of its own. */
export function listTests(get: GetStore): void {
  async function page(filter: Partial<RunFilter>) {
    const answer = await get().reads.runs({ limit: 50, ...filter });
    if (answer === "invalid_cursor") throw new Error("the cursor was refused");
    return answer;
  }
  const ids = async (filter: Partial<RunFilter>) => (await page(filter)).items.map((run) => run.id);

  /** Every page of `limit` runs, in order; `between` happens after each. */
  async function allPages(
    filter: Partial<RunFilter>,
    between: () => Promise<unknown> = async () => undefined,
  ): Promise<readonly string[]> {
    const seen: string[] = [];
    let next: string | null = null;
    do {
      const found = await page(next === null ? filter : { ...filter, cursor: next });
      seen.push(...found.items.map((run) => run.id));
      next = found.nextCursor;
      await between();
    } while (next !== null && seen.length < 1_000);
    return seen;
  }

  async function many(count: number): Promise<readonly string[]> {
    const made: string[] = [];
    for (let i = 0; i < count; i += 1) made.push((await started(get())).runId);
    return made;
  }

  describe("lists of runs", () => {
    test("S-16: newest first unless asked otherwise, and the two orders are each other's reverse", async () => {
      const made = await many(6);
      const newest = await ids({});
      expect([...newest].sort()).toEqual([...made].sort());
      expect(await ids({ sort: "-created" })).toEqual(newest);
      expect(await ids({ sort: "created" })).toEqual([...newest].reverse());
      const times = (await page({ sort: "created" })).items.map((run) => Date.parse(run.createdAt));
      expect(times).toEqual([...times].sort((a, b) => a - b));
    });

    test.each(["created", "-created"] as const)(
      "S-16: with equal times pages by %s neither skip nor repeat a run",
      async (sort) => {
        const made = await many(7);
        await get().alignCreated(made);
        const whole = await ids({ sort });
        expect(await allPages({ sort, limit: 2 })).toEqual(whole);
        expect(await allPages({ sort, limit: 7 })).toEqual(whole);
        expect([...whole].sort()).toEqual([...made].sort());
      },
    );

    test("S-16: runs that arrive between pages neither push a run out nor show one twice", async () => {
      const made = await many(6);
      const whole = await ids({});
      let arrived = 0;
      const seen = await allPages({ limit: 2 }, async () => {
        if (arrived < 3) await started(get());
        arrived += 1;
      });
      expect(seen.filter((id) => made.includes(id))).toEqual(whole);
      expect(new Set(seen).size).toBe(seen.length);
    });

    test("S-16: the last page has no cursor, also when it is full or empty", async () => {
      await many(4);
      const first = await page({ limit: 2 });
      expect(first.nextCursor).not.toBeNull();
      const last = await page({ limit: 2, cursor: first.nextCursor! });
      expect(last).toMatchObject({ nextCursor: null, items: [{}, {}] });
      expect(await page({ flow: "no-such-flow" })).toEqual({ items: [], nextCursor: null });
    });

    test.each([
      "x",
      "AAAA",
      "e30",
      "W10",
      "bnVsbA",
      "WyJ4Il0",
      "%00",
      "'; drop table run; --",
      "Wzk5OTk5OTk5OTk5OTk5OTk5OTksMV0",
    ])("S-16: the cursor %s is refused as malformed", async (cursor) => {
      await many(1);
      expect(await get().reads.runs({ limit: 2, cursor })).toBe("invalid_cursor");
    });

    test("3.4: filters by status, flow, tag and failure code, alone and together", async () => {
      const plain = await newRun(get(), { tags: ["red", "a,b"] });
      await get().requests.startRun(plain);
      const failing = await claimed(
        get(),
        wakeIn(await get().requests.startRun({ ...plain, id: newId(), tags: ["blue"] })),
      );
      await get().work.finishRun(failing, { status: "failed", failure: hardFailure }, []);
      const { runId: waiting } = await parked(get());
      const gone = await started(get(), { tags: ["red"] });
      await get().requests.cancelRun(gone.runId, caller, cancelled);

      expect(await ids({ status: ["queued"] })).toEqual([plain.id]);
      expect((await ids({ status: ["waiting", "cancelled"] })).sort()).toEqual([waiting, gone.runId].sort());
      expect(await ids({ status: [] })).toEqual([]);
      expect((await ids({ flow: plain.flow })).sort()).toEqual([plain.id, failing.runId].sort());
      expect((await ids({ tag: "red" })).sort()).toEqual([plain.id, gone.runId].sort());
      expect(await ids({ tag: "a,b" })).toEqual([plain.id]);
      expect(await ids({ tag: "a" })).toEqual([]);
      expect(await ids({ code: "exit_nonzero" })).toEqual([failing.runId]);
      expect(await ids({ code: "run_cancelled", tag: "red", status: ["cancelled"] })).toEqual([gone.runId]);
      expect(await ids({ code: "exit_nonzero", tag: "red" })).toEqual([]);
    });

    test("3.4: filters by time of creation and of the last change", async () => {
      const made = [...(await many(3))].sort();
      const [past, future] = ["2000-01-01T00:00:00Z", "2999-01-01T00:00:00.000Z"];
      for (const filter of [
        { createdAfter: past },
        { createdBefore: future },
        { updatedAfter: past },
        { createdAfter: past, createdBefore: future },
      ]) {
        expect([...(await ids(filter))].sort()).toEqual(made);
      }
      for (const filter of [
        { createdAfter: future },
        { createdBefore: past },
        { updatedAfter: future },
        { createdAfter: past, createdBefore: past },
      ]) {
        expect(await ids(filter)).toEqual([]);
      }
    });

    test("S-13, S-16: an item is the run without inputs, loops and states; its times are UTC with Z", async () => {
      const claim = await claimedRun(get(), { tags: ["t"], priority: 5, inputs: '{"a":"INPUT-MARK"}' });
      await get().work.finishRun(claim, { status: "failed", failure: hardFailure }, []);
      const [item] = (await page({})).items;
      const view = await get().reads.run(claim.runId);
      const { inputs, loops, outputs, usage: _usage, keptResume: _kept, ...summary } = view!;
      expect({ inputs, loops, outputs }).toEqual({ inputs: '{"a":"INPUT-MARK"}', loops: [], outputs: [] });
      expect(item).toEqual(summary);
      for (const time of [summary.createdAt, summary.startedAt, summary.updatedAt, summary.finishedAt]) {
        expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
      }
    });

    test("3.3: counts tell every status, those without runs as 0", async () => {
      const none = { queued: 0, running: 0, waiting: 0, succeeded: 0, failed: 0, cancelled: 0 };
      expect(await get().reads.counts()).toEqual(none);
      await many(2);
      await claimedRun(get());
      await parked(get());
      const ended = await claimedRun(get());
      await get().work.finishRun(ended, { status: "succeeded" }, []);
      expect(await get().reads.counts()).toEqual({
        ...none,
        queued: 2,
        running: 1,
        waiting: 1,
        succeeded: 1,
      });
    });

    test("3.4 stats: workers are counted, idle ones too, and the iterations of the last minute", async () => {
      expect(await get().reads.activity()).toEqual({ workers: 0, iterationsPerMinute: 0 });
      const sign = { version: "1", queue: "redis", concurrency: 1, draining: false };
      await get().fleet.signIn({ id: "w", ...sign });
      const claim = await claimedLoop(get());
      expect(await get().reads.activity()).toEqual({ workers: 1, iterationsPerMinute: 0 });
      await committed(get(), commitOf(claim, 1));
      await get().fleet.signOff("w");
      expect(await get().reads.activity()).toEqual({ workers: 0, iterationsPerMinute: 1 });
    });
  });
}
