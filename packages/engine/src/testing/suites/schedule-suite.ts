import { describe, expect, test } from "vitest";
import type { StoredPlan, TickNote } from "../../ports/schedules.ts";
import { caller, cancelled, newId, started } from "./fixtures.ts";
import { freshStore } from "./harness.ts";
import type { MakeStore } from "./harness.ts";

const LEASE_MS = 30_000;
/** A whole second, so that every store shows it alike. */
const TICK_MS = Date.UTC(2020, 0, 1);

function planOf(given: Partial<StoredPlan> = {}): StoredPlan {
  return {
    ...{ id: newId(), flow: "nightly", version: 3, inputs: '{"a":[-0,1.0]}', tags: ["x", "y"], priority: 7 },
    ...{ concurrencyKey: "k", cron: "0 3 * * *", timeZone: "Europe/Berlin", overlap: "skip", catchUp: "one" },
    ...{ jitterMs: 250, paused: false, next: { nextMs: TICK_MS, dueMs: TICK_MS + 100 } },
    ...given,
  };
}

const noted = (given: Partial<TickNote["outcome"]> = {}): TickNote => ({
  next: null,
  outcome: { kind: "started", tickMs: TICK_MS, message: null, runId: null, ...given },
});

/** Registers the tests every `ScheduleStore` must pass; `name` tells the stores apart. */
export function scheduleStoreSuite(name: string, makeStore: MakeStore): void {
  describe(`schedules: ${name}`, () => {
    const get = freshStore(makeStore);
    const create = async (given: Partial<StoredPlan> = {}) => {
      const plan = planOf(given);
      await get().schedules.create(plan, caller);
      return plan;
    };

    test("3.4, S-22: a schedule is kept as it was given, to the byte of its inputs, and audited", async () => {
      const { id, next: _next, ...plan } = await create();
      const view = await get().schedules.get(id);
      expect(view).toEqual({
        ...{ id, ...plan, nextAt: expect.stringMatching(/^2020-01-01T00:00:00\.0+Z$/), actor: caller.actor },
        ...{ lastTick: null, lastOutcome: null, lastMessage: null, lastRunId: null },
        ...{ createdAt: expect.any(String), updatedAt: expect.any(String) },
      });
      expect(await get().audits(null)).toEqual([{ action: "schedule_create", ...caller, payload: null }]);
      expect(await get().schedules.get(newId())).toBeNull();
    });

    test("S-16: the newest schedules come first, page by page", async () => {
      const ids = [];
      for (let i = 0; i < 3; i += 1) ids.unshift((await create()).id);
      const first = await get().schedules.list({ limit: 2 });
      if (first === "invalid_cursor") throw new Error(first);
      const rest = await get().schedules.list({ limit: 2, cursor: first.nextCursor! });
      if (rest === "invalid_cursor") throw new Error(rest);
      expect([...first.items, ...rest.items].map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
      expect(rest.nextCursor).toBeNull();
      expect(await get().schedules.list({ limit: 2, cursor: "x" })).toBe("invalid_cursor");
    });

    test("3.4: only what is due is taken, the longest due first, by one at a time", async () => {
      const late = await create({ next: { nextMs: TICK_MS, dueMs: TICK_MS + 5 } });
      const first = await create({ next: { nextMs: TICK_MS, dueMs: TICK_MS + 1 } });
      const nowMs = await get().schedules.nowMs();
      await create({ next: { nextMs: nowMs + 3_600_000, dueMs: nowMs + 3_600_000 } });
      await create({ paused: true, next: null });
      const taken = await get().schedules.take("a", LEASE_MS);
      const { next: _next, ...plan } = first;
      expect(taken).toEqual({
        ...plan,
        ...{ next: { nextMs: TICK_MS, dueMs: TICK_MS + 1 }, lease: "a", lastRunLives: false },
        nowMs: expect.any(Number),
      });
      expect((await get().schedules.take("b", LEASE_MS))?.id).toBe(late.id);
      expect(await get().schedules.take("c", LEASE_MS)).toBeNull();
    });

    test("3.4: processes that come at once never hold the same tick", async () => {
      const ids = [(await create()).id, (await create()).id];
      const leases = ["a", "b", "c", "d"];
      const taken = await Promise.all(leases.map((lease) => get().schedules.take(lease, LEASE_MS)));
      const held = taken.flatMap((one) => (one === null ? [] : [one.id]));
      if (held.length < 2) held.push((await get().schedules.take("e", LEASE_MS))!.id);
      expect(held.toSorted()).toEqual(ids.toSorted());
    });

    test("3.4: the tick of a process that died is taken again when its lease ends, and its note is refused", async () => {
      const { id } = await create();
      await get().schedules.take("dead", LEASE_MS);
      await get().clockForward(LEASE_MS - 5000);
      expect(await get().schedules.take("other", LEASE_MS)).toBeNull();
      await get().clockForward(6000);
      expect(await get().schedules.take("other", LEASE_MS)).toMatchObject({ id });
      expect(await get().schedules.note({ id, lease: "dead" }, noted())).toBe(false);
      expect(await get().schedules.get(id)).toMatchObject({ lastOutcome: null });
      expect(await get().schedules.note({ id, lease: "other" }, noted())).toBe(true);
      expect(await get().schedules.get(id)).toMatchObject({ lastOutcome: "started", nextAt: null });
    });

    test("3.4: a note keeps what became of the tick; one that puts it off keeps what was there", async () => {
      const { id } = await create();
      const { runId } = await started(get());
      await get().schedules.take("a", LEASE_MS);
      const next = { nextMs: TICK_MS + 60_000, dueMs: TICK_MS + 60_000 };
      await get().schedules.note({ id, lease: "a" }, { ...noted({ runId }), next });
      const seen = { lastOutcome: "started", lastRunId: runId, lastMessage: null };
      const at = (minute: string) => expect.stringMatching(`^2020-01-01T00:${minute}:00`);
      expect(await get().schedules.get(id)).toMatchObject({
        ...{ ...seen, lastTick: at("00"), nextAt: at("01") },
      });
      await get().schedules.take("b", LEASE_MS);
      await get().schedules.note({ id, lease: "b" }, { next, outcome: null });
      expect(await get().schedules.get(id)).toMatchObject(seen);
      await get().schedules.take("c", LEASE_MS);
      await get().schedules.note({ id, lease: "c" }, noted({ kind: "failed", message: "no\0 flow" }));
      const message = expect.stringMatching(/^no.? flow$/s);
      expect(await get().schedules.get(id)).toMatchObject({
        ...{ lastOutcome: "failed", lastMessage: message, lastRunId: runId, nextAt: null },
      });
    });

    test("3.4: a tick is told whether the run before it lives", async () => {
      const { id } = await create();
      const { runId } = await started(get());
      await get().schedules.take("a", LEASE_MS);
      await get().schedules.note({ id, lease: "a" }, { ...noted({ runId }), next: planOf().next });
      expect(await get().schedules.take("b", LEASE_MS)).toMatchObject({ lastRunLives: true });
      await get().schedules.note({ id, lease: "b" }, { next: planOf().next, outcome: null });
      await get().requests.cancelRun(runId, caller, cancelled);
      expect(await get().schedules.take("c", LEASE_MS)).toMatchObject({ lastRunLives: false });
    });

    test("3.4, S-22: whoever changes, pauses or removes a schedule takes it from its holder; all are audited", async () => {
      const { id } = await create();
      const taken = async (lease: string) => (await get().schedules.take(lease, LEASE_MS)) !== null;
      const lost = async (lease: string) => !(await get().schedules.note({ id, lease }, noted()));
      expect(await taken("a")).toBe(true);
      expect(await get().schedules.replace(planOf({ id, cron: "5 * * * *" }), caller)).toBe(true);
      expect(await lost("a")).toBe(true);
      expect(await taken("b")).toBe(true);
      expect(await get().schedules.setPaused(id, true, null, caller)).toBe(true);
      expect(await lost("b")).toBe(true);
      expect(await taken("c")).toBe(false);
      expect(await get().schedules.get(id)).toMatchObject({
        ...{ paused: true, nextAt: null, cron: "5 * * * *" },
      });
      expect(await get().schedules.setPaused(id, false, planOf().next, caller)).toBe(true);
      expect(await taken("d")).toBe(true);
      expect(await get().schedules.remove(id, caller)).toBe(true);
      expect(await lost("d")).toBe(true);
      expect(await get().schedules.remove(id, caller)).toBe(false);
      expect(await get().schedules.replace(planOf({ id }), caller)).toBe(false);
      expect(await get().schedules.setPaused("no-id", true, null, caller)).toBe(false);
      const acts = ["create", "update", "pause", "resume", "delete"].map((act) => `schedule_${act}`);
      expect((await get().audits(null)).map(({ action }) => action)).toEqual(acts);
    });
  });
}
