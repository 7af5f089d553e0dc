import { expect, it } from "vitest";
import { scriptFlow, stateAfter } from "./flows.ts";
import { queueKinds } from "./queue-place.ts";
import { Rig } from "./rig.ts";

it.each(queueKinds)(
  "P-82, S-16: workers and a database in three time zones tell the same times in UTC, jobs on %s",
  async (kind) => {
    const rig = await Rig.open(kind, { ownRedis: true });
    await rig.database.query(
      `do $$ begin execute format('alter database %I set timezone to ''Pacific/Auckland''', current_database()); end $$`,
    );
    const flow = scriptFlow({ done: 4, waits: 2 });
    const before = Date.now();
    const first = await rig.realWorker({ TZ: "America/New_York" });
    const runId = await rig.start(flow);
    await rig.reaches(runId, "waiting");
    const parkedMs = Date.now() - before;
    await first.kill();
    await rig.realWorker({ TZ: "Asia/Kathmandu" });
    await rig.resume(runId);
    await rig.reaches(runId, "succeeded");
    const after = Date.now();

    const run = await rig.store.reads.run(runId);
    if (run === null) throw new Error("the run is gone");
    const times = [run.createdAt, run.startedAt, run.finishedAt].map(String);
    for (const time of times) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/);
    const instants = [before, ...times.map((time) => Date.parse(time)), after];
    expect(instants).toEqual(instants.toSorted((a, b) => a - b));
    expect(Date.parse(times[1] ?? "")).toBeLessThanOrEqual(before + parkedMs);

    const { history, elapsedMs } = await rig.facts(runId);
    for (const row of history) expect(row.elapsedMs).toBeGreaterThanOrEqual(0);
    expect(elapsedMs).toBe(history.reduce((sum, row) => sum + row.elapsedMs, 0));
    expect(elapsedMs).toBeLessThanOrEqual(after - before);
    const page = await rig.store.reads.events(runId, { after: 0, limit: 500 });
    if (page === "no_run") throw new Error("the run is gone");
    const told = page.items.map(({ at }) => Date.parse(at));
    expect(told.length).toBeGreaterThan(8);
    expect(told).toEqual(told.toSorted((a, b) => a - b));
    const counted = { status: "succeeded", iterations: 4, state: stateAfter(4) } as const;
    expect(await rig.violations(runId, { ...counted, uncounted: true })).toEqual([]);
  },
);
