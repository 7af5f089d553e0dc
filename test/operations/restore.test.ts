import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { createStore, migrate, type Store } from "@agentflow/store";
import { createDatabase, createEmptyDatabase } from "@agentflow/store/testing";
import pg from "pg";
import { expect, it } from "vitest";
import { scriptFlow } from "../crash/flows.ts";
import { queueKinds } from "../crash/queue-place.ts";
import { Requests } from "../crash/requests.ts";
import { Rig } from "../crash/rig.ts";
import { hasDebianPostgres, startDebianPostgres } from "../support/debian-postgres.ts";
import { until } from "../support/until.ts";

const parkedFlow = scriptFlow({ done: 3, waits: 1 });
const busyFlow = scriptFlow({ done: 3 });
const endedFlow = scriptFlow({ done: 2 });

/** One installation on a database of the Debian server: its worker as it is shipped, and its callers. */
async function installation(rig: Rig, url: string, closers: (() => Promise<void>)[]) {
  const store = createStore({ url, applicationName: "restore test", maxConnections: 4 });
  const database = new pg.Pool({ connectionString: url, max: 2 });
  // A pool of a server that ends first would complain where nobody listens.
  database.on("error", () => {});
  closers.push(
    () => store.close(),
    () => database.end(),
  );
  const worker = await rig.realWorker({ DATABASE_URL: url, AGENTFLOW_CLAIM_LEASE: "2s" });
  return { worker, store, database, requests: new Requests(store, rig.queue) };
}

const reaches = (store: Store, id: string, status: string): Promise<true> =>
  until(`${id} is ${status}`, async () => (await store.reads.run(id))?.status === status || null);

/** Everything that is stored about iterations, in an order. */
async function history(database: pg.Pool, id: string): Promise<unknown[]> {
  const { rows } = await database.query("select * from ops.iterations where run_id = $1 order by iteration", [
    id,
  ]);
  return rows;
}

it.runIf(hasDebianPostgres && queueKinds.includes("redis"))(
  "S-29, S-10, P-55: a dump of Debian's PostgreSQL 15, restored beside a Redis that knows better: parked runs are parked, work goes on under its keys",
  async () => {
    const rig = await Rig.open("redis", { ownRedis: true });
    const server = await startDebianPostgres();
    const closers: (() => Promise<void>)[] = [];
    rig.onClose(async () => {
      for (const close of closers) await close();
      await server.close();
    });
    const { url } = await createDatabase(server.url);
    const before = await installation(rig, url, closers);
    const parked = await before.requests.start(parkedFlow);
    const ended = await before.requests.start(endedFlow);
    await reaches(before.store, parked, "waiting");
    await reaches(before.store, ended, "succeeded");
    rig.hold("script", 2);
    const busy = await before.requests.start(busyFlow);
    const first = await rig.started(busy, "script", 2);

    const file = join(server.folder, "agentflow.dump");
    await server.program("pg_dump", ["--format=custom", `--file=${file}`, url]);

    // What happens after the dump is lost, but Redis and the world outside keep it.
    rig.release("script", 2);
    await before.requests.resume(parked);
    await reaches(before.store, busy, "succeeded");
    await reaches(before.store, parked, "succeeded");
    const kept = await history(before.database, ended);
    await before.worker.kill();
    const lost = await before.requests.start(endedFlow);
    await rig.queue.producer.add([
      { runId: parked, token: 99, delayMs: 0 },
      { runId: randomUUID(), token: 1, delayMs: 0 },
    ]);

    const restored = await createEmptyDatabase(server.url);
    const into = ["--exit-on-error", "--no-owner", `--dbname=${restored.url}`, file];
    await server.program("pg_restore", into);
    await migrate(restored.url);
    const after = await installation(rig, restored.url, closers);
    const again = await rig.started(busy, "script", 2, 2);
    expect(again.key).toBe(first.key);
    expect(again.token).toBeGreaterThan(first.token);
    await reaches(after.store, busy, "succeeded");
    await until("stale jobs are gone", async () => (await rig.queue.depth()) === 0 || null);

    expect((await after.store.reads.run(parked))?.status).toBe("waiting");
    expect(await after.store.reads.run(lost)).toBeNull();
    expect(await history(after.database, ended)).toEqual(kept);
    await after.requests.resume(parked);
    await reaches(after.store, parked, "succeeded");
    for (const id of [parked, busy])
      expect(await history(after.database, id)).toMatchObject([
        { iteration: 1 },
        { iteration: 2 },
        { iteration: 3 },
      ]);
  },
);
