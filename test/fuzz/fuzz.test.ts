import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { apiDoor, closeApi } from "./api-door.ts";
import { doors as pureDoors, type Door } from "./doors.ts";
import { startWatchdog, type Watchdog } from "./watchdog.ts";

/** What `pnpm fuzz` sets; the suite itself takes a sample. */
const TOTAL = Number(process.env["FUZZ_INPUTS"] ?? 6000);
const SEED = Number(process.env["FUZZ_SEED"] ?? Date.now() % 2 ** 31);
/** An input of a few kilobytes is dealt with in milliseconds; the rest is room for a machine that is busy. */
const HANG_MS = 20_000;

const doors = [...pureDoors, apiDoor];
const corpus = JSON.parse(readFileSync(new URL("corpus.json", import.meta.url), "utf8")) as Record<
  string,
  readonly string[]
>;

let watchdog: Watchdog;
beforeAll(() => {
  console.error(`fuzz: ${TOTAL} inputs, seed ${SEED}`);
  watchdog = startWatchdog(HANG_MS);
});
afterAll(async () => {
  await watchdog.stop();
  await closeApi();
});

async function enter(door: Door, text: string): Promise<void> {
  watchdog.enters(door.name, text);
  try {
    await door.enter(text);
  } finally {
    watchdog.leaves();
  }
}

async function fuzz(door: Door, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(door.input, (text) => enter(door, text)),
    { numRuns, seed: SEED },
  );
}

test("every door has a corpus, and the shares add up to one", () => {
  expect(Object.keys(corpus).toSorted()).toEqual(doors.map(({ name }) => name).toSorted());
  expect(doors.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
});

test.each(doors)("P-69, S-15: inputs that hurt before or might go through the door $name", async (door) => {
  for (const text of corpus[door.name] ?? []) await enter(door, text);
});

test.each(doors)(
  "P-69, S-15: random inputs at the door $name neither crash nor hang nor break a promise",
  (door) => fuzz(door, Math.ceil(TOTAL * door.share)),
  86_400_000,
);

test("an input that breaks a promise is found and named with its seed", async () => {
  const weak: Door = {
    name: "weak",
    share: 1,
    input: fc.string(),
    enter(text) {
      if (text.length > 3) throw new Error("broken promise");
    },
  };
  await expect(fuzz(weak, 1000)).rejects.toThrow(new RegExp(`seed: ${SEED}[^]*Counterexample`));
});
