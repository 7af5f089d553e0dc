import type { IQueueBackend } from "bullmq";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createActivity, watched } from "./activity.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("A18: the end of a job is a sign of life, for under load it is all that is asked of the server", async () => {
  const activity = createActivity(() => false);
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
