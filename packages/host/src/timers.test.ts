import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DeadlineError, withDeadline } from "./deadline.ts";
import { setLongTimeout } from "./timers.ts";

const MONTH_MS = 30 * 86_400_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test.each([1, 2, 2 ** 31 - 1, 2 ** 31, MONTH_MS, 3 * MONTH_MS + 1])(
  "L-8: a timer of %d ms fires at its time and not before",
  (delayMs) => {
    const callback = vi.fn();
    setLongTimeout(callback, delayMs);
    vi.advanceTimersByTime(delayMs - 1);
    expect(callback).toHaveBeenCalledTimes(0);
    vi.advanceTimersByTime(1);
    expect(callback).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(MONTH_MS);
    expect(callback).toHaveBeenCalledTimes(1);
  },
);

test("L-8: a long timer can be given up in any of its parts", () => {
  const callback = vi.fn();
  const timer = setLongTimeout(callback, MONTH_MS);
  vi.advanceTimersByTime(MONTH_MS - 1);
  timer.clear();
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(MONTH_MS);
  expect(callback).not.toHaveBeenCalled();
});

test("work that is in time passes its result and leaves no timer behind", async () => {
  await expect(withDeadline(Promise.resolve(7), 1000, "work")).resolves.toBe(7);
  await expect(withDeadline(Promise.reject(new Error("own")), 1000, "work")).rejects.toThrow("own");
  expect(vi.getTimerCount()).toBe(0);
});

test("work that is late is named", async () => {
  const late = expect(withDeadline(new Promise(() => {}), 1500, "adding the job")).rejects.toThrow(
    new DeadlineError("adding the job did not end within 1500 ms"),
  );
  await vi.advanceTimersByTimeAsync(1500);
  await late;
});
