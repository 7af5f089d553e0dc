import { expect, test } from "vitest";
import { sampleLoop, sampleRun } from "../testing/sample-run.ts";
import { exitCodeOf, runTable, runText } from "./show.ts";

test("F-29: the exit code says how a run stands", () => {
  const codes = (["queued", "running", "waiting", "succeeded", "failed", "cancelled"] as const).map(
    (status) => [status, exitCodeOf({ status })],
  );
  expect(Object.fromEntries(codes)).toEqual({
    queued: 0,
    running: 0,
    waiting: 3,
    succeeded: 0,
    failed: 1,
    cancelled: 1,
  });
});

test("a run shows its loops, what it waits for and its outputs", () => {
  const run = sampleRun({
    status: "waiting",
    tags: ["nightly"],
    loops: [sampleLoop({ decision: "wait", summary: "12 records\nneed a decision" })],
    outputs: { report: "# Report\ndone" },
  });
  const text = runText(run);
  expect(text).toContain("wait after 7 of at most 20 iterations, 1.2 s active");
  expect(text).toContain("12 records need a decision");
  expect(text).toContain("tags     nightly");
  expect(text).toContain("\nreport\n  # Report\n  done");
});

test("a failed run shows code, place and the end of stderr", () => {
  const details = { stderrTail: "boom\nat line 3" };
  const failure = { code: "step_failed", message: "exit code 1", node: "step", iteration: 4, details };
  const text = runText(sampleRun({ status: "failed", failure }));
  expect(text).toContain("step_failed (node step, iteration 4): exit code 1");
  expect(text).toContain("boom at line 3");
});

test("a list has one line for each run", () => {
  const lines = runTable([sampleRun(), sampleRun({ status: "queued" })]).split("\n");
  expect(lines).toHaveLength(3);
  expect(lines[2]).toMatch(/^01900000-\S+ {2}queued {3}import@3/);
  expect(runTable([])).toBe("no runs");
});
