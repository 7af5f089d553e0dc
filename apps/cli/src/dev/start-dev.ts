import { createClient } from "@agentflow/contract";
import {
  createLogger,
  createShutdown,
  keepSecretKey,
  serviceEnvironment,
  type Config,
  type Logger,
  type Shutdown,
} from "@agentflow/host";
import { setTimeout as sleep } from "node:timers/promises";
import { migrateAll } from "../commands/service.ts";
import { readConfigOrFail } from "../configuration.ts";
import { tell } from "../console/out.ts";
import { CommandError } from "../exit.ts";
import { nextFreePort } from "./free-port.ts";
import { keepChild, launch, type KeptChild } from "./keep-child.ts";
import { openServices, type Services } from "./services.ts";

const READY_LIMIT_MS = 60_000;
const READY_POLL_MS = 50;
/** A worker takes its grace time, then kills its steps and gives its runs back. */
const STOP_MARGIN_MS = 8000;
const SERVICES_STOP_MS = 30_000;

export type DevOptions = {
  readonly port?: string;
  readonly data?: string;
  readonly queue?: string;
  readonly workers?: number;
};

/** A running AgentFlow on this machine. */
export type Dev = {
  readonly url: string;
  readonly pids: { readonly api: number; readonly workers: readonly number[] };
  readonly config: Config<"dev">;
  readonly services: Services;
  readonly shutdown: Shutdown;
};

/**
 * Starts everything on this machine (S-2, F-30) and resolves when the API is ready and the workers take jobs. A signal
 * stops workers and API first, then the private servers; a second one, at once.
 */
export async function startDev(options: DevOptions): Promise<Dev> {
  const config = readConfigOrFail("dev", {
    AGENTFLOW_PORT: options.port,
    AGENTFLOW_DATA_DIR: options.data,
    AGENTFLOW_QUEUE: options.queue,
  });
  const logger = createLogger({
    name: "dev",
    level: config.logLevel,
    secrets: [config.databaseUrl, config.redisUrl],
  });
  const children: KeptChild[] = [];
  const exit = (code: number): never => {
    for (const child of children) child.kill();
    return process.exit(code);
  };
  const shutdown = createShutdown({ logger, exit });
  try {
    return await start(config, options.workers ?? 1, { children, logger, shutdown });
  } catch (error) {
    // Stopped by a signal: that is no failure, and the process ends when all is closed.
    if (shutdown.signal.aborted) return await new Promise(() => {});
    // Whoever catches it says why before the process ends.
    setImmediate(() => shutdown.begin("cannot start", error instanceof CommandError ? error.exitCode : 1));
    throw error;
  }
}

type Parts = { readonly children: KeptChild[]; readonly logger: Logger; readonly shutdown: Shutdown };

async function start(config: Config<"dev">, workers: number, parts: Parts): Promise<Dev> {
  const { children, logger, shutdown } = parts;
  const { signal } = shutdown;
  const onMoved = (): void => {
    for (const child of children) child.restart();
  };
  const services = await openServices(config, { logger, onMoved });
  shutdown.onClose("private servers", SERVICES_STOP_MS, async () => {
    await services.redis?.stop();
    await services.postgres.stop();
  });
  signal.throwIfAborted();
  await migrateAll(services.postgres.url(), config.queue);
  signal.throwIfAborted();

  const listener = createListener(config);
  const stopMs = config.shutdownGraceMs + STOP_MARGIN_MS;
  const startApi = async () =>
    launch("api", environment(config, services, { AGENTFLOW_PORT: String(await listener.port()) }));
  const startWorker = async () => launch("worker", environment(config, services, {}));
  const api = keepChild("api", startApi, logger);
  const kept = Array.from({ length: workers }, () => keepChild("worker", startWorker, logger));
  children.push(api, ...kept);
  shutdown.onClose("api and workers", stopMs + 1000, () =>
    Promise.all(children.map((child) => child.stop(stopMs))),
  );
  await Promise.all(children.map((child) => child.ready));
  listener.settle();
  await untilReady(listener.url(), signal);
  const pids = { api: api.pid(), workers: kept.map((worker) => worker.pid()) };
  return { url: listener.url(), pids, config, services, shutdown };
}

/** The port is looked for until the API has listened once; from then on its address is a promise. */
function createListener({ host, port }: Config<"dev">) {
  let settled = false;
  let current = port;
  return {
    async port(): Promise<number> {
      if (settled) return current;
      current = await nextFreePort(host, port);
      if (port !== 0 && current !== port) tell(`port ${port} is busy, taking ${current}`);
      return current;
    },
    settle: () => void (settled = true),
    url: () => `http://${host.includes(":") ? `[${host}]` : host}:${current}`,
  };
}

function environment(
  { queue, dataDir, logLevel, secretKey }: Config<"dev">,
  { postgres, redis }: Services,
  changes: Readonly<Record<string, string>>,
): Record<string, string> {
  return serviceEnvironment({
    DATABASE_URL: postgres.url(),
    ...(redis === null ? {} : { REDIS_URL: redis.url() }),
    AGENTFLOW_QUEUE: queue,
    AGENTFLOW_DATA_DIR: dataDir,
    AGENTFLOW_LOG_LEVEL: logLevel,
    ...(secretKey === undefined ? { AGENTFLOW_SECRET_KEY: keepSecretKey(dataDir) } : {}),
    // One port cannot be that of several workers.
    AGENTFLOW_WORKER_PORT: null,
    ...changes,
  });
}

async function untilReady(url: string, signal: AbortSignal): Promise<void> {
  const client = createClient({ url, timeoutMs: 5000 });
  const deadline = performance.now() + READY_LIMIT_MS;
  for (;;) {
    const seen = await client.getReadiness().catch(() => null);
    if (seen?.status === "ready" && seen.queue === "up") return;
    if (performance.now() > deadline)
      throw new CommandError(
        `${url}/readyz is not green within ${READY_LIMIT_MS / 1000} s: ${JSON.stringify(seen)}`,
      );
    await sleep(READY_POLL_MS, undefined, { signal });
  }
}
