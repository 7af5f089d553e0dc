import { describe, expect, it } from "vitest";
import { stepProcesses } from "../support/step-processes.ts";
import { until } from "../support/until.ts";
import { scriptFlow, stateAfter } from "./flows.ts";
import { queueKinds } from "./queue-place.ts";
import { Rig } from "./rig.ts";

describe.each(queueKinds)("Postgres away and back, jobs on %s", (kind) => {
  it("P-60, L-51: restarted in mid-iteration and idle: the commit waits for it, the workers stay up, no attempt is used up", async () => {
    const rig = await Rig.open(kind, { ownPostgres: true });
    const flow = scriptFlow({ done: 5 });
    const counted = { status: "succeeded", iterations: 5, state: stateAfter(5) } as const;
    rig.hold("script", 3);
    // The lease outlasts the outage, as the shipped one does.
    const busy = await rig.worker({ leaseMs: 30_000, concurrency: 1 });
    const runId = await rig.start(flow);
    await rig.started(runId, "script", 3);
    const idle = await rig.worker({ leaseMs: 30_000 });

    await rig.postgres?.takeAway();
    rig.release("script", 3);
    await until("the step is over", () => stepProcesses(runId).length === 0);
    await rig.postgres?.bringBack();
    await rig.reaches(runId, "succeeded");
    expect(await rig.violations(runId, counted)).toEqual([]);
    const starts = (await rig.ledger(runId)).filter(({ role }) => role === "script");
    expect(starts.map(({ iteration }) => iteration)).toEqual([1, 2, 3, 4, 5]);
    expect((await rig.facts(runId)).history.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1, 1]);

    expect(busy.isOver).toBe(false);
    await busy.kill();
    const next = await rig.start(flow);
    await rig.reaches(next, "succeeded");
    expect(await rig.violations(next, counted)).toEqual([]);
    expect(idle.isOver).toBe(false);
  });

  it("P-60, S-7: with every connection cut again and again, no iteration is skipped, doubled or counted as lost", async () => {
    const rig = await Rig.open(kind);
    const flow = scriptFlow({ done: 12 });
    const worker = await rig.worker({ concurrency: 4 });
    const runs = [];
    for (let count = 0; count < 4; count += 1) runs.push(await rig.start(flow));

    let cut = 0;
    const progress = async (): Promise<number> => {
      const { rows } = await rig.database.query<{ count: number }>("select count(*)::int from iteration");
      return rows[0]?.count ?? 0;
    };
    // After each two committed iterations, until all are nearly through.
    for (let reached = 2; reached <= 40; reached += 2) {
      await until(`${reached} iterations are committed`, async () => (await progress()) >= reached);
      const { rowCount } = await rig.database.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name like 'worker-%'`,
      );
      cut += rowCount ?? 0;
    }
    for (const runId of runs) await rig.reaches(runId, "succeeded");
    expect(cut).toBeGreaterThan(20);
    expect(worker.isOver).toBe(false);
    for (const runId of runs)
      expect(
        await rig.violations(runId, { status: "succeeded", iterations: 12, state: stateAfter(12) }),
      ).toEqual([]);
  });
});
