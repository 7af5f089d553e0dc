import { hostname } from "node:os";
import { defaultRegistry } from "@agentflow/core";
import type { LimitCaps } from "@agentflow/core";
import { runDueSchedule, sendDueDeliveries, sha256 } from "@agentflow/engine";
import type { Wake } from "@agentflow/engine";
import { closeInheritedDescriptors, createCommandRunner } from "@agentflow/exec";
import { createLogger, createShutdown, scriptEnvironment, watchLoopLag } from "@agentflow/host";
import type { Config, Logger } from "@agentflow/host";
import { createRelay, openQueue } from "@agentflow/queue";
import type { Consumer, Queue, QueueProblem, Relay } from "@agentflow/queue";
import { awaitSchema, checkServer, createStore } from "@agentflow/store";
import type { Store } from "@agentflow/store";
import { uuidv7 } from "uuidv7";
import { drain, drainLimitMs } from "./drain.ts";
import { startHealthServer } from "./health-server.ts";
import { createWorkerMetrics } from "./metrics.ts";
import type { WorkerMetrics } from "./metrics.ts";
import { startHousekeeping } from "./housekeeping.ts";
import { openResources, secretValues } from "./resources.ts";
import { createSender } from "./send-webhook.ts";
import { startScheduler } from "./scheduler.ts";
import { startSweeper } from "./sweeper.ts";
import { composeWork } from "./work.ts";
import type { Work } from "./work.ts";

/** How long opening things may take to close again; a server that is away must not hold the exit up (A14). */
const CLOSE_MS = 2000;

/** The queue's server must not be used: its sentence says why and what to do (S-29, B1). */
export class QueueRefused extends Error {
  override readonly name = "QueueRefused";
}

/** Runs a worker until it is told to stop (S-1, S-27). Resolves when it is ready to take jobs. */
export async function runWorker(
  config: Config<"worker">,
  options: { supervised: boolean; version: string },
): Promise<void> {
  closeInheritedDescriptors();
  const { databaseUrl, redisUrl, agentApiKey, logLevel: level } = config;
  const secrets = [databaseUrl, redisUrl, agentApiKey, ...secretValues(config.secrets).values()];
  const logger = createLogger({ name: "worker", level, secrets });
  const shutdown = createShutdown({ logger, supervised: options.supervised });
  const worker = `${hostname()}:${process.pid}`;

  await awaitSchema(databaseUrl, shutdown.signal);
  const problems = await checkServer(databaseUrl);
  if (problems.length > 0) logger.warn({ problems }, "database settings endanger what is committed");
  const store = openStore(config, logger);
  shutdown.onClose("store", CLOSE_MS, () => store.close());
  const metrics = openMetrics(config, store);
  const queue = await openWorkerQueue(config, logger);
  shutdown.onClose("queue", CLOSE_MS * 2, () => queue.close(CLOSE_MS));
  const relay = createRelay(queue.producer, {
    onKept: (err) => logger.warn({ err }, "queue away, wakes kept"),
  });
  shutdown.onClose("relay", CLOSE_MS, () => relay.close(CLOSE_MS / 2));
  const runner = await openRunner(config, store);
  shutdown.onClose("command runner", CLOSE_MS, () => runner.close());

  const work = composeWork({
    store: { ...store.work, flowVersionById: (id) => store.requests.flowVersionById(id) },
    runner,
    relay: { wake: (wake) => void relay.wake(wake) },
    registry: defaultRegistry,
    caps: capsOf(config),
    workspaceRoot: config.workspaceRoot ?? null,
    resources: await openResources(config, runner),
    ...{ worker, timelineBytes: config.timelineBytes },
    leaseMs: config.claimLeaseMs,
    maxAttempts: config.maxAttempts,
    burst: config.burstIterations > 1 ? { iterations: config.burstIterations, ms: config.burstMs } : null,
    crowded: () => consumer.crowded,
    ...(metrics && { observer: metrics.observer }),
    onLost: ({ runId, token }) => {
      metrics?.leaseLost();
      logger.warn({ runId, token }, "lease lost, step stopped");
    },
  });
  const timers = startTimers(config, { store, relay, metrics, logger });
  const house = startHousekeeping({
    fleet: store.fleet,
    worker: { id: worker, version: options.version, queue: queue.kind, concurrency: config.concurrency },
    retentionMs: config.retentionMs,
    onRemoved: (runs) => {
      metrics?.removed(runs);
      logger.info({ runs }, "old runs removed");
    },
    onError: (err) => logger.warn({ err }, "housekeeping failed"),
  });
  shutdown.onClose("housekeeping", CLOSE_MS, () => house.stop());
  const consumer = consume(config, queue, { work, metrics }, logger);
  shutdown.onClose("work", drainLimitMs(config.shutdownGraceMs), async () => {
    void house.drain();
    await consumer.pause();
    const cutOff = await drain(work.leases, config.shutdownGraceMs);
    if (cutOff > 0) logger.info({ cutOff }, "work handed back");
    await timers.stop();
    work.leases.close();
  });
  await serveHealth(config, { store, queue, consumer, metrics }, shutdown);
  const unwatch = watchLoopLag({
    limitMs: config.claimLeaseMs / 3,
    onLag: (lagMs) => logger.warn({ lagMs }, "event loop stood still"),
  });
  shutdown.signal.addEventListener("abort", unwatch);
  logger.info({ worker, queue: queue.kind, concurrency: config.concurrency }, "worker ready");
  process.send?.({ type: "ready" });
}

function capsOf({ maxIterations, maxTimeoutMs, maxRepeatIterations }: Config<"worker">): LimitCaps {
  return { maxIterations, maxTimeoutMs, maxRepeatIterations };
}

/** What finds work by the clock: runs that stand still, and ticks of schedules. */
function startTimers(
  config: Config<"worker">,
  parts: {
    readonly store: Store;
    readonly relay: Relay;
    readonly metrics: WorkerMetrics | null;
    readonly logger: Logger;
  },
): { stop(): Promise<void> } {
  const { store, metrics, logger } = parts;
  const relay = { wake: (wake: Wake) => void parts.relay.wake(wake) };
  const sweeper = startSweeper({
    ...{ store: store.work, relay, intervalMs: config.sweepIntervalMs },
    onFound: (runs) => {
      metrics?.swept(runs);
      logger.info({ runs }, "sweep woke runs");
    },
    onError: (err) => logger.warn({ err }, "sweep failed"),
  });
  const start = { store: store.requests, schedules: store.schedules, relay, caps: capsOf(config) };
  const scheduler = startScheduler({
    step: (leaseMs) =>
      runDueSchedule({ ...start, registry: defaultRegistry, sha256, newId: uuidv7 }, leaseMs),
    onError: (err) => logger.warn({ err }, "schedules not looked at"),
  });
  const send = createSender({ allowPrivate: config.webhookPrivate, nowMs: Date.now });
  const deliverer = startScheduler({
    step: (leaseMs) =>
      sendDueDeliveries({ webhooks: store.webhooks, send, newId: uuidv7 }, { leaseMs, limit: 8 }),
    onError: (err) => logger.warn({ err }, "webhooks not sent"),
  });
  const all = [sweeper, scheduler, deliverer];
  return { stop: async () => void (await Promise.all(all.map((one) => one.stop()))) };
}

function openStore(config: Config<"worker">, logger: Logger): Store {
  return createStore({
    url: config.databaseUrl,
    applicationName: "agentflow-worker",
    maxConnections: Math.min(config.concurrency + 2, 20),
    onError: (err) => logger.warn({ err }, "database connection lost"),
  });
}

function openRunner(config: Config<"worker">, store: Store): ReturnType<typeof createCommandRunner> {
  return createCommandRunner({
    dataDir: config.dataDir,
    environment: { base: scriptEnvironment([]), listed: scriptEnvironment(config.scriptEnv) },
    wrapper: config.scriptWrapper ?? "",
    user: config.stepUser ?? "",
    loadBundle: (digest) => store.requests.bundle(digest),
    warm: {
      maxProcesses: config.concurrency,
      maxCalls: config.warmCalls,
      maxRssBytes: config.warmMemoryBytes,
      idleMs: config.warmIdleMs,
    },
  });
}

async function openWorkerQueue(config: Config<"worker">, logger: Logger): Promise<Queue> {
  const target =
    config.queue === "redis"
      ? ({ kind: "redis", url: config.redisUrl! } as const)
      : ({ kind: "postgres", url: config.databaseUrl } as const);
  const queue = await openQueue(target, { onProblem: (problem) => report(logger, problem) });
  const check = await queue.checkServer({ allowEviction: config.redisAllowEviction });
  if (check.kind === "refused") throw new QueueRefused(check.problem);
  return queue;
}

/** Nothing is counted for a worker that nobody can ask. */
function openMetrics({ workerPort, concurrency }: Config<"worker">, store: Store): WorkerMetrics | null {
  if (workerPort === undefined) return null;
  return createWorkerMetrics({ connections: () => store.connections(), concurrency, ofProcess: true });
}

function consume(
  config: Config<"worker">,
  queue: Queue,
  { work, metrics }: { readonly work: Work; readonly metrics: WorkerMetrics | null },
  logger: Logger,
): Consumer {
  return queue.consume({
    concurrency: config.concurrency,
    handle: async (job, _signal, dueAtMs) => {
      const over = metrics?.taken(job.runId, dueAtMs());
      try {
        const outcome = await work.handle(job);
        logger.debug({ ...job, outcome }, "job done");
      } finally {
        over?.();
      }
    },
    onProblem: (problem) => report(logger, problem),
  });
}

function report(logger: Logger, problem: QueueProblem): void {
  if (problem.kind === "queue") logger.warn({ err: problem.error }, "queue trouble");
  else if (problem.kind === "handler") {
    const { runId, token, error: err } = problem;
    logger.warn({ runId, token, err }, "job given up, the sweep brings it back");
  } else logger.warn({ ...problem }, "queue problem");
}

async function serveHealth(
  config: Config<"worker">,
  parts: {
    readonly store: Store;
    readonly queue: Queue;
    readonly consumer: Consumer;
    readonly metrics: WorkerMetrics | null;
  },
  shutdown: ReturnType<typeof createShutdown>,
): Promise<void> {
  const { store, queue, consumer, metrics } = parts;
  if (config.workerPort === undefined || metrics === null) return;
  const health = await startHealthServer({
    host: config.host,
    ports: config.workerPort,
    metrics,
    readiness: async () => ({
      database: await store.ping().then(
        () => true,
        () => false,
      ),
      queue: await queue.ping(),
      consuming: !shutdown.signal.aborted && performance.now() - consumer.lastActivity < 30_000,
    }),
  });
  shutdown.onClose("health server", CLOSE_MS, () => health.close());
}
