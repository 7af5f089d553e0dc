import { expect, test } from "vitest";
import { byAge, byCode, byHour } from "./numbers.ts";

const NOW = Date.parse("2026-01-02T12:30:00Z");
const ago = (ms: number) => new Date(NOW - ms).toISOString();
const HOUR = 3_600_000;

test("K-3: parked runs are counted by age; a clock ahead of ours is young", () => {
  const runs = [-HOUR, 0, HOUR - 1, HOUR, 24 * HOUR - 1, 24 * HOUR, 7 * 24 * HOUR].map((ms) => ({
    updatedAt: ago(ms),
  }));
  expect(byAge(runs, NOW)).toEqual({ hour: 3, day: 2, week: 1, older: 1 });
});

test("K-3: failures are counted by code, the most frequent first, equals by name", () => {
  const failed = (code: string) => ({
    failure: { code, message: "", node: null, iteration: null, details: {} },
  });
  const runs = [failed("b"), failed("a"), failed("c"), failed("c"), { failure: null }];
  expect(byCode(runs)).toEqual([
    ["c", 2],
    ["a", 1],
    ["b", 1],
  ]);
});

test("K-3: runs are counted by the hour of their start, the running hour last, older ones not", () => {
  const at = (ms: number) => ({ createdAt: ago(ms), status: "failed" as const });
  const hours = byHour([at(0), at(31 * 60_000), at(23 * HOUR), at(24 * HOUR)], NOW);
  expect(hours).toHaveLength(24);
  expect(hours.map(({ failed }) => failed)).toEqual([1, ...Array.from({ length: 21 }, () => 0), 1, 1]);
  expect(hours.at(-1)?.startMs).toBe(Date.parse("2026-01-02T12:00:00Z"));
});
