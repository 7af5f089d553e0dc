import { expect, test } from "vitest";
import { explain } from "./explain-run.ts";
import type { RunStanding } from "./ports/standing.ts";

const at = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, "0")}.000000Z`;

const standing: RunStanding = {
  ...{ status: "running", failure: null, createdAt: at(0), updatedAt: at(1), settledAt: null, dueAt: null },
  ...{ dispatchAfter: at(3), overdue: false, leaseOwner: null, leaseUntil: null, leased: false },
  ...{ claimedAt: at(2), attempt: 0, inDoubt: false, lost: null, loop: { label: "Import", summary: "" } },
  ...{ nextIteration: 4, ahead: 0, limit: null },
};
const loop = { label: "Import", summary: "approve batch 3" };
const failure = { code: "exit_nonzero", message: "Exit code 3.", node: "work", iteration: 4 } as const;

const cases: [string, Partial<RunStanding>, object, string][] = [
  ["first in the queue", { status: "queued" }, { reason: "queued", since: at(1) }, "as soon as one is free"],
  ["in the queue", { status: "queued", ahead: 1 }, { reason: "queued" }, "queued behind 1 other run."],
  ["far back", { status: "queued", ahead: 1000 }, { reason: "queued" }, "behind 1000 or more other runs."],
  [
    "nobody comes",
    { status: "queued", overdue: true, loop: null },
    { reason: "stuck", since: at(3) },
    "no worker runs",
  ],
  [
    "at work",
    { leased: true, leaseOwner: "w:1", attempt: 1 },
    { reason: "executing", since: at(2) },
    "w:1 executes iteration 4 of the loop Import.",
  ],
  [
    "again",
    { leased: true, leaseOwner: "w:1", attempt: 2, inDoubt: true },
    { reason: "executing" },
    "attempt 2. An earlier attempt died",
  ],
  [
    "again, and known after whom",
    {
      ...{ leased: true, leaseOwner: "w:1", attempt: 2, inDoubt: true },
      lost: { attempt: 1, worker: "w:9", startedAt: at(0), idempotencyKey: "afw_1" },
    },
    { reason: "executing" },
    `Attempt 1, started at ${at(0)} by the worker w:9, died and may have had effects under the key afw_1.`,
  ],
  [
    "before a loop",
    { leased: true, leaseOwner: "w:1", loop: null },
    { reason: "executing" },
    "w:1 executes the run.",
  ],
  [
    "worker gone",
    { leaseOwner: "w:1", leaseUntil: at(9) },
    { reason: "lost", since: at(9) },
    "w:1 that held iteration 4",
  ],
  ["backing off", { attempt: 3 }, { reason: "retrying", until: at(3) }, "Attempt 3 at iteration 4"],
  ["between", {}, { reason: "between_iterations", until: null }, "about to take iteration 4"],
  ["paused", { dueAt: at(30) }, { reason: "delayed", until: at(30) }, "pause"],
  [
    "parked",
    { status: "waiting", settledAt: at(8), loop },
    { reason: "parked", since: at(8) },
    'Import decided to wait: "approve batch 3". Resume it to go on with iteration 4.',
  ],
  [
    "failed",
    { status: "failed", settledAt: at(8), failure },
    { reason: "failed" },
    "failed with exit_nonzero at node work, iteration 4: Exit code 3.",
  ],
  [
    "cancelled",
    { status: "cancelled", settledAt: at(8) },
    { reason: "cancelled", since: at(8) },
    "cancelled",
  ],
  ["succeeded", { status: "succeeded", settledAt: at(8) }, { reason: "succeeded" }, "succeeded"],
];

test.each(cases)("3.4 explain: %s", (_what, given, wanted, sentence) => {
  const found = explain({ ...standing, ...given });
  expect(found).toMatchObject(wanted);
  expect(found.sentence).toContain(sentence);
  expect(found.status).toBe(given.status ?? "running");
});
