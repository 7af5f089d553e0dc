import { defaultRegistry } from "@agentflow/core";
import { expect, test } from "vitest";
import { cancelRun } from "../cancel-run.ts";
import { sha256 } from "../hash.ts";
import type { SchedulePlan, ScheduleStore } from "../ports/schedules.ts";
import type { Wake } from "../ports/work.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { createMemoryStore } from "../testing/memory/store.ts";
import { flowVersionOf } from "../testing/suites/fixtures.ts";
import { createSchedule, pauseSchedule, replaceSchedule } from "./change.ts";
import { runDueSchedule } from "./run-due.ts";

const caller = { actor: "someone", remote: "192.0.2.7" };
const MINUTE = 60_000;

/** A flow that needs no input, and everything a worker has, on a clock that stands at a whole hour. */
async function rig() {
  const clock = new FakeClock();
  clock.advance(3_600_000 - (clock.nowMs() % 3_600_000));
  const store = createMemoryStore({ nowMs: () => clock.nowMs() });
  await store.requests.registerFlow(flowVersionOf({ flow: "tidy" }));
  const wakes: Wake[] = [];
  let made = 0;
  const deps = {
    store: store.requests,
    schedules: store.schedules as ScheduleStore,
    relay: { wake: (wake: Wake) => void wakes.push(wake) },
    registry: defaultRegistry,
    caps: { maxIterations: 1000, maxTimeoutMs: 1e9 },
    sha256,
    newId: () => `019e4f2c-7c00-7000-8000-${String(++made).padStart(12, "0")}`,
  };
  const plan = (given: Partial<SchedulePlan> = {}) =>
    ({
      ...{ flow: "tidy", version: null, tags: ["nightly"], priority: null, concurrencyKey: null },
      ...{ cron: "* * * * *", timeZone: "UTC", overlap: "allow", catchUp: "one", jitterMs: 0, paused: false },
      ...given,
      inputs: new Map<string, string>(),
    }) as const;
  const make = async (given: Partial<SchedulePlan> = {}) => {
    const result = await createSchedule(deps, plan(given), caller);
    if (result.kind !== "saved") throw new Error(JSON.stringify(result));
    return result.id;
  };
  /** Deals with all that is due now. */
  const work = async () => {
    while (await runDueSchedule(deps, 30_000));
  };
  const runs = () => [...store.tables.runs.values()];
  const seen = async (id: string) => (await store.schedules.get(id))!;
  return { clock, store, deps, plan, make, work, runs, seen, wakes };
}

test("3.4: each tick starts one run, with the plan's tags and the schedule's, and wakes a worker", async () => {
  const { clock, make, work, runs, seen, wakes } = await rig();
  const id = await make();
  await work();
  expect(runs()).toEqual([]);
  clock.advance(MINUTE);
  await work();
  await work();
  expect(runs().map(({ flow, tags }) => [flow, ...tags])).toEqual([["tidy", "nightly", `schedule:${id}`]]);
  expect(wakes.map(({ runId }) => runId)).toEqual(runs().map((run) => run.id));
  expect(await seen(id)).toMatchObject({
    lastOutcome: "started",
    lastRunId: runs()[0]!.id,
    lastMessage: null,
  });
  clock.advance(MINUTE);
  await work();
  expect(runs()).toHaveLength(2);
});

test("3.4: a process that dies between start and note leaves one run for the tick", async () => {
  const { clock, deps, make, work, runs, seen } = await rig();
  const id = await make();
  clock.advance(MINUTE);
  const dying = { ...deps.schedules, note: () => Promise.reject(new Error("killed")) };
  await expect(runDueSchedule({ ...deps, schedules: dying }, 30_000)).rejects.toThrow("killed");
  await work();
  expect(await seen(id)).toMatchObject({ lastOutcome: null });
  clock.advance(30_001);
  await work();
  expect(runs()).toHaveLength(1);
  expect(await seen(id)).toMatchObject({ lastOutcome: "started", lastRunId: runs()[0]!.id });
});

test("3.4: a tick that meets the run before it is skipped, waits for its end, or starts beside it", async () => {
  const { clock, deps, make, work, runs, seen } = await rig();
  const ids = new Map<string, string>();
  for (const overlap of ["skip", "queue", "allow"] as const) ids.set(overlap, await make({ overlap }));
  const of = (overlap: string) => runs().filter(({ tags }) => tags.includes(`schedule:${ids.get(overlap)}`));
  const counts = () => ["skip", "queue", "allow"].map((overlap) => of(overlap).length);
  clock.advance(MINUTE);
  await work();
  expect(counts()).toEqual([1, 1, 1]);
  clock.advance(MINUTE);
  await work();
  expect(counts()).toEqual([1, 1, 2]);
  expect(await seen(ids.get("skip")!)).toMatchObject({
    lastOutcome: "skipped",
    lastRunId: of("skip")[0]!.id,
  });
  expect(await seen(ids.get("queue")!)).toMatchObject({ lastOutcome: "started" });
  for (const { id: runId } of runs()) await cancelRun(deps, { runId, caller });
  clock.advance(5000);
  await work();
  expect(counts()).toEqual([1, 2, 2]);
});

test("3.4: after an outage `none` starts nothing, `one` one run, `all` one for each tick", async () => {
  const { clock, make, work, runs } = await rig();
  const hourly = { cron: "0 * * * *" };
  const ids = [];
  for (const catchUp of ["none", "one", "all"] as const) ids.push(await make({ ...hourly, catchUp }));
  clock.advance(5.5 * 60 * MINUTE);
  await work();
  const counts = ids.map((id) => runs().filter(({ tags }) => tags.includes(`schedule:${id}`)).length);
  expect(counts).toEqual([0, 1, 5]);
});

test("3.4: what cannot start is the tick's outcome, and the next tick tries again", async () => {
  const { clock, store, make, work, runs, seen } = await rig();
  const id = await make();
  await store.requests.archiveFlow("tidy", caller);
  clock.advance(MINUTE);
  await work();
  expect(await seen(id)).toMatchObject({
    lastOutcome: "failed",
    lastMessage: expect.stringContaining("archived"),
  });
  await store.requests.registerFlow(flowVersionOf({ flow: "tidy" }));
  clock.advance(MINUTE);
  await work();
  expect(runs()).toHaveLength(1);
  expect(await seen(id)).toMatchObject({ lastOutcome: "started", lastMessage: null });
});

test("3.4, S-17: with the database away a tick is left as it is", async () => {
  const { clock, store, deps, make, work, runs } = await rig();
  await make();
  clock.advance(MINUTE);
  store.tables.away = true;
  await expect(runDueSchedule(deps, 30_000)).rejects.toThrow("away");
  store.tables.away = false;
  await work();
  expect(runs()).toHaveLength(1);
});

test("3.4: a pause is not made up for, and pausing twice is pausing once", async () => {
  const { clock, deps, store, make, work, runs, seen } = await rig();
  const id = await make({ catchUp: "all" });
  const pause = (paused: boolean) => pauseSchedule(deps, { id, paused, caller });
  expect([await pause(true), await pause(true)]).toEqual([true, true]);
  clock.advance(10 * MINUTE);
  await work();
  expect(await pause(false)).toBe(true);
  await work();
  expect(runs()).toEqual([]);
  expect((await seen(id)).nextAt).toBe(new Date(clock.nowMs() + MINUTE).toISOString());
  clock.advance(MINUTE);
  await work();
  expect(runs()).toHaveLength(1);
  expect(store.tables.audits.filter(({ action }) => action === "schedule_pause")).toHaveLength(1);
  expect(await pauseSchedule(deps, { id: "nobody", paused: true, caller })).toBe(false);
});

test("3.4: a plan that could not start is refused, new or in the place of another", async () => {
  const { deps, make, plan, seen } = await rig();
  const id = await make();
  const wrong = [
    [{ ...plan(), cron: "* * *" }, "unusable"],
    [{ ...plan(), flow: "nothing" }, "flow_not_found"],
    [{ ...plan(), inputs: new Map([["x", "1"]]) }, "invalid"],
  ] as const;
  for (const [given, kind] of wrong) {
    expect(await createSchedule(deps, given, caller)).toMatchObject({ kind });
    expect(await replaceSchedule(deps, id, given, caller)).toMatchObject({ kind });
  }
  expect(await replaceSchedule(deps, id, plan({ cron: "7 * * * *" }), caller)).toEqual({ kind: "saved", id });
  expect(await seen(id)).toMatchObject({ cron: "7 * * * *" });
  expect(await replaceSchedule(deps, "nobody", plan(), caller)).toEqual({ kind: "not_found" });
});
