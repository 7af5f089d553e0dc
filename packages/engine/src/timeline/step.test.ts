import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { difference } from "./difference.ts";
import { makeStep, restoreState, stateBefore, stepHead, STEP_HEAD_BYTES } from "./step.ts";

/** Keeps the states of a whole life as rows, as a store has them. */
async function rowsOf(states: readonly string[], headOnly = false): Promise<Uint8Array[]> {
  const rows: Uint8Array[] = [];
  for (let nth = 1; nth < states.length; nth += 1) {
    const last = rows.at(-1) ?? null;
    const known = last !== null && headOnly ? last.subarray(0, STEP_HEAD_BYTES) : last;
    rows.push(await makeStep(known, states[nth - 1]!, states[nth]!));
  }
  return rows;
}

/** The state after the nth row, read as a store reads it. */
function stateAt(rows: readonly Uint8Array[], nth: number): string {
  const text = nth - stepHead(rows[nth]!).toText;
  const from = text - stepHead(rows[text]!).toWhole;
  return restoreState(rows.slice(from, text + 1).filter((row) => stepHead(row).kind !== "same"));
}

async function expectExact(states: readonly string[]): Promise<readonly Uint8Array[]> {
  const rows = await rowsOf(states);
  expect(await rowsOf(states, true)).toEqual(rows);
  expect(stateBefore(rows[0]!)).toBe(states[0]);
  rows.forEach((_, nth) => expect(stateAt(rows, nth)).toBe(states[nth + 1]));
  return rows;
}

const unit = fc.oneof(
  fc.constantFrom(
    "a",
    "{",
    '"',
    "\0",
    "\ud83d\ude00",
    "\ud83d\ude01",
    "\ud800",
    "\udc00",
    "é",
    "键",
    "\u2028",
  ),
  fc.string({ minLength: 1, maxLength: 20 }),
);
const piece = fc.array(unit, { maxLength: 30 }).map((units) => units.join(""));
const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  cut: fc.nat(80),
  put: piece,
  times: fc.integer({ min: 1, max: 40 }),
});

function edited(
  text: string,
  { at, cut, put, times }: { at: number; cut: number; put: string; times: number },
): string {
  const from = Math.floor(at * text.length);
  return text.slice(0, from) + put.repeat(times) + text.slice(from + cut);
}

/** A state of about a mebibyte whose elements differ. */
function largeState(elements: number): string[] {
  return Array.from({ length: elements }, (_, n) => `{"id":${n},"name":"element ${(n * 7919) % 104_729}"}`);
}

describe("steps of a timeline", () => {
  test("OP-7: every state of a life of random edits comes back exactly, halves of surrogate pairs too", async () => {
    await fc.assert(
      fc.asyncProperty(
        piece,
        fc.array(fc.array(edit, { maxLength: 3 }), { minLength: 1, maxLength: 12 }),
        async (first, edits) => {
          const states = [first];
          for (const some of edits) states.push(some.reduce(edited, states.at(-1)!));
          await expectExact(states);
        },
      ),
      { numRuns: 100 },
    );
  });

  test("OP-7: a state that did not change costs a few bytes, whatever its size and for how long", async () => {
    const state = JSON.stringify("x".repeat(1_000_000));
    const rows = await expectExact(Array.from({ length: 100 }, () => state));
    for (const row of rows.slice(1)) expect(row.length).toBeLessThanOrEqual(6);
  });

  test("OP-7: a small change of a state of 1 MiB costs some bytes, wherever it is", async () => {
    const elements = largeState(29_500);
    const text = (count: number, list: readonly string[]) => `{"count":${count},"list":[${list.join(",")}]}`;
    const states = [text(0, elements)];
    expect(states[0]!.length).toBeGreaterThan(1_000_000);
    states.push(text(1, [...elements, '{"id":-1}']));
    states.push(text(2, ['{"id":-2}', ...elements]));
    states.push(text(3, elements.toSpliced(13_000, 3, '{"name":"\ud83d\ude00"}')));
    states.push(text(4, elements.toSpliced(20_000, 1).toSpliced(500, 0, '{"id":-4}')));
    const rows = await expectExact(states);
    for (const row of rows.slice(1)) expect(row.length).toBeLessThan(300);
  });

  test("OP-7: a state that is another one altogether is kept whole when that is smaller", async () => {
    const noise = (seed: number) => {
      let value = seed;
      return Array.from({ length: 4000 }, () =>
        (value = (value * 48_271) % 2_147_483_647).toString(36),
      ).join();
    };
    const rows = await expectExact([noise(1), noise(2), noise(3), '"x"', "null", "1"]);
    expect(rows.map((row) => stepHead(row).kind)).toContain("whole");
    expect(rows[4]!.length).toBeLessThan(10);
  });

  test("OP-7: a chain of changes ends, so that a read never builds upon more than 64 of them", async () => {
    const states = Array.from({ length: 400 }, (_, n) => `{"n":${n},"text":"${"y".repeat(500)}"}`);
    const rows = await expectExact(states);
    expect(Math.max(...rows.map((row) => stepHead(row).changes))).toBe(64);
    expect(rows.filter((row) => stepHead(row).kind === "whole").length).toBeGreaterThan(4);
  });

  test("OP-7: rare changes in a long life begin a new chain, so that a read looks at 1000 rows at most", async () => {
    const states = Array.from(
      { length: 2500 },
      (_, n) => `{"text":"${"z".repeat(300)}","hundreds":${Math.floor(n / 100)}}`,
    );
    const rows = await expectExact(states);
    for (const row of rows) expect(stepHead(row).toWhole).toBeLessThanOrEqual(1000);
    expect(rows.slice(1).filter((row) => stepHead(row).kind === "whole").length).toBe(2);
  });

  test("OP-7: bytes that are no step are refused, not misread", () => {
    expect(() => stepHead(new Uint8Array())).toThrow("cut off");
    expect(() => stepHead(Uint8Array.of(9))).toThrow("unknown kind 9");
    expect(() => restoreState([Uint8Array.of(4, 1, 1, 0, 0)])).toThrow("no chain");
    expect(() => restoreState([])).toThrow("no chain");
  });

  test("OP-7: texts that repeat themselves are compared in bounded time", () => {
    const before = "ab".repeat(400_000);
    const after = `${"ab".repeat(200_001)}!${"ba".repeat(199_990)}`;
    const copies = difference(before, after);
    const copied = copies.reduce((sum, { length }) => sum + length, 0);
    expect(copied).toBeGreaterThan(799_000);
  });
});
