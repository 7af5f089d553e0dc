import { createMemoryStore } from "@agentflow/engine/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startHousekeeping, type HousekeepingOptions } from "./housekeeping.ts";

const worker = { id: "host:1", version: "1.0.0", queue: "redis", concurrency: 4 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function begun(given: Partial<HousekeepingOptions> = {}) {
  const { fleet, tables } = createMemoryStore({ nowMs: () => Date.now() });
  const errors: unknown[] = [];
  const removed: number[] = [];
  const house = startHousekeeping({
    ...{ fleet, worker, retentionMs: null },
    onRemoved: (runs) => removed.push(runs),
    onError: (error) => errors.push(error),
    ...given,
  });
  return { fleet, tables, house, errors, removed };
}

test("K-3: a worker signs at once and every 10 s, says when it drains, and goodbye", async () => {
  const { fleet, house } = begun();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await fleet.workers()).toMatchObject([
    { id: "host:1", alive: true, draining: false, concurrency: 4 },
  ]);
  await house.drain();
  expect(await fleet.workers()).toMatchObject([{ draining: true }]);
  await house.stop();
  expect(await fleet.workers()).toEqual([]);
});

test("S-17: an outage is told and sat out; the next sign comes as ever", async () => {
  const { fleet, tables, house, errors } = begun();
  await vi.advanceTimersByTimeAsync(0);
  tables.away = true;
  await vi.advanceTimersByTimeAsync(40_000);
  expect(errors.length).toBeGreaterThanOrEqual(3);
  tables.away = false;
  await vi.advanceTimersByTimeAsync(11_000);
  expect(await fleet.workers()).toMatchObject([{ alive: true }]);
  await house.stop();
});

test("S-26: old runs go in batches until none is left, each minute again; never when retention is off", async () => {
  const asked: [number, number][] = [];
  const left = [100, 100, 7];
  const removeEnded = async (olderThanMs: number, limit: number) => {
    asked.push([olderThanMs, limit]);
    return left.shift() ?? 0;
  };
  const { fleet } = createMemoryStore({ nowMs: () => Date.now() });
  const { house, removed } = begun({ fleet: { ...fleet, removeEnded }, retentionMs: 5000 });
  await vi.advanceTimersByTimeAsync(0);
  expect(removed).toEqual([100, 100, 7]);
  await vi.advanceTimersByTimeAsync(70_000);
  expect(asked).toEqual(Array.from({ length: 4 }, () => [5000, 100]));
  await house.stop();
  const off = begun({ fleet: { ...fleet, removeEnded } });
  await vi.advanceTimersByTimeAsync(70_000);
  expect(asked).toHaveLength(4);
  await off.house.stop();
});
