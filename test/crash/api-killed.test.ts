import { describe, expect, it } from "vitest";
import { startCuttingProxy, type CuttingProxy } from "../support/cutting-proxy.ts";
import { until } from "../support/until.ts";
import { scriptFlow, stateAfter } from "./flows.ts";
import type { Expected } from "./invariants.ts";
import { queueKinds } from "./queue-place.ts";
import { Rig } from "./rig.ts";

/** What the connections of BullMQ's PostgreSQL backend begin with, and those of the store do not. */
const QUEUE_ON_POSTGRES = "search_path=bullmq";

describe.each(queueKinds)("the shipped API killed between its row and its job, jobs on %s", (kind) => {
  /** An API that stores what it is told, and whose jobs are stuck on their way once the proxy holds. */
  async function cutOffApi(
    rig: Rig,
  ): Promise<{ api: Awaited<ReturnType<Rig["realApi"]>>; proxy: CuttingProxy }> {
    const { target } = rig.place;
    const proxy = await startCuttingProxy(target.url);
    rig.onClose(() => proxy.close());
    const api = await rig.realApi(kind === "redis" ? { REDIS_URL: proxy.url } : { DATABASE_URL: proxy.url });
    proxy.hold(kind === "redis" ? "" : QUEUE_ON_POSTGRES);
    return { api, proxy };
  }

  const startsOf = async (rig: Rig, runId: string, iteration: number): Promise<number> =>
    (await rig.ledger(runId)).filter((line) => line.role === "script" && line.iteration === iteration).length;

  it("S-14, S-17, P-58: of a start: it was answered, the run starts once, and the same key brings the same run", async () => {
    const rig = await Rig.open(kind, { ownRedis: true });
    const flow = scriptFlow({ done: 3 });
    const counted: Expected = { status: "succeeded", iterations: 3, state: stateAfter(3) };
    await rig.register(flow);
    const { api, proxy } = await cutOffApi(rig);
    const call = { idempotencyKey: "once" };
    const { created, run } = await api.client.startRun({ flow: flow.name }, call);
    expect(created).toBe(true);
    await api.process.kill();
    await proxy.close();
    expect(await rig.place.jobs(run.id)).toEqual([]);

    const again = await rig.realApi();
    const second = await again.client.startRun({ flow: flow.name }, call);
    expect([second.created, second.run.id, second.run.status]).toEqual([false, run.id, "queued"]);
    await rig.realWorker({});
    await rig.reaches(run.id, "succeeded");
    expect(await rig.violations(run.id, counted)).toEqual([]);
    expect(await startsOf(rig, run.id, 1)).toBe(1);
  });

  it("S-14, S-12, L-39: of a resume: it was answered, and the run is resumed once", async () => {
    const rig = await Rig.open(kind, { ownRedis: true });
    const parking = scriptFlow({ done: 3, waits: 1 });
    const counted: Expected = { status: "succeeded", iterations: 3, state: stateAfter(3) };
    const worker = await rig.realWorker({});
    const runId = await rig.start(parking);
    await rig.reaches(runId, "waiting");
    await until("its last job is over", async () => (await rig.place.jobs(runId)).length === 0);
    await worker.kill();
    const { api, proxy } = await cutOffApi(rig);
    const { resumed, run } = await api.client.resumeRun(runId, {}, { idempotencyKey: "go-on" });
    expect([resumed, run.status]).toEqual([true, "queued"]);
    await api.process.kill();
    await proxy.close();
    expect(await rig.place.jobs(runId)).toEqual([]);

    await rig.realWorker({});
    await rig.reaches(runId, "succeeded");
    expect(await rig.violations(runId, counted)).toEqual([]);
    expect(await startsOf(rig, runId, 2)).toBe(1);
    const again = await rig.realApi();
    const told = await again.client.resumeRun(runId, {}, { idempotencyKey: "go-on" });
    expect([told.resumed, told.run.status]).toEqual([false, "succeeded"]);
  });
});
