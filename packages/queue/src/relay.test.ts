import type { Wake } from "@agentflow/engine";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createRelay } from "./relay.ts";

let away: boolean;
let added: Wake[];
let calls: number;
const producer = {
  async add(wakes: readonly Wake[]): Promise<void> {
    calls++;
    if (away) throw new Error("away");
    added.push(...wakes);
  },
};
const wake = (runId: string, token = 1, delayMs = 0): Wake => ({ runId, token, delayMs });

beforeEach(() => {
  vi.useFakeTimers();
  away = false;
  added = [];
  calls = 0;
});
afterEach(() => vi.useRealTimers());

test("S-10: a wake goes to the queue at once and is not kept", async () => {
  const relay = createRelay(producer);
  expect(await relay.wake(wake("a"))).toBe(true);
  expect(added).toEqual([wake("a")]);
  expect(relay.kept).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

test("S-10, S-17: wakes of an outage are kept and added once each when the queue is back", async () => {
  const onKept = vi.fn();
  const relay = createRelay(producer, { onKept });
  away = true;
  for (const run of ["a", "b", "c"]) expect(await relay.wake(wake(run))).toBe(false);
  expect(relay.kept).toBe(3);
  expect(onKept).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(relay.kept).toBe(3);
  away = false;
  await vi.advanceTimersByTimeAsync(5000);
  expect(added.map(({ runId }) => runId)).toEqual(["a", "b", "c"]);
  expect(relay.kept).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

test("S-10: tries grow apart, from a quarter of a second to five seconds", async () => {
  const relay = createRelay(producer);
  away = true;
  await relay.wake(wake("a"));
  calls = 0;
  await vi.advanceTimersByTimeAsync(249);
  expect(calls).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(calls).toBe(1);
  await vi.advanceTimersByTimeAsync(500 + 1000 + 2000 + 4000);
  expect(calls).toBe(5);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(calls).toBe(5 + 12);
});

test("S-10: of several kept wakes of a run the newest token wins, in whatever order they came", async () => {
  const relay = createRelay(producer);
  away = true;
  for (const token of [3, 5, 4]) await relay.wake(wake("a", token));
  away = false;
  await vi.advanceTimersByTimeAsync(5000);
  expect(added).toEqual([wake("a", 5)]);
});

test("S-10: a wake that reaches the queue takes the kept ones along at once, and older ones of its run are forgotten", async () => {
  const relay = createRelay(producer);
  away = true;
  await relay.wake(wake("a", 1));
  await relay.wake(wake("b", 1));
  away = false;
  await relay.wake(wake("a", 2));
  await vi.advanceTimersByTimeAsync(0);
  expect(added).toEqual([wake("a", 2), wake("b", 1)]);
});

test("S-10: a kept delay goes on running", async () => {
  const relay = createRelay(producer);
  away = true;
  await relay.wake(wake("soon", 1, 100));
  await relay.wake(wake("later", 1, 10_000));
  away = false;
  await vi.advanceTimersByTimeAsync(250);
  expect(added).toEqual([wake("soon", 1, 0), wake("later", 1, 9750)]);
});

test("S-10: beyond the bound the oldest is left to the sweep", async () => {
  const relay = createRelay(producer, { maxKept: 2 });
  away = true;
  for (const run of ["a", "b", "c"]) await relay.wake(wake(run));
  away = false;
  await vi.advanceTimersByTimeAsync(5000);
  expect(added.map(({ runId }) => runId)).toEqual(["b", "c"]);
});

test("S-10: a thousand kept wakes go in batches, and one that comes meanwhile is not lost", async () => {
  const relay = createRelay(producer);
  away = true;
  for (let i = 0; i < 1000; i++) await relay.wake(wake(`r${i}`));
  calls = 0;
  away = false;
  const late = relay.wake(wake("late"));
  await vi.advanceTimersByTimeAsync(5000);
  expect(await late).toBe(true);
  expect(new Set(added.map(({ runId }) => runId)).size).toBe(1001);
  expect(calls).toBe(1 + 5);
});

test("S-27: close tries once more and says how many are left", async () => {
  const relay = createRelay(producer);
  away = true;
  await relay.wake(wake("a"));
  const stillAway = createRelay(producer);
  await stillAway.wake(wake("b"));
  expect(await stillAway.close(1000)).toBe(1);
  away = false;
  expect(await relay.close(1000)).toBe(0);
  expect(added).toEqual([wake("a")]);
  expect(vi.getTimerCount()).toBe(0);
});

test("A14: close with a producer that hangs comes back at the deadline", async () => {
  away = true;
  const hanging = { add: producer.add };
  const relay = createRelay({ add: (wakes) => hanging.add(wakes) });
  await relay.wake(wake("a"));
  hanging.add = () => new Promise<void>(() => {});
  const closed = relay.close(1000);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await closed).toBe(1);
});
