import fc from "fast-check";
import { expect, test } from "vitest";
import { jobId, readJob, safeDelayMs, toJob } from "./job.ts";

const runIds = fc.oneof(
  fc.uuid({ version: 7 }),
  fc.stringMatching(/^[0-9A-Za-z-]{1,64}$/),
  fc.stringMatching(/^[0-9]{1,20}$/),
);
const tokens = fc.nat(Number.MAX_SAFE_INTEGER);

test("A5: a job id has no colon, is not all digits and not empty, whatever the run and the token", () => {
  fc.assert(
    fc.property(runIds, tokens, (runId, token) => {
      const id = jobId(runId, token);
      expect(id).not.toContain(":");
      expect(id).not.toMatch(/^\d*$/);
    }),
  );
});

test("A5, A6: two wakes have the same job id only if run and token are the same", () => {
  fc.assert(
    fc.property(runIds, tokens, runIds, tokens, (run, token, otherRun, otherToken) => {
      const same = run === otherRun && token === otherToken;
      expect(jobId(run, token) === jobId(otherRun, otherToken)).toBe(same);
      expect(jobId(run, token)).toBe(jobId(run, token));
    }),
  );
});

test("A6: a wake that is repeated because nothing came of it is another job with the same content", () => {
  const wake = { runId: "run", token: 7, delayMs: 0 };
  const ids = [0, 1, 2].map((again) => toJob({ ...wake, again }).opts.jobId);
  expect(ids).toEqual(["run_7", "run_7_1", "run_7_2"]);
  expect(toJob({ ...wake, again: 2 }).data).toEqual(toJob(wake).data);
});

test.each(["", "a:b", "a_b", "a b", "ü", "x".repeat(65)])("A5: %j is no run id", (runId) => {
  expect(() => jobId(runId, 1)).toThrow("not a run id");
});

test.each([-1, 0.5, Number.NaN, 2 ** 53])("A5: %d is no fencing token", (token) => {
  expect(() => jobId("run", token)).toThrow("not a fencing token");
});

test("S-5: a job carries the run id and the token, and reads back as what was added", () => {
  fc.assert(
    fc.property(runIds, tokens, (runId, token) => {
      const job = toJob({ runId, token, delayMs: 5 });
      expect(job).toEqual({
        name: "wake",
        data: { runId, token },
        opts: { jobId: jobId(runId, token), delay: 5 },
      });
      expect(readJob(JSON.parse(JSON.stringify(job.data)))).toEqual({ runId, token });
    }),
  );
});

test.each([null, undefined, "x", {}, { runId: "a" }, { runId: "a:b", token: 1 }, { runId: "a", token: "1" }])(
  "B1: %j is no job",
  (data) => expect(readJob(data)).toBeNull(),
);

test.each([
  [0, 0],
  [-5, 0],
  [0.2, 1],
  [1500, 1500],
  [Number.NaN, 0],
  [2 ** 31, 2 ** 31 - 1],
  [Number.POSITIVE_INFINITY, 2 ** 31 - 1],
])("D4: a delay of %d ms becomes %d ms, which a timer can take", (delayMs, expected) => {
  expect(safeDelayMs(delayMs)).toBe(expected);
});
