import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { until } from "../support/until.ts";
import type { Facts } from "./facts.ts";
import { scriptFlow, stateAfter } from "./flows.ts";
import { violations, type Expected } from "./invariants.ts";
import { queueKinds } from "./queue-place.ts";
import { Rig } from "./rig.ts";

const flow = scriptFlow({ done: 5 });
const counted: Expected = { status: "succeeded", iterations: 5, state: stateAfter(5) };

/** The facts with something wrong in them, and the violation that must be found. */
const wrongs: readonly [what: string, change: (facts: Facts) => Partial<Facts>, found: RegExp][] = [
  ["a wrong end", () => ({ status: "failed", code: "worker_lost" }), /^status: /],
  ["a state that misses a round", () => ({ state: "[0,1,2,4,5]" }), /^state: /],
  ["a gap", ({ history }) => ({ history: history.filter((row) => row.iteration !== 3) }), /^history: /],
  ["a double row", ({ history }) => ({ history: [...history, ...history.slice(-1)] }), /^history: /],
  ["time that no row accounts for", ({ elapsedMs }) => ({ elapsedMs: elapsedMs + 1 }), /^elapsed: /],
  ["a checkpoint behind the run", () => ({ checkpointNext: 5 }), /^next: /],
  [
    "another key in a second attempt",
    ({ ledger }) => ({ ledger: ledger.map((line, index) => (index === 2 ? { ...line, key: "k" } : line)) }),
    /^keys: /,
  ],
  ["an execution too many", ({ ledger }) => ({ ledger: [...ledger, ledger[2]!] }), /^executions: script 3/],
  [
    "an execution without a row",
    ({ ledger }) => ({ ledger: [...ledger, { ...ledger[2]!, iteration: 6 }] }),
    /^executions: iteration 6/,
  ],
  [
    "nothing downstream",
    ({ ledger }) => ({ ledger: ledger.filter(({ role }) => role !== "after") }),
    /^downstream: /,
  ],
  ["a lost event", ({ events }) => ({ events: events.filter((_, index) => index !== 4) }), /^events: number/],
  [
    "an iteration told of twice",
    ({ events }) => ({
      events: [...events, { seq: events.length + 1, type: "while-iteration-done", iteration: 3 }],
    }),
    /^events: iterations/,
  ],
  ["a run that nobody will wake", () => ({ status: "running" }), /^liveness: /],
  ["a job left over", () => ({ jobs: ["run_1"] }), /^jobs: /],
  ["a process left over", () => ({ processes: [1] }), /^processes: /],
];

describe("the invariants", () => {
  it("S-9: hold of an undisturbed run, and each of them can fail", async () => {
    const rig = await Rig.open("postgres");
    await rig.worker();
    const runId = await rig.start(flow);
    await rig.reaches(runId, "succeeded");
    expect(await rig.violations(runId, counted)).toEqual([]);
    const facts = await rig.facts(runId);
    for (const [what, change, found] of wrongs) {
      const sentences = violations({ ...facts, ...change(facts) }, counted);
      expect(sentences, what).toContainEqual(expect.stringMatching(found));
    }
  });
});

describe.each(queueKinds)("controls that must fail, jobs on %s", (kind) => {
  it("S-6: without the compare-and-set of the commit, a worker that was frozen takes the run back", async () => {
    const rig = await Rig.open(kind);
    rig.hold("script", 5);
    const fault = { at: "frozen_before_commit", iteration: 3 } as const;
    const frozen = await rig.worker({ unguarded: true, fault, concurrency: 1 });
    const runId = await rig.start(flow);
    await until("the worker stands still", () =>
      readFileSync(`/proc/${frozen.pid}/status`, "latin1").includes("State:\tT"),
    );
    await rig.worker({ unguarded: true });
    await rig.started(runId, "script", 5);

    frozen.signal("SIGCONT");
    await rig.started(runId, "script", 4, 2);
    rig.release("script", 5);
    await rig.reaches(runId, "succeeded");
    const found = await rig.violations(runId, counted);
    expect(found).toContainEqual(expect.stringMatching(/^executions: script 4 ran 2 times in 1 attempts/));
    expect(found).toContainEqual(expect.stringMatching(/^events: /));
  });

  it("S-9, A10: without the sweep, runs whose jobs were lost stand still for ever; with it they go on", async () => {
    const rig = await Rig.open(kind, { ownRedis: true });
    const lost = [await rig.start(flow), await rig.start(flow)];
    await rig.place.empty();
    await rig.worker({ sweeps: false });
    const later = await rig.start(flow);
    await rig.reaches(later, "succeeded");
    for (const runId of lost) {
      const found = violations(await rig.facts(runId), counted);
      expect(found).toContainEqual(expect.stringMatching(/^liveness: the run is queued/));
    }

    await rig.worker();
    for (const runId of lost) {
      await rig.reaches(runId, "succeeded");
      expect(await rig.violations(runId, counted)).toEqual([]);
    }
  });
});
