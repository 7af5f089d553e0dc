import { expect, test } from "vitest";
import type { Checkpoint, HistoryEntry } from "./checkpoint.ts";
import { loopOutputs } from "./outputs.ts";

const checkpoint: Checkpoint = {
  ...{ schema: 1, status: "done", epoch: 0, state: '{"2":-0,"1":1.0}', stateDigest: "d" },
  ...{ fingerprint: "f".repeat(64), nextIteration: 2, elapsedMs: 7, maxIterations: 5, timeoutMs: 1000 },
  ...{ decision: "done", summary: 'all "done"', succeeded: 1, failed: 0, paced: 1, tries: 0, last: null },
};
const entry: HistoryEntry = {
  ...{ iteration: 1, decision: "done", summary: 'all "done"', elapsedMs: 7, idempotencyKey: "afw_1" },
};

test("L-4, L-46: the outputs of a loop say how it stands, its state token for token", () => {
  const history =
    '[{"iteration":1,"decision":"done","summary":"all \\"done\\"","elapsedMs":7,"idempotencyKey":"afw_1"}]';
  expect(Object.fromEntries(loopOutputs(checkpoint, [entry]))).toEqual({
    state: '{"2":-0,"1":1.0}',
    decision: "done",
    iterations: "1",
    summary: 'all "done"',
    history,
    checkpointFingerprint: "f".repeat(64),
    completed: "true",
    succeeded: "1",
    failed: "0",
    errors: "[]",
    result: `{"decision":"done","iterations":1,"state":{"2":-0,"1":1.0},"summary":"all \\"done\\"","history":${history}}`,
  });
});

test("L-4: without a completed iteration they are those of the captured start", () => {
  const start: Checkpoint = { ...checkpoint, nextIteration: 1, decision: null, summary: "" };
  const outputs = loopOutputs(start, []);
  expect(["decision", "iterations", "summary", "history"].map((slot) => outputs.get(slot))).toEqual([
    "",
    "0",
    "",
    "[]",
  ]);
});
