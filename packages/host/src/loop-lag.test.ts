import { expect, test } from "vitest";
import { watchLoopLag } from "./loop-lag.ts";

test("A1: a loop that stood still is reported with about the time it stood", async () => {
  let report = (_lagMs: number): void => {};
  const reported = new Promise<number>((resolve) => (report = resolve));
  const end = watchLoopLag({ limitMs: 250, onLag: (lagMs) => report(lagMs) });
  const block = (): void => {
    const until = performance.now() + 400;
    while (performance.now() < until);
  };
  setTimeout(block, 10);
  const alive = setInterval(() => {}, 1000);
  expect(await reported).toBeGreaterThanOrEqual(300);
  clearInterval(alive);
  end();
});
