import { describe, expect, it } from "vitest";
import { ApiError } from "@agentflow/contract";
import { until } from "../support/until.ts";
import { scriptFlow, stateAfter } from "./flows.ts";
import type { Expected } from "./invariants.ts";
import { queueKinds } from "./queue-place.ts";
import { Rig } from "./rig.ts";

const parking = scriptFlow({ done: 2, waits: 1 });
const counting = scriptFlow({ done: 2 });
const counted: Expected = { status: "succeeded", iterations: 2, state: stateAfter(2) };

const startsOf = async (rig: Rig, runId: string, iteration: number): Promise<number> =>
  (await rig.ledger(runId)).filter((line) => line.role === "script" && line.iteration === iteration).length;

describe.each(queueKinds)("runs steered from outside, jobs on %s", (kind) => {
  it("3.4, S-12: a resume at a time survives an emptied queue and the death of every process, and counts once", async () => {
    const rig = await Rig.open(kind, { ownRedis: true });
    const worker = await rig.realWorker({});
    const runId = await rig.start(parking);
    await rig.reaches(runId, "waiting");
    const api = await rig.realApi();
    const at = await rig.column<Date>(runId, "now() + interval '3 s'");
    await api.client.resumeRun(runId, { until: at.toISOString(), payload: 1 });
    expect(await rig.place.jobs(runId)).toEqual([]);
    await api.process.kill();
    await worker.kill();
    await rig.place.empty();
    expect(await rig.column(runId, "status")).toBe("waiting");

    await rig.realWorker({});
    await rig.realWorker({});
    await rig.reaches(runId, "succeeded");
    expect(await rig.violations(runId, counted)).toEqual([]);
    expect(await startsOf(rig, runId, 2)).toBe(1);
    const resumedAt = `(select min(at) from event e where e.run_id = run.id and e.events like '%run-resumed%')`;
    expect(await rig.column<boolean>(runId, `${resumedAt} >= '${at.toISOString()}'`)).toBe(true);
  });

  it("3.4, P-17, P-19: of twenty early resumes one is kept, and the run never stops at its wait", async () => {
    const rig = await Rig.open(kind, { ownRedis: true });
    await rig.realWorker({});
    const { client } = await rig.realApi();
    rig.hold("script", 1);
    const runId = await rig.start(parking);
    await rig.started(runId, "script", 1);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () =>
        client.resumeRun(runId, { buffer: true }).then(
          () => "kept",
          (error: unknown) => (error instanceof ApiError ? error.code : error),
        ),
      ),
    );
    expect(outcomes.filter((one) => one === "kept")).toHaveLength(1);
    expect(outcomes.filter((one) => one === "resume_conflict")).toHaveLength(19);
    rig.release("script", 1);
    await rig.reaches(runId, "succeeded");
    expect(await rig.violations(runId, counted)).toEqual([]);
    expect(await startsOf(rig, runId, 2)).toBe(1);
  });

  it("3.4: a bulk action whose API dies in the middle is finished by the next one, each run resumed once", async () => {
    const rig = await Rig.open(kind, { ownRedis: true });
    await rig.realWorker({});
    await rig.register(parking);
    const runs = await Promise.all(Array.from({ length: 12 }, () => rig.start(parking)));
    for (const runId of runs) await rig.reaches(runId, "waiting");
    const first = await rig.realApi();
    const { bulk } = await first.client.startBulk({ action: "resume", ids: runs, perSecond: 4 });
    await until("some are resumed", async () => (await first.client.getBulk(bulk.id)).done > 0);
    await first.process.kill();

    const second = await rig.realApi();
    expect((await second.client.getBulk(bulk.id)).status).toBe("running");
    const isDone = async (): Promise<boolean> => (await second.client.getBulk(bulk.id)).status === "done";
    await until("the action is done", isDone, 40_000);
    expect((await second.client.getBulk(bulk.id)).outcomes).toEqual({ resumed: 12 });
    for (const runId of runs) {
      await rig.reaches(runId, "succeeded");
      expect(await startsOf(rig, runId, 2)).toBe(1);
    }
    for (const runId of runs.slice(0, 2)) expect(await rig.violations(runId, counted)).toEqual([]);
  });

  it("A22, S-9: never more runs at work than the limit says, over two workers of which one dies; all end", async () => {
    const rig = await Rig.open(kind, { ownRedis: true });
    const lease = { AGENTFLOW_CLAIM_LEASE: "2s" };
    const workers = [await rig.realWorker(lease), await rig.realWorker(lease)];
    await rig.register(counting);
    await rig.store.requests.setFlowLimits(
      counting.name,
      { maxRunning: 2, maxRunningPerKey: null },
      { actor: "test", remote: "" },
    );
    rig.hold("script", 1);
    const runs = await Promise.all(Array.from({ length: 8 }, () => rig.start(counting)));
    const count = async (query: string): Promise<number> =>
      (await rig.database.query<{ count: number }>(`select count(*)::int as count from ${query}`)).rows[0]
        ?.count ?? 0;
    const atWork = () => count("run where lease_until >= now()");
    await until("six wait for the limit", async () => (await count("limit_wait")) === 6);
    expect(await atWork()).toBe(2);
    await workers[0]?.kill();
    await until("two are at work again", async () => (await atWork()) === 2, 20_000);
    expect(await count("limit_wait")).toBeGreaterThanOrEqual(6 - 2);
    rig.release("script", 1);
    for (const runId of runs) await rig.reaches(runId, "succeeded", 30_000);
    expect(await count("limit_wait")).toBe(0);
    for (const runId of runs.slice(0, 2)) expect((await rig.facts(runId)).status).toBe("succeeded");
  });
});
