import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { stepProcesses } from "../support/step-processes.ts";
import { until } from "../support/until.ts";
import { scriptFlow, stateAfter } from "./flows.ts";
import type { Expected } from "./invariants.ts";
import { ONE_JOB_EACH, variants } from "./queue-place.ts";
import { Rig } from "./rig.ts";

const flow = scriptFlow({ done: 5 });
const counted: Expected = { status: "succeeded", iterations: 5, state: stateAfter(5) };

const isStopped = (pid: number): boolean => {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).startsWith("T");
};

describe.each(variants)("a worker frozen past its lease, jobs on %s, %s", (kind, jobs) => {
  const bursts = jobs !== ONE_JOB_EACH;
  it("P-56, S-8, A1: in its step: another goes on, and what wakes up finds its lease lost and kills its step", async () => {
    const rig = await Rig.open(kind, { bursts });
    rig.hold("script", 3);
    const frozen = await rig.worker();
    const runId = await rig.start(flow);
    const first = await rig.started(runId, "script", 3);
    frozen.signal("SIGSTOP");

    const other = await rig.worker();
    const second = await rig.started(runId, "script", 3, 2);
    expect(second.key).toBe(first.key);
    expect(second.token).toBeGreaterThan(first.token);
    rig.letGo(second);
    await rig.reaches(runId, "succeeded");
    expect(stepProcesses(runId)).not.toEqual([]);

    frozen.signal("SIGCONT");
    await until("the late step is killed", () => stepProcesses(runId).length === 0);
    await frozen.hears("the lease is lost", ({ said, token }) => said === "lost" && token === first.token);
    const late = await frozen.hears(
      "the late work ends",
      (line) => line.said === "handled" && (bursts || line.token === first.token - 1),
    );
    expect(late.outcome).toBe("dropped");
    expect(await rig.violations(runId, counted)).toEqual([]);

    rig.release("script", 3);
    await other.kill();
    const next = await rig.start(flow);
    await rig.reaches(next, "succeeded");
    expect(await rig.violations(next, counted)).toEqual([]);
  });

  it("P-56, S-6, A1: between step and commit: its late commit is refused, one row per iteration", async () => {
    const rig = await Rig.open(kind, { bursts });
    const frozen = await rig.worker({
      fault: { at: "frozen_before_commit", iteration: 3 },
      concurrency: bursts ? 4 : 1,
    });
    const runId = await rig.start(flow);
    await until("the worker stands still", () => isStopped(frozen.pid));
    await rig.worker();
    await rig.reaches(runId, "succeeded");
    const before = await rig.facts(runId);

    frozen.signal("SIGCONT");
    const [first] = before.ledger.filter(({ iteration }) => iteration === 3);
    const late = await frozen.hears(
      "the late commit is answered",
      (line) => line.said === "handled" && (bursts || line.token === (first?.token ?? 0) - 1),
    );
    expect(late.outcome).toBe("stale");
    expect(await rig.violations(runId, counted)).toEqual([]);
    expect((await rig.facts(runId)).history).toEqual(before.history);
    expect(before.history.map(({ attempts }) => attempts)).toEqual([1, 1, 2, 1, 1]);
  });
});
