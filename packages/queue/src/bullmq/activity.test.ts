import type { IQueueBackend } from "bullmq";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createActivity, watched } from "./activity.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("A18: the end of a job is a sign of life, for under load it is all that is asked of the server", async () => {
  const activity = createActivity(2, () => false);
  const backend = watched(
    {
      moveToActive: async () => [],
      moveToCompleted: async () => undefined,
      waitForJob: async () => 0,
      extendLocks: async () => [],
    } as unknown as IQueueBackend,
    activity,
  );
  const before = activity.lastAtMs;
  vi.advanceTimersByTime(5000);
  await backend.extendLocks([], [], 4000);
  expect(activity.lastAtMs).toBe(before);
  await backend.moveToCompleted({ id: "1" } as never, undefined, true, "lock", true);
  expect(activity.lastAtMs).toBe(before + 5000);
});

test("a rest ends with the last job in hand, at its limit otherwise, and at once without one", async () => {
  let paused = false;
  const activity = createActivity(2, () => paused);
  expect(await activity.rest(1000)).toBe(true);
  activity.begin();
  activity.begin();
  expect(activity.busy()).toBe(true);
  const ended: string[] = [];
  const first = activity.rest(1000).then((wanted) => ended.push(`first ${wanted}`));
  activity.end();
  await vi.advanceTimersByTimeAsync(999);
  expect(ended).toEqual([]);
  activity.end();
  await first;
  activity.begin();
  const second = activity.rest(1000).then((wanted) => ended.push(`second ${wanted}`));
  paused = true;
  await vi.advanceTimersByTimeAsync(1000);
  await second;
  expect(ended).toEqual(["first true", "second false"]);
  expect(vi.getTimerCount()).toBe(0);
});
