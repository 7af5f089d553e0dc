import { expect, it } from "vitest";
import { scriptFlow, stateAfter } from "./flows.ts";
import { queueKinds } from "./queue-place.ts";
import { Rig } from "./rig.ts";

const SHIFTED = new URL("../chaos/fixtures/shifted-clock.mjs", import.meta.url).href;
const HOUR_MS = 3_600_000;
const shifted = (ms: number) => ({
  NODE_OPTIONS: `--import=${SHIFTED}`,
  CLOCK_SHIFT_MS: String(ms),
  AGENTFLOW_CLAIM_LEASE: "2s",
});

it.each(queueKinds)(
  "C20, L-35, S-8: workers and an API whose clocks are an hour ahead and behind harm neither elapsed time nor order, jobs on %s",
  async (kind) => {
    const rig = await Rig.open(kind, { ownRedis: true });
    const flow = scriptFlow({ done: 6, waits: 2 });
    await rig.register(flow);
    const before = Date.now();
    const api = await rig.realApi(shifted(HOUR_MS));
    const ahead = await rig.realWorker(shifted(HOUR_MS));
    const { run } = await api.client.startRun({ flow: flow.name });
    await rig.reaches(run.id, "waiting");
    rig.hold("script", 4);
    await api.client.resumeRun(run.id);
    const first = await rig.started(run.id, "script", 4);
    await rig.realWorker(shifted(-HOUR_MS));
    await ahead.kill();
    // The lease of the dead one is measured by the database alone: it ends neither an hour early nor late.
    const second = await rig.started(run.id, "script", 4, 2, 40_000);
    expect([second.key, second.token > first.token]).toEqual([first.key, true]);
    rig.release("script", 4);
    await rig.reaches(run.id, "succeeded");
    const tookMs = Date.now() - before;

    const { history, elapsedMs } = await rig.facts(run.id);
    expect(history.map(({ iteration }) => iteration)).toEqual([1, 2, 3, 4, 5, 6]);
    for (const row of history) expect(row.elapsedMs).toBeGreaterThanOrEqual(0);
    expect(elapsedMs).toBeLessThanOrEqual(tookMs);
    const shown = await rig.store.reads.run(run.id);
    const times = [shown?.createdAt, shown?.startedAt, shown?.finishedAt].map((time) =>
      Date.parse(String(time)),
    );
    const instants = [before, ...times, Date.now()];
    expect(instants).toEqual(instants.toSorted((a, b) => a - b));
    const page = await rig.store.reads.events(run.id, { after: 0, limit: 500 });
    if (page === "no_run") throw new Error("the run is gone");
    const told = page.items.map(({ at }) => Date.parse(at));
    expect(told).toEqual(told.toSorted((a, b) => a - b));
    const counted = { status: "succeeded", iterations: 6, state: stateAfter(6) } as const;
    // BullMQ's PostgreSQL backend times locks by the worker's clock: the stale job of the dead one stays locked for an hour.
    const isExcused = (text: string): boolean => kind === "postgres" && text.startsWith("jobs: ");
    const found = await rig.violations(run.id, counted);
    expect(found.filter((text) => !isExcused(text))).toEqual([]);
  },
);
