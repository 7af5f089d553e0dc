import { describe, expect, it } from "vitest";
import { freePort } from "../support/free-port.ts";
import { until } from "../support/until.ts";
import { scriptFlow, stateAfter } from "./flows.ts";
import type { Expected } from "./invariants.ts";
import { queueKinds } from "./queue-place.ts";
import { Rig } from "./rig.ts";

const flow = scriptFlow({ done: 2 });
const counted: Expected = { status: "succeeded", iterations: 2, state: stateAfter(2) };

const times = <T>(count: number, make: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, make));

describe.each(queueKinds)("a queue that loses its jobs, jobs on %s", (kind) => {
  it("P-59, S-9, S-12, A10, B3: emptied with 20 queued, 3 active and 10 parked: nothing lost, nothing doubled, parked stay parked", async () => {
    const rig = await Rig.open(kind, { ownRedis: true });
    const parking = scriptFlow({ done: 2, waits: 1 });
    await rig.register(flow);
    await rig.register(parking);
    await rig.worker({ concurrency: 3 });
    const parked = await times(10, () => rig.start(parking));
    for (const runId of parked) await rig.reaches(runId, "waiting");
    rig.hold("script", 1);
    const active = await times(3, () => rig.start(flow));
    for (const runId of active) await rig.started(runId, "script", 1);
    const queued = await times(20, () => rig.start(flow));

    await rig.place.empty();
    for (const runId of queued) expect(await rig.place.jobs(runId)).toEqual([]);
    for (const runId of queued)
      await until("the lost job is back", async () => (await rig.place.jobs(runId)).length === 1, 10_000);
    rig.release("script", 1);
    for (const runId of [...active, ...queued]) await rig.reaches(runId, "succeeded");
    for (const runId of [...active, ...queued]) expect(await rig.violations(runId, counted)).toEqual([]);
    const waiting: Expected = { status: "waiting", iterations: 1, state: stateAfter(1) };
    for (const runId of parked) expect(await rig.violations(runId, waiting)).toEqual([]);

    const [one = ""] = parked;
    await rig.resume(one);
    await rig.reaches(one, "succeeded");
    expect(await rig.violations(one, counted)).toEqual([]);
  });

  it("S-5, C4: a job for a token that the run does not have, or has no more, is dropped in silence", async () => {
    const rig = await Rig.open(kind);
    rig.hold("script", 2);
    const worker = await rig.worker();
    const runId = await rig.start(flow);
    const { token } = await rig.started(runId, "script", 2);
    const wrong = [1, token, 99];
    await rig.queue.producer.add(wrong.map((each) => ({ runId, token: each, delayMs: 0 })));
    const outcomes = await Promise.all(
      wrong.map((each) =>
        worker.hears(
          `the job for token ${each} ends`,
          (line) => line.said === "handled" && line.token === each,
        ),
      ),
    );
    // The first was the start's own; the one with the claim's token finds the lease held.
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["committed", "held", "stale"]);
    rig.release("script", 2);
    await rig.reaches(runId, "succeeded");
    await rig.queue.producer.add([{ runId, token: 1, delayMs: 0 }]);
    expect(await rig.violations(runId, counted)).toEqual([]);
    expect((await rig.ledger(runId)).filter(({ role }) => role === "script")).toHaveLength(2);
  });
});

describe.each(queueKinds.filter((kind) => kind === "redis"))("Redis away and back, jobs on %s", (kind) => {
  it("P-55, S-10, S-17, B9: what was committed and started meanwhile goes on without a restart of the worker, whose /readyz was red", async () => {
    const rig = await Rig.open(kind, { ownRedis: true });
    rig.hold("script", 1);
    const port = await freePort();
    const worker = await rig.realWorker({ AGENTFLOW_WORKER_PORT: String(port) });
    const isReady = async (): Promise<boolean> =>
      (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200;
    await until("the worker is ready", isReady);
    const before = await rig.start(flow);
    await rig.started(before, "script", 1);

    await rig.redis?.takeAway();
    await until("the worker is not ready", async () => !(await isReady()));
    rig.release("script", 1);
    await until("the iteration is committed", async () => (await rig.column(before, "next_iteration")) === 2);
    const meanwhile = await rig.start(flow);
    expect(await rig.column(meanwhile, "status")).toBe("queued");

    await rig.redis?.bringBack();
    await rig.reaches(before, "succeeded", 30_000);
    await rig.reaches(meanwhile, "succeeded", 30_000);
    await until("the worker is ready again", isReady, 30_000);
    expect(worker.isOver).toBe(false);
    for (const runId of [before, meanwhile]) expect(await rig.violations(runId, counted)).toEqual([]);
    expect((await rig.facts(before)).history.map(({ attempts }) => attempts)).toEqual([1, 1]);
  });
});
