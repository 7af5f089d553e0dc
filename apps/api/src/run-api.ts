import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { performance } from "node:perf_hooks";
import { defaultRegistry } from "@agentflow/core";
import { parseFlow } from "@agentflow/dsl";
import {
  KEY_MIN_UNITS,
  bundleLimits,
  isUsableKey,
  runBulkStep,
  seedAdminKey,
  sha256,
} from "@agentflow/engine";
import { createLogger, createShutdown, describeProblems } from "@agentflow/host";
import type { Config, Logger } from "@agentflow/host";
import { createRelay, openQueue } from "@agentflow/queue";
import type { Queue, Relay } from "@agentflow/queue";
import { awaitSchema, createStore } from "@agentflow/store";
import type { Store } from "@agentflow/store";
import { uuidv7 } from "uuidv7";
import { buildApp } from "./app.ts";
import { startBulkRunner } from "./bulk-runner.ts";
import type { ApiDeps } from "./deps.ts";
import { createApiMetrics } from "./metrics.ts";
import { isLoopback } from "./plugins/guard.ts";
import { unwritableIr } from "./reading/unwritable-ir.ts";

/** How long opening things may take to close again (A14). */
const CLOSE_MS = 2000;
const MAX_CONNECTIONS = 10;

/** The configuration asks for what the API must not do: an address that needs a key when there is none, a key that is none (S-19). */
export class ListenRefused extends Error {
  override readonly name = "ListenRefused";
}

/**
 * Runs the API until it is told to stop (S-1); resolves to its address when it takes calls. Waits for the database's schema;
 * a queue that is away is no reason to wait (S-17). Throws `ListenRefused` before it listens.
 */
export async function runApi(
  config: Config<"api">,
  options: { supervised: boolean },
): Promise<{ url: string }> {
  const adminKey = await readAdminKey(config);
  const { databaseUrl, redisUrl, logLevel: level } = config;
  const logger = createLogger({ name: "api", level, secrets: [databaseUrl, redisUrl] });
  const shutdown = createShutdown({ logger, supervised: options.supervised });

  await awaitSchema(databaseUrl, shutdown.signal);
  const store = createStore({
    url: databaseUrl,
    applicationName: "agentflow-api",
    maxConnections: MAX_CONNECTIONS,
    onError: (err) => logger.warn({ err }, "database connection lost"),
  });
  shutdown.onClose("store", CLOSE_MS, () => store.close());
  await prepareKeys(config, store, adminKey);
  const queue = await openApiQueue(config, logger);
  shutdown.onClose("queue", CLOSE_MS, () => queue.close(CLOSE_MS));
  const relay = createRelay(queue.producer, {
    onKept: (err) => logger.warn({ err }, "queue away, wakes kept"),
  });
  shutdown.onClose("relay", CLOSE_MS, () => relay.close(CLOSE_MS / 2));

  const deps = depsOf(config, { store, queue, relay, logger });
  const runner = startBulkRunner({
    step: (leaseMs) => runBulkStep({ ...deps.use, bulk: store.bulk }, leaseMs),
    onError: (err) => logger.warn({ err }, "bulk action interrupted"),
  });
  shutdown.onClose("bulk actions", CLOSE_MS, () => runner.stop());
  const app = await buildApp({ ...deps, onBulk: () => runner.poke() });
  shutdown.onClose("http server", config.shutdownGraceMs, () => app.close());
  await app.listen({ host: config.host, port: config.port });
  const { port } = app.server.address() as AddressInfo;
  const url = `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${port}`;
  logger.info({ url, queue: queue.kind }, "api ready");
  process.send?.({ type: "ready", url });
  return { url };
}

/** The operator's own key from AGENTFLOW_ADMIN_KEY_FILE; null when none is named. */
async function readAdminKey({ adminKeyFile }: Config<"api">): Promise<string | null> {
  if (adminKeyFile === undefined) return null;
  const text = await readFile(adminKeyFile, "utf8").catch(() => "");
  if (isUsableKey(text.trim())) return text.trim();
  const legal = `the path of a file with one line of at least ${KEY_MIN_UNITS} visible ASCII characters`;
  const problem = { variable: "AGENTFLOW_ADMIN_KEY_FILE", value: JSON.stringify(adminKeyFile), legal };
  throw new ListenRefused(describeProblems([problem]));
}

/** Stores the operator's key; without any key only this machine is served. */
async function prepareKeys(config: Config<"api">, store: Store, adminKey: string | null): Promise<void> {
  if (adminKey !== null)
    await seedAdminKey({ keys: store.keys, newId: uuidv7 }, adminKey, {
      actor: "admin-key-file",
      remote: "",
    });
  if (isLoopback(config.host) || (await store.keys.any())) return;
  await store.close();
  const legal =
    "127.0.0.1, ::1 or localhost, because an API without keys serves this machine only; " +
    "make a key with `agentflow keys create --scope admin` or set AGENTFLOW_ADMIN_KEY_FILE to serve others";
  const problem = { variable: "AGENTFLOW_HOST", value: JSON.stringify(config.host), legal };
  throw new ListenRefused(describeProblems([problem]));
}

async function openApiQueue(config: Config<"api">, logger: Logger): Promise<Queue> {
  const target =
    config.queue === "redis"
      ? ({ kind: "redis", url: config.redisUrl! } as const)
      : ({ kind: "postgres", url: config.databaseUrl } as const);
  return openQueue(target, {
    onProblem: (problem) => {
      const err = "error" in problem ? problem.error : undefined;
      logger.warn({ problem: problem.kind, err }, "queue trouble");
    },
  });
}

function depsOf(
  config: Config<"api">,
  { store, queue, relay, logger }: { store: Store; queue: Queue; relay: Relay; logger: Logger },
): ApiDeps {
  return {
    use: {
      store: store.requests,
      relay: { wake: (wake) => void relay.wake(wake) },
      registry: defaultRegistry,
      caps: {
        maxIterations: config.maxIterations,
        maxTimeoutMs: config.maxTimeoutMs,
        maxRepeatIterations: config.maxRepeatIterations,
      },
      bundleLimits: { ...bundleLimits, maxBytes: config.maxBundleBytes },
      sha256,
      newId: uuidv7,
      parseSource: (text, files) => parseFlow({ text, files }),
      unwritable: unwritableIr,
    },
    reads: store.reads,
    keys: store.keys,
    bulk: store.bulk,
    schedules: store.schedules,
    webhooks: store.webhooks,
    fleet: store.fleet,
    keysRequired: !isLoopback(config.host),
    nowMs: () => performance.now(),
    metrics: createApiMetrics({
      reads: store.reads,
      queue,
      connections: () => store.connections(),
      ofProcess: true,
    }),
    database: store,
    queue,
    logger,
  };
}
