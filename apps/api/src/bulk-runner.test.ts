import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startBulkRunner } from "./bulk-runner.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("3.4: it looks now and then, goes on at an action's pace, and survives a failed step", async () => {
  const steps: (number | null | Error)[] = [null, 500, new Error("away"), 100, null];
  let taken = 0;
  const errors: unknown[] = [];
  const runner = startBulkRunner({
    step: async () => {
      const next = steps[taken++] ?? null;
      if (next instanceof Error) throw next;
      return next;
    },
    onError: (error) => errors.push(error),
    idleMs: 2000,
  });
  for (const [ms, expected] of [
    [2000, 1],
    [1999, 1],
    [1, 2],
    [500, 3],
    [2000, 4],
    [100, 5],
  ] as const) {
    await vi.advanceTimersByTimeAsync(ms);
    expect(taken).toBe(expected);
  }
  expect(errors).toHaveLength(1);
  await runner.stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(taken).toBe(5);
});

test("3.4: an action that was just accepted begins at once, also while a step is under way", async () => {
  let taken = 0;
  let finish = (): void => undefined;
  const runner = startBulkRunner({
    step: () => new Promise((resolve) => ((finish = () => resolve(null)), (taken += 1))),
    onError: () => undefined,
  });
  runner.poke();
  await vi.advanceTimersByTimeAsync(0);
  expect(taken).toBe(1);
  runner.poke();
  finish();
  await vi.advanceTimersByTimeAsync(0);
  expect(taken).toBe(2);
  finish();
  await runner.stop();
});
