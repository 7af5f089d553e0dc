import { mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient, type Client } from "@agentflow/contract";
import { createDatabase } from "@agentflow/store/testing";
import pg from "pg";
import { ownServer, type OwnServer } from "../crash/own-server.ts";
import { postgresPlace, redisPlace, type QueueKind, type QueuePlace } from "../crash/queue-place.ts";
import { AGENTFLOW } from "../support/cli.ts";
import { startCuttingProxy, type CuttingProxy } from "../support/cutting-proxy.ts";
import { freePort } from "../support/free-port.ts";
import { CLOCK_SHIFTS_MS, WORKERS } from "./schedule.ts";
import { Service, type Program } from "./service.ts";

/** The shortest there may be (S-8): what a dead worker costs here. */
export const LEASE_MS = 2000;
const CALL_LIMIT_MS = 5000;
const SHIFTED_CLOCK = new URL("./fixtures/shifted-clock.mjs", import.meta.url).href;
const COMPOSED_WORKER = fileURLToPath(new URL("../crash/fixtures/worker.mjs", import.meta.url));

/** Workers put together by the tests, with something essential left out; the storm must tell. */
export type Composed = { readonly sweeps: boolean; readonly unguarded: boolean };

/** One worker of the storm, with the proxy between it and Postgres. */
export type StormWorker = {
  readonly service: Service;
  readonly proxy: CuttingProxy;
  /** Clock of its next start. */
  clockMs: number;
  /** Its name as holder of leases. */
  owner(): string;
};

/** A whole AgentFlow of one storm: servers, processes and files that nobody else uses. */
export type Installation = {
  readonly queue: QueueKind;
  readonly folder: string;
  readonly postgres: OwnServer;
  readonly redis: OwnServer | null;
  readonly database: pg.Pool;
  readonly place: QueuePlace;
  readonly api: Service;
  readonly workers: readonly StormWorker[];
  readonly client: Client;
  close(): Promise<void>;
};

type Parts = Pick<Installation, "queue" | "folder" | "postgres" | "redis" | "place"> & {
  databaseUrl: string;
};

/** Starts API and workers as they are shipped, or composed workers in the place of the shipped ones. */
export async function install(queue: QueueKind, composed: Composed | null): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), "agentflow-chaos-"));
  const postgres = await ownServer("postgres");
  const redis = queue === "redis" ? await ownServer("redis") : null;
  const { url: databaseUrl } = await createDatabase(postgres.url);
  const database = openPool(databaseUrl);
  const place = redis === null ? await postgresPlace(databaseUrl, database) : redisPlace(redis.url, true);
  const parts = { queue, folder, postgres, redis, place, databaseUrl };
  const workers: StormWorker[] = [];
  for (let index = 0; index < WORKERS; index += 1) workers.push(await makeWorker(index, parts, composed));
  const port = await freePort();
  const api = new Service("api", () => ({
    args: [AGENTFLOW, "api"],
    env: { ...environment(parts, databaseUrl), AGENTFLOW_PORT: String(port) },
  }));
  const all = [api, ...workers.map(({ service }) => service)];
  for (const service of all) service.start();
  return {
    ...parts,
    database,
    api,
    workers,
    client: createClient({ url: `http://127.0.0.1:${port}`, timeoutMs: CALL_LIMIT_MS }),
    async close() {
      await Promise.all(all.map((service) => service.close()));
      for (const { proxy } of workers) await proxy.close();
      await database.end();
      await redis?.close();
      await postgres.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Looks at the database past all proxies; gives up soon while Postgres is away. */
function openPool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max: 3,
    connectionTimeoutMillis: 2000,
    query_timeout: 20_000,
  });
  pool.on("error", () => {});
  pool.on("connect", (client) => void client.on("error", () => {}));
  return pool;
}

async function makeWorker(index: number, parts: Parts, composed: Composed | null): Promise<StormWorker> {
  const proxy = await startCuttingProxy(parts.databaseUrl);
  let starts = 0;
  const worker: StormWorker = {
    service: new Service(`worker ${index}`, () => {
      starts += 1;
      return composed === null ? shipped(parts, worker) : putTogether(parts, worker, composed);
    }),
    proxy,
    clockMs: CLOCK_SHIFTS_MS[index % CLOCK_SHIFTS_MS.length] ?? 0,
    owner: () => (composed === null ? `${hostname()}:${worker.service.pid}` : `worker-${index}-${starts}`),
  };
  return worker;
}

function environment({ queue, redis }: Parts, databaseUrl: string): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    AGENTFLOW_QUEUE: queue,
    REDIS_URL: redis?.url ?? "",
    AGENTFLOW_LOG_LEVEL: "warn",
    AGENTFLOW_SHUTDOWN_GRACE: "100ms",
    // Iterations are struck again and again here; that they do not fail for it is not what is looked at.
    AGENTFLOW_MAX_ATTEMPTS: "100",
  };
}

function shipped(parts: Parts, { proxy, clockMs }: StormWorker): Program {
  return {
    args: ["--import", SHIFTED_CLOCK, AGENTFLOW, "worker"],
    env: {
      ...environment(parts, proxy.url),
      CLOCK_SHIFT_MS: String(clockMs),
      AGENTFLOW_DATA_DIR: join(parts.folder, "data"),
      AGENTFLOW_WORKSPACE_ROOT: parts.folder,
      AGENTFLOW_CLAIM_LEASE: `${LEASE_MS}ms`,
      AGENTFLOW_CONCURRENCY: "4",
    },
  };
}

function putTogether(parts: Parts, { proxy, owner }: StormWorker, composed: Composed): Program {
  const { folder, place, queue } = parts;
  const given = {
    name: owner(),
    databaseUrl: proxy.url,
    queue: queue === "postgres" ? { ...place.target, url: proxy.url } : place.target,
    dataDir: join(folder, "data"),
    workspaceRoot: folder,
    leaseMs: LEASE_MS,
    concurrency: 4,
    fault: null,
    ...composed,
  };
  return { args: [COMPOSED_WORKER, JSON.stringify(given)], env: {} };
}
