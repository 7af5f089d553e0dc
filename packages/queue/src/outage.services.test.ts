import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { IQueueBackend } from "bullmq";
import { startConsumer } from "./bullmq/consumer.ts";
import type { BullWorker, Opened, WorkerPlan } from "./bullmq/driver.ts";
import { migrateQueue, postgresDriver } from "./bullmq/postgres.ts";
import { redisDriver } from "./bullmq/redis.ts";
import type { WakeJob } from "./job.ts";
import { openQueue, type Queue, type QueueTarget } from "./open-queue.ts";
import type { QueueProblem } from "./problems.ts";
import { createRelay } from "./relay.ts";
import { startPostgresServer } from "./testing/postgres-server.ts";
import { hasRedis, startRedisServer } from "./testing/redis-server.ts";
import type { TestServer } from "./testing/server.ts";

const RUN = "0197a0c4-0000-7000-8000-000000000001";
const wake = (token: number) => ({ runId: RUN, token, delayMs: 0 });
/** Redis and PostgreSQL are asked again within 2 s, a failed fetch within 1 s; the rest is the machine's. */
const PICKED_UP_WITHIN_MS = 8000;

describe.skipIf(!hasRedis)("on Redis (not run without redis-server)", () => {
  const server = survivesOutages(() => startRedisServer());

  test("S-17: a server that hangs for 8 s costs an add no more than 2 s, and works when it goes on", async () => {
    const taken: number[] = [];
    const queue = await openQueue(await server().newTarget(), { onProblem: () => {} });
    queue.consume({
      concurrency: 1,
      handle: async ({ token }) => void taken.push(token),
      onProblem: () => {},
    });
    process.kill(server().pid, "SIGSTOP");
    const endMs = performance.now() + 8000;
    while (performance.now() < endMs) {
      const start = performance.now();
      await expect(queue.producer.add([wake(1)])).rejects.toBeInstanceOf(Error);
      expect(performance.now() - start).toBeLessThan(2000);
      await sleep(100);
    }
    process.kill(server().pid, "SIGCONT");
    await vi.waitFor(() => queue.producer.add([wake(2)]), { timeout: 5000 });
    await vi.waitFor(() => expect(taken).toContain(2), { timeout: PICKED_UP_WITHIN_MS });
    await queue.close(2000);
  });

  test("B1: a server that evicts keys is refused unless that is allowed; one that is away is an error", async () => {
    const evicting = await startRedisServer("--maxmemory-policy", "allkeys-lru");
    const queue = await openQueue(await evicting.newTarget(), { onProblem: () => {} });
    expect(await queue.checkServer({ allowEviction: false })).toMatchObject({ kind: "refused" });
    expect(await queue.checkServer({ allowEviction: true })).toMatchObject({ kind: "fit" });
    await evicting.stop();
    await expect(queue.checkServer({ allowEviction: true })).rejects.toBeInstanceOf(Error);
    await queue.close(500);
  });
});

describe("on PostgreSQL", () => {
  const server = survivesOutages(() => startPostgresServer());

  test("S-27: connections that an administrator ends are made again, for adding and for taking", async () => {
    const target = await server().newTarget();
    const taken: number[] = [];
    const queue = await openQueue(target, { onProblem: () => {} });
    queue.consume({
      concurrency: 2,
      handle: async ({ token }) => void taken.push(token),
      onProblem: () => {},
    });
    await queue.producer.add([wake(0)]);
    await vi.waitFor(() => expect(taken).toEqual([0]), { timeout: 5000 });
    for (let round = 1; round <= 5; round++) {
      expect(await server().terminateBackends(target)).toBeGreaterThanOrEqual(2);
      await vi.waitFor(() => queue.producer.add([wake(round)]), { timeout: 3000 });
      await vi.waitFor(() => expect(taken).toContain(round), { timeout: 5000, interval: 20 });
    }
    await queue.close(2000);
  });

  test("S-23: any number of processes may make the tables at once", async () => {
    const url = await server().newDatabase();
    await Promise.all(Array.from({ length: 8 }, () => migrateQueue(url)));
    await migrateQueue(url);
    const queue = await openQueue({ kind: "postgres", url }, { onProblem: () => {} });
    expect(await queue.depth()).toBe(0);
    await queue.close(500);
  });

  test("S-23: without BullMQ's tables the queue does not open", async () => {
    const target = { kind: "postgres", url: await server().newDatabase() } as const;
    await expect(openQueue(target, { onProblem: () => {} })).rejects.toThrow(/not initialized/);
  });
});

function survivesOutages<S extends TestServer>(start: () => Promise<S>): () => S {
  let server: S;
  let target: QueueTarget;
  let queue: Queue;
  let problems: QueueProblem[];
  let taken: WakeJob[];
  const onProblem = (problem: QueueProblem): void => void problems.push(problem);
  const take = () =>
    queue.consume({ concurrency: 2, handle: async (job) => void taken.push(job), onProblem });
  const handled = (token: number, timeout: number) =>
    vi.waitFor(() => expect(taken.map((job) => job.token)).toContain(token), {
      timeout,
      interval: 20,
    });
  /** Adds until it works; fails when one try takes longer than 2 s or none works in time. */
  const addWithin = (token: number, timeout: number) =>
    vi.waitFor(
      async () => {
        const start = performance.now();
        try {
          await queue.producer.add([wake(token)]);
        } finally {
          expect(performance.now() - start).toBeLessThan(2000);
        }
      },
      { timeout, interval: 20 },
    );

  beforeAll(async () => void (server = await start()));
  afterAll(() => server.stop());
  beforeEach(async () => {
    problems = [];
    taken = [];
    target = await server.newTarget();
    queue = await openQueue(target, { onProblem });
  });
  afterEach(() => queue.close(1000));

  test.each([2000, 12_000])(
    "S-17, S-27: the server is killed and away for %i ms: adding fails in 2 s, the consumer goes on without a restart",
    async (awayMs) => {
      const consumer = take();
      await addWithin(1, 2000);
      await handled(1, 5000);
      const kept = createRelay(queue.producer);
      await server.kill();
      const endMs = performance.now() + awayMs;
      expect(await kept.wake(wake(2))).toBe(false);
      while (performance.now() < endMs) {
        const start = performance.now();
        await expect(queue.producer.add([wake(3)])).rejects.toBeInstanceOf(Error);
        expect(performance.now() - start).toBeLessThan(2000);
        expect(await queue.ping()).toBe(false);
        await sleep(100);
      }
      const silentSince = consumer.lastActivity;
      await server.restart();
      await handled(2, PICKED_UP_WITHIN_MS);
      await addWithin(4, 4000);
      await handled(4, PICKED_UP_WITHIN_MS);
      expect(await queue.ping()).toBe(true);
      expect(consumer.lastActivity).toBeGreaterThan(silentSince);
      expect(problems.map(({ kind }) => kind)).toContain("queue");
      expect(problems.map(({ kind }) => kind)).not.toContain("rebuilt");
      expect(problems.length).toBeLessThan(60);
      // The consumer's connection may have sent the wake again before the relay's next try, which is at most 5 s away.
      await vi.waitFor(() => expect(kept.kept).toBe(0), { timeout: PICKED_UP_WITHIN_MS, interval: 20 });
      expect(await kept.close(0)).toBe(0);
    },
  );

  test("S-17: a job that is being handled while the server dies ends there, and others follow when it is back", async () => {
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const handle = async (job: WakeJob): Promise<void> => {
      taken.push(job);
      if (job.token === 1) await ended;
    };
    queue.consume({ concurrency: 1, handle, onProblem });
    await queue.producer.add([wake(1)]);
    await handled(1, 5000);
    await server.kill();
    end();
    await vi.waitFor(() => expect(problems.map(({ kind }) => kind)).toContain("queue"), 5000);
    await server.restart();
    await addWithin(2, 4000);
    await handled(2, PICKED_UP_WITHIN_MS);
  });

  test("A17, S-17: a queue that is opened while the server is away works when it comes", async () => {
    await queue.close(1000);
    await server.kill();
    const start = performance.now();
    queue = await openQueue(target, { onProblem });
    expect(performance.now() - start).toBeLessThan(3000);
    take();
    await expect(queue.producer.add([wake(1)])).rejects.toBeInstanceOf(Error);
    expect(await queue.ping()).toBe(false);
    await server.restart();
    await addWithin(1, 4000);
    await handled(1, PICKED_UP_WITHIN_MS);
  });

  test("A18: a fetch loop that hangs is replaced, and its successor takes the jobs", async () => {
    const driver =
      target.kind === "redis" ? redisDriver(target.url, target.prefix ?? "") : postgresDriver(target.url);
    const backends: IQueueBackend[] = [];
    const openWorker = (plan: WorkerPlan): Opened<BullWorker> => {
      const opened = driver.openWorker(plan);
      const backend = opened.bull.getBackend();
      backends.push(backend);
      if (backends.length === 1) backend.waitForJob = () => new Promise<never>(() => {});
      return opened;
    };
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const consumer = startConsumer({ ...driver, openWorker }, () => queue.ping(), {
      concurrency: 1,
      handle: async (job) => void taken.push(job),
      onProblem,
    });
    const openedAtMs = consumer.lastActivity;
    await vi.waitFor(() => expect(consumer.lastActivity).toBeGreaterThan(openedAtMs), 5000);
    vi.advanceTimersByTime(16_000);
    vi.useRealTimers();
    await vi.waitFor(() => expect(problems).toContainEqual({ kind: "rebuilt" }), { timeout: 5000 });
    await queue.producer.add([wake(1)]);
    await handled(1, 5000);
    expect(backends).toHaveLength(2);
    await consumer.close(1000);
  });

  test.each(["idle", "busy"])(
    "A14: closing the consumer while it is %s and the server away comes back in time",
    async (state) => {
      const never = new Promise<void>(() => {});
      const handle = async (job: WakeJob): Promise<void> => {
        taken.push(job);
        if (state === "busy") await never;
      };
      queue.consume({ concurrency: 1, handle, onProblem });
      await queue.producer.add([wake(1)]);
      await handled(1, 5000);
      await server.kill();
      const start = performance.now();
      await queue.close(1000);
      expect(performance.now() - start).toBeLessThan(3500);
      await expect(queue.producer.add([wake(2)])).rejects.toThrow("closed");
      await server.restart();
    },
  );

  return () => server;
}
