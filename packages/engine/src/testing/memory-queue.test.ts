import { expect, test } from "vitest";
import type { Wake } from "../ports/work.ts";
import { FakeClock } from "./fake-clock.ts";
import { MemoryQueue } from "./memory-queue.ts";

const wake = (runId: string, token = 1, delayMs = 0): Wake => ({ runId, token, delayMs });

test("S-5: wakes come out in the order they went in, each once", async () => {
  const queue = new MemoryQueue(new FakeClock());
  await queue.add([wake("a"), wake("b")]);
  await queue.add([wake("c")]);
  expect([queue.take()?.runId, queue.take()?.runId, queue.take()?.runId, queue.take()]).toEqual([
    "a",
    "b",
    "c",
    null,
  ]);
});

test("A6, A7: the same run and token is one job while it waits and while it is active; another token is another job", async () => {
  const queue = new MemoryQueue(new FakeClock());
  await queue.add([wake("a"), wake("a"), wake("a", 2)]);
  expect(queue.wakes).toHaveLength(2);
  const active = queue.take()!;
  await queue.add([wake("a")]);
  expect(queue.wakes).toHaveLength(2);
  queue.finish(active);
  await queue.add([wake("a")]);
  expect(queue.wakes.map(({ token }) => token)).toEqual([2, 1]);
});

test("A19: a delayed wake comes out when it is due, behind it nothing waits", async () => {
  const clock = new FakeClock();
  const queue = new MemoryQueue(clock);
  await queue.add([wake("late", 1, 5_000), wake("now")]);
  expect(queue.take()?.runId).toBe("now");
  expect(queue.take()).toBeNull();
  expect(queue.nextDueInMs()).toBe(5_000);
  clock.advance(4_999);
  expect(queue.take()).toBeNull();
  clock.advance(1);
  expect(queue.take()?.runId).toBe("late");
  expect(queue.nextDueInMs()).toBeNull();
});

test("S-17: while the queue is away nothing can be added, and afterwards it goes on with what it had", async () => {
  const queue = new MemoryQueue(new FakeClock());
  await queue.add([wake("a")]);
  queue.setAway(true);
  await expect(queue.add([wake("b")])).rejects.toThrow("away");
  queue.setAway(false);
  await queue.add([wake("c")]);
  expect(queue.wakes.map(({ runId }) => runId)).toEqual(["a", "c"]);
});

test("L-3: an emptied queue has lost waiting, delayed and active jobs, whose ids can be used again", async () => {
  const queue = new MemoryQueue(new FakeClock());
  await queue.add([wake("a"), wake("b"), wake("c", 1, 1_000)]);
  queue.take();
  queue.empty();
  expect(queue.take()).toBeNull();
  await queue.add([wake("a")]);
  expect(queue.take()?.runId).toBe("a");
});

test("S-5: draining handles what a handler adds, ends a job whose handler throws, and notices a run that spins", async () => {
  const queue = new MemoryQueue(new FakeClock());
  await queue.add([wake("a")]);
  const handled = await queue.drain(async ({ runId, token }) => {
    if (token < 4) await queue.add([wake(runId, token + 1)]);
  });
  expect(handled).toBe(4);
  await queue.add([wake("bad")]);
  await expect(queue.drain(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(queue.wakes).toEqual([]);
  await queue.add([wake("a")]);
  await expect(queue.drain(({ runId, token }) => queue.add([wake(runId, token + 1)]), 50)).rejects.toThrow(
    "50 jobs",
  );
});
