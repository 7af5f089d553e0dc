import { describe, expect, test } from "vitest";
import type { BulkResult, BulkStep, NewBulk } from "../../ports/bulk.ts";
import { caller, cancelled, digestOf, newId, newRun, parked, started } from "./fixtures.ts";
import { freshStore } from "./harness.ts";
import type { MakeStore } from "./harness.ts";

const LEASE_MS = 30_000;

function bulkOf(given: Partial<NewBulk> = {}): NewBulk {
  return {
    ...{ id: newId(), action: "cancel", payload: null, inputs: null, version: null, buffer: false, caller },
    ...{
      target: { kind: "filter", filter: {} },
      perSecond: 4,
      idempotencyKey: null,
      requestDigest: digestOf("bulk"),
    },
    ...given,
  };
}

/** Everything in a step done. */
function doneOf({ items }: BulkStep, outcome = "cancelled"): BulkResult[] {
  return items.map(({ place }) => ({ place, outcome, message: null, startedId: null }));
}

/** Registers the tests every `BulkStore` must pass; `name` tells the stores apart. */
export function bulkStoreSuite(name: string, makeStore: MakeStore): void {
  describe(`bulk actions: ${name}`, () => {
    const get = freshStore(makeStore);
    const create = async (given: Partial<NewBulk> = {}) => {
      const bulk = bulkOf(given);
      expect(await get().bulk.create(bulk)).toEqual({ kind: "created" });
      return bulk.id;
    };
    const runIds = async (id: string) => {
      const page = await get().bulk.runs(id, { limit: 500 });
      return typeof page === "string" ? page : page.items.map(({ runId }) => runId);
    };
    const three = async () => {
      const ids = [];
      for (let i = 0; i < 3; i += 1) {
        ids.push((await started(get())).runId);
        await get().clockForward(10);
      }
      return ids;
    };

    test("3.4: a preview counts what the filter and the action pick, and stores nothing", async () => {
      const { runId: waiting } = await parked(get());
      const { runId: queued } = await started(get());
      const ended = (await started(get())).runId;
      await get().requests.cancelRun(ended, caller, cancelled);
      const preview = (action: NewBulk["action"], buffer = false) =>
        get().bulk.preview({ action, buffer, target: { kind: "filter", filter: {} } });
      const ids = async (...given: Parameters<typeof preview>) => {
        const found = await preview(...given);
        if (found === "too_many") return found;
        expect(found.count).toBe(found.sample.length);
        return new Set(found.sample.map(({ id }) => id));
      };
      expect(await ids("resume")).toEqual(new Set([waiting]));
      expect(await ids("resume", true)).toEqual(new Set([waiting, queued]));
      expect(await ids("cancel")).toEqual(new Set([waiting, queued]));
      expect(await ids("rerun")).toEqual(new Set([ended]));
      expect(await get().bulk.list({ limit: 10 })).toEqual({ items: [], nextCursor: null });
    });

    test("3.4: its runs are fixed when it is accepted, oldest first; runs that match later are not touched", async () => {
      const ids = await three();
      const id = await create();
      await started(get());
      expect(await runIds(id)).toEqual(ids);
      expect(await get().bulk.get(id)).toEqual({
        ...{ id, action: "cancel", status: "running", filter: {}, perSecond: 4, total: 3, done: 0 },
        ...{ outcomes: {}, actor: caller.actor, createdAt: expect.any(String), finishedAt: null },
      });
      expect(await get().audits(null)).toEqual([{ action: "bulk", ...caller, payload: null }]);
    });

    test("3.4: every filter of the list of runs picks, and unknown words pick nothing", async () => {
      const tagged = await newRun(get(), { tags: ["x"] });
      await get().requests.startRun(tagged);
      await started(get());
      for (const filter of [
        { tag: "x" },
        { flow: tagged.flow },
        { flow: tagged.flow, status: ["queued" as const], createdAfter: "2000-01-01T00:00:00Z" },
      ])
        expect(await runIds(await create({ target: { kind: "filter", filter } }))).toEqual([tagged.id]);
      for (const filter of [
        { tag: "\0" },
        { status: ["failed" as const] },
        { createdBefore: "2000-01-01T00:00:00Z" },
      ]) {
        const id = await create({ target: { kind: "filter", filter } });
        expect(await get().bulk.get(id)).toMatchObject({ status: "done", total: 0, filter });
      }
    });

    test("3.4: named runs stand in the order they were named in, once each, known or not", async () => {
      const [first, second] = await three();
      const nobody = newId();
      const id = await create({ target: { kind: "ids", ids: [second!, nobody, first!, second!] } });
      expect(await runIds(id)).toEqual([second, nobody, first]);
      expect(await get().bulk.get(id)).toMatchObject({ filter: null, total: 3 });
    });

    test("3.4: a step holds half a second's worth of runs, and the next one comes when the pace allows", async () => {
      await three();
      const id = await create();
      const step = await get().bulk.take("one", LEASE_MS);
      expect(step).toMatchObject({ id, lease: "one", action: "cancel", caller, paceMs: 500 });
      expect(step!.items.map(({ place }) => place)).toEqual([0, 1]);
      expect(await get().bulk.note(step!, doneOf(step!))).toBe(true);
      expect(await get().bulk.get(id)).toMatchObject({
        status: "running",
        done: 2,
        outcomes: { cancelled: 2 },
      });
      expect(await get().bulk.take("two", LEASE_MS)).toBeNull();
      await get().clockForward(1000);
      const last = await get().bulk.take("two", LEASE_MS);
      expect(last!.items.map(({ place }) => place)).toEqual([2]);
      await get().bulk.note(last!, doneOf(last!, "ended"));
      expect(await get().bulk.get(id)).toMatchObject({
        ...{ status: "done", done: 3, outcomes: { cancelled: 2, ended: 1 }, finishedAt: expect.any(String) },
      });
      await get().clockForward(60_000);
      expect(await get().bulk.take("three", LEASE_MS)).toBeNull();
    });

    test("3.4: two processes never hold the same action, and two actions are worked at side by side", async () => {
      await three();
      const ids = [await create(), await create()];
      const steps = await Promise.all(["a", "b", "c", "d"].map((lease) => get().bulk.take(lease, LEASE_MS)));
      const taken = steps.flatMap((step) => (step === null ? [] : [step.id]));
      const more = taken.length < 2 ? [(await get().bulk.take("e", LEASE_MS))!.id] : [];
      expect([...taken, ...more].toSorted()).toEqual(ids.toSorted());
    });

    test("3.4: a step whose process died is taken again when its lease ends, and the dead one's results are refused", async () => {
      await three();
      await create({ perSecond: 1000 });
      const dead = await get().bulk.take("dead", LEASE_MS);
      await get().clockForward(LEASE_MS - 1000);
      expect(await get().bulk.take("other", LEASE_MS)).toBeNull();
      await get().clockForward(2000);
      const again = await get().bulk.take("other", LEASE_MS);
      expect(again!.items).toEqual(dead!.items);
      expect(await get().bulk.note(dead!, doneOf(dead!))).toBe(false);
      expect(await get().bulk.get(again!.id)).toMatchObject({ done: 0 });
      expect(await get().bulk.note(again!, doneOf(again!))).toBe(true);
      expect(await get().bulk.get(again!.id)).toMatchObject({ done: 3, status: "done" });
    });

    test("3.4, S-22: an aborted action is never taken again; what its step did meanwhile is still noted", async () => {
      await three();
      const id = await create();
      const step = await get().bulk.take("one", LEASE_MS);
      expect(await get().bulk.abort(id, caller)).toBe(true);
      expect(await get().bulk.abort(id, caller)).toBe(false);
      expect(await get().bulk.abort(newId(), caller)).toBeNull();
      expect(await get().bulk.note(step!, doneOf(step!))).toBe(true);
      await get().clockForward(60_000);
      expect(await get().bulk.take("two", LEASE_MS)).toBeNull();
      expect(await get().bulk.get(id)).toMatchObject({ status: "aborted", total: 3, done: 2 });
      expect((await get().audits(null)).map(({ action }) => action)).toEqual(["bulk", "bulk_abort"]);
    });

    test("3.4: the same Idempotency-Key is the same action, with another request a conflict", async () => {
      await three();
      const id = await create({ idempotencyKey: "k" });
      const again = (given: Partial<NewBulk> = {}) =>
        get().bulk.create(bulkOf({ idempotencyKey: "k", ...given }));
      expect(await again()).toEqual({ kind: "existing", id });
      expect(await again({ requestDigest: digestOf("other") })).toEqual({ kind: "conflict", id });
      expect(await get().bulk.list({ limit: 10 })).toMatchObject({ items: [{ id }], nextCursor: null });
    });

    test("S-16: actions and their runs come in pages, newest action first", async () => {
      await three();
      const ids = [await create(), await create(), await create()];
      const seen: string[] = [];
      for (let cursor: string | undefined; ;) {
        const page = await get().bulk.list({ limit: 2, ...(cursor !== undefined && { cursor }) });
        if (page === "invalid_cursor") throw new Error(page);
        seen.push(...page.items.map((one) => one.id));
        if (page.nextCursor === null) break;
        cursor = page.nextCursor;
      }
      expect(seen.toSorted()).toEqual(ids.toSorted());
      const first = await get().bulk.runs(ids[0]!, { limit: 2 });
      if (typeof first === "string" || first.nextCursor === null) throw new Error("there is no next page");
      const rest = await get().bulk.runs(ids[0]!, { limit: 2, cursor: first.nextCursor });
      expect(rest).toMatchObject({ items: [{ outcome: null }], nextCursor: null });
      expect(await get().bulk.runs(ids[0]!, { limit: 2, outcome: "cancelled" })).toEqual({
        ...{ items: [], nextCursor: null },
      });
      expect(await get().bulk.runs(ids[0]!, { limit: 2, cursor: "x" })).toBe("invalid_cursor");
      expect(await get().bulk.list({ limit: 2, cursor: "x" })).toBe("invalid_cursor");
      expect(await get().bulk.runs(newId(), { limit: 2 })).toBe("not_found");
    });
  });
}
