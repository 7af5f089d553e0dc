import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { QueueProblem } from "../problems.ts";
import { startConsumer, type Consumer } from "./consumer.ts";
import type { BullWorker, Driver, WorkerPlan } from "./driver.ts";
import type { Handle } from "./handling.ts";

type FakeWorker = { plan: WorkerPlan; calls: string[] };

let workers: FakeWorker[];
let problems: QueueProblem[];
let ready: () => Promise<void>;
let answers: boolean;
let consumer: Consumer;
let handle: Handle;

const never = new Promise<never>(() => {});
const driver = {
  openWorker(plan: WorkerPlan) {
    const calls: string[] = [];
    workers.push({ plan, calls });
    const noted = (name: string) => async () => void calls.push(name);
    const bull = {
      waitUntilReady: () => ready(),
      run: () => (calls.push("run"), never),
      pause: noted("pause"),
      resume: noted("resume"),
      close: noted("close"),
    };
    return { bull: bull as unknown as BullWorker, destroy: noted("destroy") };
  },
} as unknown as Driver;
const start = (): void => {
  consumer = startConsumer(driver, async () => answers, {
    concurrency: 1,
    handle: (...args) => handle(...args),
    onProblem: (problem) => void problems.push(problem),
  });
};

beforeEach(() => {
  vi.useFakeTimers();
  workers = [];
  problems = [];
  answers = true;
  ready = async () => {};
  handle = async () => {};
});
afterEach(async () => {
  await consumer.close(0);
  vi.useRealTimers();
});

test("A18: a consumer that is silent for 15 s while the server answers is made anew", async () => {
  start();
  await vi.advanceTimersByTimeAsync(14_900);
  expect(workers).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(workers.map(({ calls }) => calls)).toEqual([["run", "close", "destroy"], ["run"]]);
  expect(problems).toEqual([{ kind: "rebuilt" }]);
});

test("A18: a sign of life every few seconds keeps the worker", async () => {
  start();
  for (let i = 0; i < 10; i++) {
    await vi.advanceTimersByTimeAsync(10_000);
    workers[0]?.plan.activity.touch();
  }
  expect(workers).toHaveLength(1);
  expect(performance.now() - consumer.lastActivity).toBeLessThan(1000);
});

test("A18: while the server is away a silent consumer waits, for connections find back by themselves", async () => {
  answers = false;
  start();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(workers).toHaveLength(1);
  answers = true;
  await vi.advanceTimersByTimeAsync(15_000);
  expect(workers).toHaveLength(2);
});

test("A18: a consumer that never becomes ready although the server answers is made anew too", async () => {
  ready = () => never;
  start();
  await vi.advanceTimersByTimeAsync(15_000);
  expect(workers).toHaveLength(2);
  expect(workers[0]?.calls).toEqual(["close", "destroy"]);
});

test("A18: a paused consumer is silent and left alone", async () => {
  start();
  await vi.advanceTimersByTimeAsync(0);
  await consumer.pause();
  await vi.advanceTimersByTimeAsync(60_000);
  await consumer.resume();
  expect(workers.map(({ calls }) => calls)).toEqual([["run", "pause", "resume"]]);
});

test("S-27: pausing before the worker is ready holds, and resuming starts it", async () => {
  let becomeReady = (): void => {};
  ready = () => new Promise((resolve) => (becomeReady = resolve));
  start();
  await consumer.pause();
  becomeReady();
  await vi.advanceTimersByTimeAsync(0);
  expect(workers[0]?.calls).toEqual(["pause"]);
  await consumer.resume();
  expect(workers[0]?.calls).toEqual(["pause", "resume"]);
});

test("S-17: a first connection that fails is a problem, and tried again with a new worker", async () => {
  ready = () => Promise.reject(new Error("refused"));
  start();
  await vi.advanceTimersByTimeAsync(600);
  expect(workers).toHaveLength(2);
  ready = async () => {};
  await vi.advanceTimersByTimeAsync(600);
  expect(workers.map(({ calls }) => calls)).toEqual([["close", "destroy"], ["close", "destroy"], ["run"]]);
  expect(problems).toHaveLength(2);
});

test("A2: a lost lock is reported and aborts the signal of its job, also one that is asked for later", async () => {
  const signals: (() => AbortSignal)[] = [];
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  handle = (_job, signal) => {
    signals.push(signal);
    return ended;
  };
  start();
  await vi.advanceTimersByTimeAsync(0);
  for (const id of ["a_1", "b_2", "c_3"]) {
    const [runId, token] = id.split("_");
    void workers[0]?.plan.processor({ id, data: { runId, token: Number(token) } } as never, "lock");
  }
  const early = signals[0]?.();
  expect(early?.aborted).toBe(false);
  workers[0]?.plan.onLockLost(["a_1", "b_2"]);
  expect(signals.map((signal) => signal().aborted)).toEqual([true, true, false]);
  expect(early?.aborted).toBe(true);
  expect(problems).toEqual([
    { kind: "lock_lost", jobId: "a_1" },
    { kind: "lock_lost", jobId: "b_2" },
  ]);
  end();
});

test("A14: closing twice is closing once, and leaves no timer", async () => {
  start();
  await vi.advanceTimersByTimeAsync(0);
  await Promise.all([consumer.close(0), consumer.close(1000)]);
  expect(workers[0]?.calls).toEqual(["run", "pause", "close", "destroy"]);
  expect(vi.getTimerCount()).toBe(0);
});
