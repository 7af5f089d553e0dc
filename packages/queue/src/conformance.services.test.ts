import { spawn } from "node:child_process";
import { once } from "node:events";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { WakeJob } from "./job.ts";
import { openQueue, type Queue, type QueueTarget } from "./open-queue.ts";
import type { QueueProblem } from "./problems.ts";
import { startPostgresServer } from "./testing/postgres-server.ts";
import { hasRedis, startRedisServer } from "./testing/redis-server.ts";
import type { TestServer } from "./testing/server.ts";

const HOLDER = fileURLToPath(new URL("testing/hold-one-job.mjs", import.meta.url));
const RUN = "0197a0c4-0000-7000-8000-000000000001";
const wake = (token: number, delayMs = 0) => ({ runId: RUN, token, delayMs });
const gate = () => {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
};

describe.skipIf(!hasRedis)("on Redis (not run without redis-server)", () => {
  conforms(() => startRedisServer());
});
describe("on PostgreSQL", () => {
  conforms(() => startPostgresServer());
});

/** A token no test uses. */
const LAST = 999_999;

function conforms(start: () => Promise<TestServer>): void {
  let server: TestServer;
  let target: QueueTarget;
  let queue: Queue;
  let problems: QueueProblem[];
  let taken: WakeJob[];
  const onProblem = (problem: QueueProblem): void => void problems.push(problem);
  const handled = (count: number, timeout = 10_000) =>
    vi.waitFor(() => expect(taken.length).toBeGreaterThanOrEqual(count), { timeout, interval: 10 });
  const take = (concurrency = 1) =>
    queue.consume({ concurrency, handle: async (job) => void taken.push(job), onProblem });
  /** The queue is first in, first out: when this one was handled, everything before it was looked at. */
  const settle = async (): Promise<void> => {
    const before = taken.length;
    await queue.producer.add([wake(LAST)]);
    await handled(before + 1);
    taken = taken.filter(({ token }) => token !== LAST);
  };

  beforeAll(async () => void (server = await start()));
  afterAll(() => server.stop());
  beforeEach(async () => {
    problems = [];
    taken = [];
    target = await server.newTarget();
    queue = await openQueue(target, { onProblem });
  });
  afterEach(() => queue.close(2000));

  test("S-5, S-29: on a server that is fit, a wake is one job with run id and token only, handled once and then gone", async () => {
    expect(await queue.checkServer({ allowEviction: false })).toMatchObject({ kind: "fit" });
    take();
    await queue.producer.add([wake(7)]);
    await handled(1);
    await settle();
    expect(taken).toEqual([{ runId: RUN, token: 7 }]);
    expect([problems, await queue.depth(), await queue.ping()]).toEqual([[], 0, true]);
  });

  test("A6: the same wake added twice, alone and in a batch, is one job", async () => {
    await queue.producer.add([wake(1)]);
    await queue.producer.add([wake(1)]);
    await queue.producer.add([wake(1), wake(2), wake(2)]);
    expect(await queue.depth()).toBe(2);
    take();
    await handled(2);
    await settle();
    expect(taken.map(({ token }) => token)).toEqual([1, 2]);
  });

  test("A7: a job added again while it is active is dropped, the next token is not", async () => {
    const { passed, open } = gate();
    const handle = async (job: WakeJob): Promise<void> => {
      taken.push(job);
      if (job.token === 1) await passed;
    };
    queue.consume({ concurrency: 1, handle, onProblem });
    await queue.producer.add([wake(1)]);
    await handled(1);
    await queue.producer.add([wake(1), wake(2)]);
    expect(await queue.depth()).toBe(1);
    open();
    await handled(2);
    await settle();
    expect(taken.map(({ token }) => token)).toEqual([1, 2]);
  });

  test("S-25: whoever handles a job can ask when it was due, its delay included", async () => {
    const due: number[] = [];
    const handle = async (job: WakeJob, _: unknown, dueAtMs: () => number): Promise<void> => {
      due.push(dueAtMs());
      taken.push(job);
    };
    const fromMs = Date.now();
    await queue.producer.add([{ ...wake(1), delayMs: 400 }]);
    const untilMs = Date.now();
    queue.consume({ concurrency: 1, handle, onProblem });
    await handled(1);
    expect(due[0]).toBeGreaterThanOrEqual(fromMs + 400);
    expect(due[0]).toBeLessThanOrEqual(untilMs + 400);
  });

  test("S-1: as many jobs as the concurrency allows are handled at once, and not one more", async () => {
    const { passed, open } = gate();
    let active = 0;
    let most = 0;
    const handle = async (job: WakeJob): Promise<void> => {
      most = Math.max(most, ++active);
      await passed;
      active--;
      taken.push(job);
    };
    queue.consume({ concurrency: 3, handle, onProblem });
    await queue.producer.add([1, 2, 3, 4, 5, 6, 7].map((token) => wake(token)));
    await vi.waitFor(() => expect(active).toBe(3), { timeout: 5000 });
    expect(await queue.depth()).toBe(4);
    open();
    await handled(7);
    expect(most).toBe(3);
  });

  test("S-9: a delayed wake is handled when its delay is over, not before, and does not hold up others", async () => {
    const times = new Map<number, number>();
    const handle = async (job: WakeJob): Promise<void> => {
      times.set(job.token, performance.now());
      taken.push(job);
    };
    queue.consume({ concurrency: 1, handle, onProblem });
    const start = performance.now();
    await queue.producer.add([wake(1, 1500), wake(2, 24 * 3600 * 1000 * 365)]);
    await queue.producer.add([wake(3)]);
    await handled(2);
    expect(taken.map(({ token }) => token)).toEqual([3, 1]);
    expect((times.get(3) ?? 0) - start).toBeLessThan(1000);
    expect((times.get(1) ?? 0) - start).toBeGreaterThanOrEqual(1490);
    expect((times.get(1) ?? 0) - start).toBeLessThan(2500);
    expect(await queue.depth()).toBe(0);
  });

  test("A13: a handler that throws is a problem, its job is gone and may be added again", async () => {
    const error = new Error("no luck");
    const handle = async (job: WakeJob): Promise<void> => {
      taken.push(job);
      if (taken.length === 1) throw error;
    };
    queue.consume({ concurrency: 1, handle, onProblem });
    await queue.producer.add([wake(1)]);
    await handled(1);
    await vi.waitFor(async () => {
      await queue.producer.add([wake(1)]);
      await handled(2, 100);
    }, 5000);
    expect(problems).toEqual([{ kind: "handler", runId: RUN, token: 1, error }]);
  });

  test("A2: a job whose lock is lost gets its signal aborted within a second or two", async () => {
    let signal: AbortSignal | undefined;
    const handle = async (job: WakeJob, given: () => AbortSignal): Promise<void> => {
      taken.push(job);
      signal = given();
      if (taken.length === 1) await once(signal, "abort");
    };
    queue.consume({ concurrency: 1, handle, onProblem });
    await queue.producer.add([wake(1)]);
    await handled(1);
    expect(signal?.aborted).toBe(false);
    await server.breakLock(target, `${RUN}_1`);
    await vi.waitFor(() => expect(signal?.aborted).toBe(true), { timeout: 4000 });
    expect(problems).toContainEqual({ kind: "lock_lost", jobId: `${RUN}_1` });
  });

  test("S-5, S-7: a job that adds the next one hands it over by its end, to the same consumer", async () => {
    const handle = async (job: WakeJob): Promise<void> => {
      taken.push(job);
      if (job.token < 50) await queue.producer.add([wake(job.token + 1)]);
    };
    queue.consume({ concurrency: 10, handle, onProblem });
    await queue.producer.add([wake(1)]);
    await handled(50);
    await settle();
    expect(taken.map(({ token }) => token)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    expect(problems).toEqual([]);
  });

  test("S-9: jobs added while others are in hand find the free slots of their consumer", async () => {
    const { passed, open } = gate();
    const handle = async (job: WakeJob): Promise<void> => {
      taken.push(job);
      if (job.token < 10) await queue.producer.add([wake(job.token + 1)]);
      else if (job.token < 20) await passed;
    };
    queue.consume({ concurrency: 8, handle, onProblem });
    await queue.producer.add([wake(1)]);
    await handled(10);
    for (let token = 11; token < 17; token++) await queue.producer.add([wake(token)]);
    await handled(16, 1500);
    open();
    await settle();
  });

  test("B1, B10: a job without run id and token is dropped and reported", async () => {
    take();
    await server.addRaw(target, "odd_1", { runId: RUN });
    await vi.waitFor(() => expect(problems).toEqual([{ kind: "malformed", jobId: "odd_1" }]), {
      timeout: 5000,
    });
    await settle();
    expect(taken).toEqual([]);
  });

  test("S-27: a paused consumer leaves jobs to others at once, and goes on when resumed", async () => {
    const consumer = take();
    await settle();
    await consumer.pause();
    const other: WakeJob[] = [];
    const handle = async (job: WakeJob): Promise<void> => void other.push(job);
    const second = queue.consume({ concurrency: 1, handle, onProblem });
    const tokens = [1, 2, 3, 4, 5, 6];
    for (const token of tokens) await queue.producer.add([wake(token)]);
    await vi.waitFor(() => expect(other).toHaveLength(6), { timeout: 3000 });
    expect(taken).toEqual([]);
    await second.close(1000);
    await consumer.resume();
    await queue.producer.add([wake(7)]);
    await handled(1);
    expect(taken).toEqual([{ runId: RUN, token: 7 }]);
  });

  test("A14: close with a job that does not end aborts it at the deadline and comes back", async () => {
    let signal: AbortSignal | undefined;
    const handle = (job: WakeJob, given: () => AbortSignal): Promise<void> => {
      taken.push(job);
      signal = given();
      return new Promise(() => {});
    };
    const consumer = queue.consume({ concurrency: 1, handle, onProblem });
    await queue.producer.add([wake(1)]);
    await handled(1);
    const start = performance.now();
    await consumer.close(500);
    expect(performance.now() - start).toBeGreaterThanOrEqual(490);
    expect(performance.now() - start).toBeLessThan(2000);
    expect(signal?.aborted).toBe(true);
  });

  test("S-27: close waits for the jobs that end in time, and they do not come again", async () => {
    const { passed, open } = gate();
    const handle = async (job: WakeJob): Promise<void> => {
      taken.push(job);
      await passed;
    };
    const consumer = queue.consume({ concurrency: 1, handle, onProblem });
    await queue.producer.add([wake(1)]);
    await handled(1);
    const closed = consumer.close(10_000);
    open();
    await closed;
    await queue.producer.add([wake(1)]);
    expect(await queue.depth()).toBe(1);
  });

  test("A8: nothing is left behind by 2,000 jobs", async () => {
    take(10);
    await settle();
    const batch = (from: number) => Array.from({ length: 200 }, (_, i) => wake(from + i));
    for (let from = 1; from <= 2000; from += 200) await queue.producer.add(batch(from));
    await handled(2001 - 1, 60_000);
    await settle();
    await queue.close(2000);
    expect(await server.stored(target)).toBeLessThanOrEqual(server.storedAtRest);
  });

  test("A3, A4: the job of a consumer that was killed with SIGKILL is handed on within 20 s, three times over", async () => {
    await queue.producer.add([wake(1)]);
    for (let round = 0; round < 3; round++) {
      const child = spawn(process.execPath, [HOLDER, JSON.stringify(target)], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const signal = AbortSignal.timeout(20_000);
      const [line] = (await once(child.stdout, "data", { signal })) as [Buffer];
      expect(JSON.parse(line.toString())).toEqual({ runId: RUN, token: 1 });
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    take();
    await handled(1, 20_000);
    expect(taken).toEqual([{ runId: RUN, token: 1 }]);
  });
}
