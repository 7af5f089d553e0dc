import { setTimeout as sleep } from "node:timers/promises";
import { ApiError, ServerUnreachable } from "@agentflow/contract";
import { expect, it } from "vitest";
import { freePort } from "../support/free-port.ts";
import { until } from "../support/until.ts";
import { scriptFlow, stateAfter } from "./flows.ts";
import type { Expected } from "./invariants.ts";
import { queueKinds } from "./queue-place.ts";
import { Rig } from "./rig.ts";

const flow = scriptFlow({ done: 3 });
/** The lease may end while the servers are away; what an outage costs is no attempt. */
const counted: Expected = { status: "succeeded", iterations: 3, state: stateAfter(3), uncounted: true };

type Readiness = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };
const readiness = async (url: string): Promise<Readiness> => {
  const answer = await fetch(`${url}/readyz`);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};

async function workerWithHealth(rig: Rig) {
  const port = await freePort();
  const process = await rig.realWorker({ AGENTFLOW_WORKER_PORT: String(port) });
  return { process, url: `http://127.0.0.1:${port}` };
}

it.runIf(queueKinds.includes("redis"))(
  "S-17, S-27, P-55: Redis away for 30 s: the worker is not ready, the API is and says so, and within 10 s of its return work goes on",
  async () => {
    const rig = await Rig.open("redis", { ownRedis: true });
    await rig.register(flow);
    const worker = await workerWithHealth(rig);
    const api = await rig.realApi();
    rig.hold("script", 1);
    const { run: busy } = await api.client.startRun({ flow: flow.name });
    await rig.started(busy.id, "script", 1);

    await rig.redis?.takeAway();
    const away = sleep(30_000);
    await until("the worker is not ready", async () => (await readiness(worker.url)).status === 503);
    await until("the API misses the queue", async () => (await readiness(api.url)).body["queue"] === "down");
    expect(await readiness(api.url)).toMatchObject({ status: 200, body: { database: "up", queue: "down" } });
    rig.release("script", 1);
    const { run: meanwhile } = await api.client.startRun({ flow: flow.name });
    await away;
    expect(await rig.column(meanwhile.id, "status")).toBe("queued");

    await rig.redis?.bringBack();
    const limitMs = 10_000;
    await Promise.all([
      rig.started(busy.id, "script", 2, 1, limitMs),
      rig.started(meanwhile.id, "script", 1, 1, limitMs),
    ]);
    await until("both are ready", async () => {
      const both = await Promise.all([readiness(worker.url), readiness(api.url)]);
      return both.every(({ status, body }) => status === 200 && body["queue"] !== "down");
    });
    for (const { id } of [busy, meanwhile]) {
      await rig.reaches(id, "succeeded");
      expect(await rig.violations(id, counted)).toEqual([]);
    }
    expect([worker.process.isOver, api.process.isOver]).toEqual([false, false]);
  },
);

it("S-17, S-27, P-60: Postgres away for 20 s, idle and in mid-iteration: 503 meanwhile, nobody ends, and work goes on within 30 s", async () => {
  await Promise.all(
    queueKinds.map(async (kind) => {
      const rig = await Rig.open(kind, { ownRedis: true, ownPostgres: true });
      await rig.register(flow);
      const busy = await workerWithHealth(rig);
      const api = await rig.realApi();
      rig.hold("script", 2);
      const { run } = await api.client.startRun({ flow: flow.name });
      await rig.started(run.id, "script", 2);
      const idle = await workerWithHealth(rig);

      await rig.postgres?.takeAway();
      const away = sleep(20_000);
      await until("nobody is ready", async () => {
        const all = await Promise.all([busy, idle, api].map(({ url }) => readiness(url)));
        return all.every(({ status }) => status === 503);
      });
      const refused = await api.client.startRun({ flow: flow.name }).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(ApiError);
      expect(refused).not.toBeInstanceOf(ServerUnreachable);
      expect(refused).toMatchObject({ status: 503 });
      rig.release("script", 2);
      await away;
      await rig.postgres?.bringBack();

      await rig.started(run.id, "script", 3, 1, 30_000);
      await rig.reaches(run.id, "succeeded");
      expect(await rig.violations(run.id, counted)).toEqual([]);
      // The lease ends in the outage: the holder's commit and another claim race when the database is back, and either may win.
      const attempts = (await rig.facts(run.id)).history.map((entry) => entry.attempts);
      expect(attempts).toEqual([1, expect.toBeOneOf([1, 2]), 1]);
      const { run: next } = await api.client.startRun({ flow: flow.name });
      await rig.reaches(next.id, "succeeded");
      const { rows } = await rig.database.query("select id from run");
      expect(rows).toHaveLength(2);
      expect([busy, idle, api].map(({ process }) => process).filter(({ isOver }) => isOver)).toEqual([]);
    }),
  );
});
