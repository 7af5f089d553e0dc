import { describe, expect, it } from "vitest";
import { startCuttingProxy } from "../support/cutting-proxy.ts";
import { stepProcesses } from "../support/step-processes.ts";
import { until } from "../support/until.ts";
import { scriptFlow, stateAfter, subflowFlow } from "./flows.ts";
import type { Expected } from "./invariants.ts";
import { ONE_JOB_EACH, queueKinds, variants } from "./queue-place.ts";
import { Rig, type Fault } from "./rig.ts";

const flow = scriptFlow({ done: 5 });
const counted: Expected = { status: "succeeded", iterations: 5, state: stateAfter(5) };

/** A run whose worker dies at the point, and goes on with a second one that was started afterwards. */
async function takenOver(rig: Rig, fault: Fault, given = flow): Promise<string> {
  const victim = await rig.worker({ fault, concurrency: rig.burst === null ? 1 : 4 });
  const runId = await rig.start(given);
  expect(await victim.ended, victim.log).toBe("SIGKILL");
  await rig.worker();
  await rig.reaches(runId, "succeeded");
  return runId;
}

const startsOf = async (rig: Rig, runId: string, role: string, iteration: number) =>
  (await rig.ledger(runId)).filter((line) => line.role === role && line.iteration === iteration).length;

describe.each(variants)("a process killed by SIGKILL, jobs on %s, %s", (kind, jobs) => {
  const bursts = jobs !== ONE_JOB_EACH;
  const open = () => Rig.open(kind, { bursts });

  it("S-17, P-58: the API between the run's row and its job: the run starts, once", async () => {
    const rig = await open();
    await rig.worker();
    const runId = await rig.startAndDie(flow);
    await rig.reaches(runId, "succeeded");
    expect(await rig.violations(runId, counted)).toEqual([]);
    expect(await startsOf(rig, runId, "script", 1)).toBe(1);
  });

  it("S-9: the worker between the job and the claim: the job is handed on within 20 s, with no attempt used up", async () => {
    const rig = await open();
    const runId = await takenOver(rig, { at: "before_claim", iteration: 3 });
    expect(await rig.violations(runId, counted)).toEqual([]);
    expect((await rig.facts(runId)).history.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1, 1]);
  });

  it("S-6: the worker after the claim, before the step: same iteration, same key, next attempt", async () => {
    const rig = await open();
    const runId = await takenOver(rig, { at: "after_claim", iteration: 3 });
    expect(await rig.violations(runId, counted)).toEqual([]);
    expect((await rig.facts(runId)).history.map(({ attempts }) => attempts)).toEqual([1, 1, 2, 1, 1]);
    expect(await startsOf(rig, runId, "script", 3)).toBe(1);
  });

  it("AC-59, L-51, L-52: the worker while the step runs: the step dies with it, the iteration runs again under its key, in doubt", async () => {
    const rig = await open();
    rig.hold("script", 3);
    const victim = await rig.worker();
    const runId = await rig.start(flow);
    const first = await rig.started(runId, "script", 3);
    expect(stepProcesses(runId)).not.toEqual([]);
    await victim.kill();
    await until("the step is gone", () => stepProcesses(runId).length === 0);

    await rig.worker();
    const second = await rig.started(runId, "script", 3, 2);
    expect(second.key).toBe(first.key);
    expect(second.token).toBeGreaterThan(first.token);
    expect(await rig.column(runId, "in_doubt")).toBe(true);
    expect(await rig.column(runId, "attempt")).toBe(2);
    rig.release("script", 3);
    await rig.reaches(runId, "succeeded");
    expect(await rig.violations(runId, counted)).toEqual([]);
    expect(await rig.column(runId, "in_doubt")).toBe(false);
  });

  it("P-61: the worker after the step, before the commit: only that pass is repeated, under the same key", async () => {
    const rig = await open();
    const runId = await takenOver(rig, { at: "before_commit", iteration: 3 });
    expect(await rig.violations(runId, counted)).toEqual([]);
    const starts = (await rig.ledger(runId)).filter(({ role }) => role === "script");
    expect(starts.map(({ iteration }) => iteration)).toEqual([1, 2, 3, 3, 4, 5]);
  });

  it("S-11, L-19: the worker before the commit of a Condition and a Body: both outputs are in the journal, neither runs again", async () => {
    const rig = await open();
    const runId = await takenOver(rig, { at: "before_commit", iteration: 3 }, subflowFlow({ done: 5 }));
    // The fifth evaluation of the Condition is an iteration without a Body (L-12).
    expect(await rig.violations(runId, { ...counted, state: stateAfter(4) })).toEqual([]);
    expect(await startsOf(rig, runId, "condition", 3)).toBe(1);
    expect(await startsOf(rig, runId, "body", 3)).toBe(1);
  });

  it("S-11, L-19: the worker in the Body: the Condition's stored output is used, the Body runs again under the same key", async () => {
    const rig = await open();
    rig.hold("body", 3);
    const victim = await rig.worker();
    const runId = await rig.start(subflowFlow({ done: 5 }));
    const first = await rig.started(runId, "body", 3);
    await victim.kill();
    await rig.worker();
    expect((await rig.started(runId, "body", 3, 2)).key).toBe(first.key);
    rig.release("body", 3);
    await rig.reaches(runId, "succeeded");
    // The journal counts as progress, so attempts are counted from the Body on.
    expect(await rig.violations(runId, { ...counted, state: stateAfter(4) })).toEqual([]);
    expect(await startsOf(rig, runId, "condition", 3)).toBe(1);
  });

  it("AC-60, S-10: the worker between the commit and the job: the next iteration runs, once", async () => {
    const rig = await open();
    const runId = await takenOver(rig, { at: "after_commit", iteration: 3 });
    expect(await rig.violations(runId, counted)).toEqual([]);
    const starts = (await rig.ledger(runId)).filter(({ role }) => role === "script");
    expect(starts.map(({ iteration }) => iteration)).toEqual([1, 2, 3, 4, 5]);
  });

  it("S-9: the worker in its sweep, after it took the run and before it woke it: the next sweep does", async () => {
    const rig = await open();
    const runId = await rig.startAndDie(flow);
    const victim = await rig.worker({ fault: { at: "in_sweep", iteration: 0 } });
    expect(await victim.ended, victim.log).toBe("SIGKILL");
    await rig.worker();
    await rig.reaches(runId, "succeeded");
    expect(await rig.violations(runId, counted)).toEqual([]);
    expect(await startsOf(rig, runId, "script", 1)).toBe(1);
  });

  it("S-12, P-61: the API between the resume's row and its job: the run is resumed, once", async () => {
    const rig = await open();
    const parking = scriptFlow({ done: 4, waits: 2 });
    await rig.worker();
    const runId = await rig.start(parking);
    await rig.reaches(runId, "waiting");
    expect(await rig.violations(runId, { status: "waiting", iterations: 2, state: stateAfter(2) })).toEqual(
      [],
    );
    await rig.resumeAndDie(runId);
    await rig.reaches(runId, "succeeded");
    expect(await rig.violations(runId, { ...counted, iterations: 4, state: stateAfter(4) })).toEqual([]);
    expect(await startsOf(rig, runId, "script", 3)).toBe(1);
    await expect(rig.resume(runId)).rejects.toThrow("not_waiting");
  });
});

describe.each(queueKinds)("a worker killed when its next job is added, jobs on %s", (kind) => {
  it("S-5: the worker between the next job and the end of its own: the old job is dropped, nothing runs twice", async () => {
    const rig = await Rig.open(kind);
    const runId = await takenOver(rig, { at: "after_enqueue", iteration: 3 });
    expect(await rig.violations(runId, counted)).toEqual([]);
    const starts = (await rig.ledger(runId)).filter(({ role }) => role === "script");
    expect(starts.map(({ iteration }) => iteration)).toEqual([1, 2, 3, 4, 5]);
  });
});

describe.each(queueKinds)("a connection cut at the commit, jobs on %s", (kind) => {
  const cutAtCommit = async (when: "before" | "after"): Promise<void> => {
    const rig = await Rig.open(kind);
    const proxy = await startCuttingProxy(rig.databaseUrl);
    rig.onClose(() => proxy.close());
    proxy.cut("commit_iteration", 3, when);
    const worker = await rig.worker({ databaseUrl: proxy.url, concurrency: 1 });
    const runId = await rig.start(flow);
    await rig.reaches(runId, "succeeded");
    expect(proxy.cuts).toBe(1);
    expect(await rig.violations(runId, counted)).toEqual([]);
    const starts = (await rig.ledger(runId)).filter(({ role }) => role === "script");
    expect(starts.map(({ iteration }) => iteration)).toEqual([1, 2, 3, 4, 5]);
    expect(worker.lines.filter(({ outcome }) => outcome === "committed")).toHaveLength(5);
    expect(worker.lines.filter(({ said }) => said === "threw")).toEqual([]);
  };

  it("S-7, P-61: after it is stored, so that its answer is lost: the worker sees its own write and goes on; no double", () =>
    cutAtCommit("after"));

  it("S-7, P-61: before it arrives: the worker sends it again; no double", () => cutAtCommit("before"));
});
