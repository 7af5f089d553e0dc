import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endedWithin, QueueDeadlineError, withDeadline } from "./deadline.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => vi.useRealTimers());
const never = new Promise<never>(() => {});

test("A17: work that never ends is an error at the deadline and not before", async () => {
  let outcome: unknown;
  withDeadline(never, 1500, "take the job").catch((error: unknown) => (outcome = error));
  await vi.advanceTimersByTimeAsync(1499);
  expect(outcome).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(outcome).toBeInstanceOf(QueueDeadlineError);
  expect(String(outcome)).toContain("the queue did not take the job within 1500 ms");
});

test("work that ends in time gives its own result or error and leaves no timer", async () => {
  await expect(withDeadline(Promise.resolve(1), 10, "x")).resolves.toBe(1);
  await expect(withDeadline(Promise.reject(new Error("own")), 10, "x")).rejects.toThrow("own");
  expect(vi.getTimerCount()).toBe(0);
});

test("A14: endedWithin never rejects: true for an end of any kind, false at the deadline", async () => {
  expect(await endedWithin(Promise.reject(new Error("own")), 10)).toBe(true);
  const late = endedWithin(never, 10);
  await vi.advanceTimersByTimeAsync(10);
  expect(await late).toBe(false);
});
