import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { Checkpoint, Decision, HistoryEntry } from "./checkpoint.ts";
import { checkpointProblem, fingerprintIsWellFormed } from "./validate.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const keyOf = (iteration: number): string => `afw_${iteration}`;

function entry(iteration: number, decision: Decision = "continue"): HistoryEntry {
  return { iteration, decision, summary: "", elapsedMs: 10, idempotencyKey: keyOf(iteration) };
}

const parkedAt = (state: string): Checkpoint => ({
  ...{ schema: 1, status: "waiting", epoch: 0, state, stateDigest: sha256(state) },
  ...{ fingerprint: "f".repeat(64), nextIteration: 3, elapsedMs: 20, maxIterations: 5 },
  ...{ timeoutMs: 10_000, decision: "wait", summary: "" },
  ...{ succeeded: 1, failed: 0, paced: 0, tries: 0, last: null },
});

type Stored = { checkpoint: Checkpoint; history: HistoryEntry[] };
const stored = (given: Partial<Checkpoint> = {}, history = [entry(1), entry(2, "wait")]): Stored => ({
  checkpoint: { ...parkedAt('{"n":2}'), ...given },
  history,
});
const problem = ({ checkpoint, history }: Stored): string | null =>
  checkpointProblem({ checkpoint, history, parked: checkpoint.status === "waiting", sha256, keyOf });

test("L-42: a checkpoint as it was stored has no problem, nor has the captured start", () => {
  expect(problem(stored())).toBeNull();
  const start = { status: "running", nextIteration: 1, elapsedMs: 0, decision: null } as const;
  expect(problem(stored(start, []))).toBeNull();
});

test.each<[string, Stored, RegExp]>([
  ["AC-53: history emptied", stored({}, []), /next iteration is 3 after 0/],
  ["AC-54: iterations 2 then 1", stored({}, [entry(2), entry(1, "wait")]), /row 1 is of iteration 2/],
  ["AC-54: a gap", stored({ nextIteration: 4 }, [entry(1), entry(3, "wait")]), /row 2 is of iteration 3/],
  ["AC-54: last decision continue", stored({ decision: "continue" }, [entry(1), entry(2)]), /parked after/],
  ["AC-54: decisions that differ", stored({ decision: "wait" }, [entry(1), entry(2)]), /decision differs/],
  ["AC-54: iteration count beyond the last entry", stored({ nextIteration: 4 }), /is 4 after 2/],
  ["AC-54: iteration count below the last entry", stored({ nextIteration: 2 }), /is 2 after 2/],
  ["AC-54: elapsed negative", stored({ elapsedMs: -1 }), /elapsed/],
  ["AC-54: elapsed below the sum of the rows", stored({ elapsedMs: 19 }), /19 is less than the 20/],
  ["AC-54: unknown decision", stored({}, [entry(1, "maybe" as never), entry(2, "wait")]), /"maybe"/],
  ["AC-54: state text truncated", stored({ state: '{"n":' }), /JSON policy/],
  ["AC-54: state of another digest", stored({ stateDigest: sha256("{}") }), /digest/],
  ["AC-54: state blank", stored({ state: " " }), /blank/],
  ["AC-54: schema version unknown", stored({ schema: 2 }), /schema version 2/],
  [
    "L-42: a key that is not the one to be recomputed",
    stored({}, [{ ...entry(1), idempotencyKey: "afw_x" }, entry(2, "wait")]),
    /another idempotency key/,
  ],
])("%s is not continued", (_title, given, says) => {
  expect(problem(given)).toMatch(says);
});

test("L-31, L-42: a stored state of exactly 1 MiB is continued, one byte more is not", () => {
  const most = `"${"x".repeat(1_048_574)}"`;
  expect(problem({ ...stored(), checkpoint: parkedAt(most) })).toBeNull();
  expect(problem({ ...stored(), checkpoint: parkedAt(`${most.slice(0, -1)}x"`) })).toMatch(/JSON policy/);
});

test("L-41: only 64 lower-case hex digits are a fingerprint that can be compared", () => {
  expect(fingerprintIsWellFormed("0123456789abcdef".repeat(4))).toBe(true);
  for (const bad of ["", " ", "f".repeat(63), "f".repeat(65), "F".repeat(64), `${"f".repeat(64)}\n`])
    expect(fingerprintIsWellFormed(bad), JSON.stringify(bad)).toBe(false);
});
