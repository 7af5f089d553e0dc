import { describe, expect, it } from "vitest";
import { stepProcesses } from "../support/step-processes.ts";
import { scriptFlow, stateAfter } from "./flows.ts";
import type { Expected } from "./invariants.ts";
import { queueKinds } from "./queue-place.ts";
import { Rig } from "./rig.ts";

const parking = scriptFlow({ done: 2, waits: 1 });
const waiting: Expected = { status: "waiting", iterations: 1, state: stateAfter(1) };
const resumed: Expected = { status: "succeeded", iterations: 2, state: stateAfter(2) };

describe.each(queueKinds)("parked runs, jobs on %s", (kind) => {
  async function park(rig: Rig, count: number): Promise<string[]> {
    await rig.register(parking);
    const runs = await Promise.all(Array.from({ length: count }, () => rig.start(parking)));
    for (const runId of runs) await rig.reaches(runId, "waiting");
    return runs;
  }

  const connections = async (rig: Rig): Promise<number> => {
    const { rows } = await rig.database.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and application_name = 'worker-0'`,
    );
    return rows[0]?.count ?? 0;
  };

  it("P-32, S-12: 100 of them on a worker for 2 hold no job, process or connection, and the next run starts at once", async () => {
    const rig = await Rig.open(kind);
    await rig.worker({ concurrency: 2 });
    const runs = await park(rig, 100);
    for (const runId of runs) {
      expect(await rig.place.jobs(runId)).toEqual([]);
      expect(stepProcesses(runId)).toEqual([]);
    }
    // Its pools have 4, 4 and 2, parked runs or not.
    expect(await connections(rig)).toBeLessThanOrEqual(10);
    const next = await rig.start(parking);
    await rig.started(next, "script", 1, 1, 2000);
    await rig.reaches(next, "waiting");
    for (const runId of [runs[0] ?? "", next]) expect(await rig.violations(runId, waiting)).toEqual([]);
  });

  it("P-24: of 50 resumes on an idle worker 95 of 100 start within 2 s, without any sweep", async () => {
    const rig = await Rig.open(kind);
    await rig.worker({ sweeps: false });
    const runs = await park(rig, 50);
    const tookMs: number[] = [];
    for (const runId of runs) {
      const before = performance.now();
      await rig.resume(runId);
      await rig.started(runId, "script", 2);
      tookMs.push(performance.now() - before);
      await rig.reaches(runId, "succeeded");
    }
    tookMs.sort((a, b) => a - b);
    expect(tookMs[47], String(tookMs)).toBeLessThan(2000);
    expect(await rig.violations(runs[0] ?? "", resumed)).toEqual([]);
  });
});
