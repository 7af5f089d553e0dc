import { expect, test } from "vitest";
import { StoreUnavailable } from "../ports/store-errors.ts";
import { FakeClock } from "./fake-clock.ts";
import { createMemoryStore } from "./memory/store.ts";

test("L-35: time passes on both clocks only when a test says so, and a jump of the wall clock leaves monotonic time alone", () => {
  const clock = new FakeClock();
  const start = clock.nowMs();
  clock.advance(1_500);
  expect([clock.monotonicMs(), clock.nowMs() - start]).toEqual([1_500, 1_500]);
  clock.jumpWall(-3_600_000);
  expect([clock.monotonicMs(), clock.nowMs() - start]).toEqual([1_500, 1_500 - 3_600_000]);
  expect(() => clock.advance(-1)).toThrow("forward");
});

test("S-17: a memory store that is away throws StoreUnavailable and comes back with what it had", async () => {
  const store = createMemoryStore({ nowMs: () => 0 });
  store.tables.away = true;
  await expect(store.work.sweep(1)).rejects.toThrow(StoreUnavailable);
  await expect(store.requests.runHead("r")).rejects.toThrow(StoreUnavailable);
  await expect(store.reads.counts()).rejects.toThrow(StoreUnavailable);
  store.tables.away = false;
  expect(await store.work.sweep(1)).toEqual([]);
});
