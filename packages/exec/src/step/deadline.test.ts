import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startDeadline } from "./deadline.ts";

const DAY_MS = 86_400_000;

describe("the deadline of a step", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([1, 2_147_483_647, 2_147_483_648, 3_000_000_000, 30 * DAY_MS, 100 * DAY_MS])(
    "L-8, P-11, D4: one of %i ms fires then, once, and no sooner",
    (ms) => {
      const onDue = vi.fn();
      startDeadline(ms, onDue);
      vi.advanceTimersByTime(ms - 1);
      expect(onDue).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1);
      expect(onDue).toHaveBeenCalledTimes(1);
      vi.advanceTimersByTime(200 * DAY_MS);
      expect(onDue).toHaveBeenCalledTimes(1);
    },
  );

  it("L-8: one that was taken back never fires, also between two timers", () => {
    const onDue = vi.fn();
    const takeBack = startDeadline(60 * DAY_MS, onDue);
    vi.advanceTimersByTime(40 * DAY_MS);
    takeBack();
    vi.advanceTimersByTime(60 * DAY_MS);
    expect(onDue).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("L-29: none at all never fires; one in the past fires at once", () => {
    const onDue = vi.fn();
    startDeadline(null, onDue)();
    expect(vi.getTimerCount()).toBe(0);
    startDeadline(-5, onDue);
    vi.advanceTimersByTime(1);
    expect(onDue).toHaveBeenCalledTimes(1);
  });
});
