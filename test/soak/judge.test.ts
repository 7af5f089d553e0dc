import { expect, test } from "vitest";
import { judge, table, type Series } from "./judge.ts";

const series = (values: readonly number[], more = 2, percent = 10): Series => ({
  name: "heap of worker",
  unit: "",
  values,
  allowed: { more, percent },
});
const noise = (index: number): number => [0, 3, -2, 5, -4, 1][index % 6] ?? 0;
const samples = (count: number, value: (index: number) => number): number[] =>
  Array.from({ length: count }, (_, index) => value(index));

test.each([
  ["what stays the same", samples(18, () => 100)],
  ["noise", samples(18, (index) => 100 + noise(index))],
  ["warming up to a level", samples(18, (index) => 100 + 60 * Math.min(1, index / 4))],
  ["a saw tooth of collections", samples(30, (index) => 100 + (index % 5) * 2)],
  ["what falls", samples(18, (index) => 100 - index)],
  ["a burst in one sample of the end", samples(18, (index) => (index === 16 ? 400 : 100))],
])("%s is flat", (_what, values) => {
  expect(judge(series(values)).flat).toBe(true);
});

test.each([
  ["a leak below the noise of one sample", samples(18, (index) => 100 + 2 * index + noise(index))],
  ["one more descriptor with every sample", samples(18, (index) => 20 + index)],
  ["a step up that stays", samples(18, (index) => (index < 9 ? 100 : 130))],
  ["growth that gets faster", samples(30, (index) => 100 * 1.02 ** index)],
])("%s rises", (_what, values) => {
  expect(judge(series(values)).flat).toBe(false);
});

test("the larger allowance counts", () => {
  const rising = samples(18, (index) => 20 + index);
  expect(judge(series(rising, 2, 100)).flat).toBe(true);
  expect(judge(series(rising, 20, 0)).flat).toBe(true);
});

test("too few samples are no verdict", () => {
  expect(() => judge(series([1, 1, 1, 1]))).toThrow("too few");
});

test("the table names what rises", () => {
  const shown = table([judge(series(samples(18, (index) => 20 + index)))]);
  expect(shown).toMatch(/heap of worker +2\d +3\d +37 +RISES/);
});
