import { describe, expect, it } from "vitest";
import { scriptFlow, stateAfter } from "./flows.ts";
import type { Expected } from "./invariants.ts";
import { queueKinds } from "./queue-place.ts";
import { LEASE_MS, Rig } from "./rig.ts";

const flow = scriptFlow({ done: 2 });
const counted: Expected = { status: "succeeded", iterations: 2, state: stateAfter(2) };

describe.each(queueKinds)("a worker that starts without Postgres, jobs on %s", (kind) => {
  it("P-63, S-9: waits for it, and finds 10 runs whose jobs are lost although Postgres restarts meanwhile", async () => {
    const rig = await Rig.open(kind, { ownRedis: true, ownPostgres: true });
    await rig.register(flow);
    const runs = await Promise.all(Array.from({ length: 10 }, () => rig.start(flow)));
    await rig.place.empty();
    await rig.postgres?.takeAway();
    const starting = rig.realWorker({ AGENTFLOW_CONCURRENCY: "2" });
    await rig.postgres?.bringBack();
    const worker = await starting;
    await rig.postgres?.takeAway();
    await rig.postgres?.bringBack();

    for (const runId of runs) await rig.reaches(runId, "succeeded");
    for (const runId of runs) expect(await rig.violations(runId, counted)).toEqual([]);
    expect(worker.isOver).toBe(false);
  });
});

describe.each(queueKinds)("how soon a dead worker's work goes on, jobs on %s", (kind) => {
  it("S-8, S-9: the same iterations start again within lease + 2 s, under the same keys", async () => {
    const rig = await Rig.open(kind, { ownRedis: true });
    const lease = { AGENTFLOW_CLAIM_LEASE: `${LEASE_MS}ms` };
    rig.hold("script", 1);
    const victim = await rig.realWorker(lease);
    const runs = [await rig.start(flow), await rig.start(flow), await rig.start(flow)];
    const first = await Promise.all(runs.map((runId) => rig.started(runId, "script", 1)));
    await rig.realWorker(lease);
    await victim.kill();
    const second = await Promise.all(
      runs.map((runId) => rig.started(runId, "script", 1, 2, LEASE_MS + 2000)),
    );
    expect(second.map(({ key }) => key)).toEqual(first.map(({ key }) => key));
    rig.release("script", 1);
    for (const runId of runs) {
      await rig.reaches(runId, "succeeded");
      expect(await rig.violations(runId, counted)).toEqual([]);
    }
  });
});
