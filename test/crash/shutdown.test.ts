import { describe, expect, it } from "vitest";
import { stepProcesses } from "../support/step-processes.ts";
import { scriptFlow, stateAfter } from "./flows.ts";
import type { Expected } from "./invariants.ts";
import { queueKinds, type QueueKind } from "./queue-place.ts";
import { Rig } from "./rig.ts";

const flow = scriptFlow({ done: 3 });
const counted: Expected = { status: "succeeded", iterations: 3, state: stateAfter(3) };

/** Longer than any grace here and than what is waited for: only a hand-back can bring the next worker in sooner. */
const LONG_LEASE = { AGENTFLOW_CLAIM_LEASE: "10m" };

describe.each(queueKinds)("SIGTERM to the shipped worker in mid-iteration, jobs on %s", (kind) => {
  it("P-64, S-27, A15, A16: a step that outlasts the grace time is killed and handed back; another worker goes on at once, no attempt is used up", async () => {
    const rig = await Rig.open(kind, { ownRedis: true });
    rig.hold("script", 2);
    const first = await rig.realWorker({ ...LONG_LEASE, AGENTFLOW_SHUTDOWN_GRACE: "1s" });
    const runId = await rig.start(flow);
    const start = await rig.started(runId, "script", 2);
    await rig.realWorker(LONG_LEASE);
    const [step] = stepProcesses(runId);
    first.signal("SIGTERM");
    const again = await rig.started(runId, "script", 2, 2, 15_000);
    expect(again.key).toBe(start.key);
    expect(stepProcesses(runId)).not.toContain(step);
    expect(await first.ended, first.log).toBe(0);
    expect(await rig.column(runId, "attempt")).toBe(1);
    expect(await rig.column(runId, "in_doubt")).toBe(false);

    rig.release("script", 2);
    await rig.reaches(runId, "succeeded");
    expect(await rig.violations(runId, { ...counted, uncounted: true })).toEqual([]);
    expect((await rig.facts(runId)).history.map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
    expect((await rig.ledger(runId)).filter(({ role }) => role === "script")).toHaveLength(4);
  });

  it("P-64, S-27: a step that ends within the grace time is committed, then the worker goes, and the next iteration is another's", async () => {
    const rig = await Rig.open(kind, { ownRedis: true });
    rig.hold("script", 2);
    const first = await rig.realWorker({ ...LONG_LEASE, AGENTFLOW_SHUTDOWN_GRACE: "60s" });
    const runId = await rig.start(flow);
    await rig.started(runId, "script", 2);
    first.signal("SIGTERM");
    await first.hearsLog("it is stopping", /"stopping"/);
    const untouched = await rig.start(flow);
    rig.release("script", 2);
    expect(await first.ended, first.log).toBe(0);
    expect(await rig.column(runId, "next_iteration")).toBe(3);
    expect(await rig.column(runId, "lease_owner")).toBe(null);
    expect(await rig.column(untouched, "attempt")).toBe(0);

    await rig.realWorker(LONG_LEASE);
    for (const each of [runId, untouched]) {
      await rig.reaches(each, "succeeded");
      expect(await rig.violations(each, counted)).toEqual([]);
    }
  });
});

describe("SIGTERM to the shipped worker while a step of 20 s runs", () => {
  const sleeping = scriptFlow({
    done: 3,
    extra: `; if [ "$AGENTFLOW_WHILE_ITERATION" = 2 ]; then sleep 20; fi`,
  });

  /** Asks the worker of a run in its long step to stop, with another worker ready; `sinceMs` is when. */
  async function stopped(kind: QueueKind, grace: string) {
    const rig = await Rig.open(kind, { ownRedis: true });
    const first = await rig.realWorker({ ...LONG_LEASE, AGENTFLOW_SHUTDOWN_GRACE: grace });
    const runId = await rig.start(sleeping);
    const start = await rig.started(runId, "script", 2);
    await rig.realWorker(LONG_LEASE);
    const sinceMs = performance.now();
    first.signal("SIGTERM");
    return { rig, first, runId, start, sinceMs };
  }

  const ends = async (rig: Rig, runId: string, expected: Expected): Promise<void> => {
    await rig.reaches(runId, "succeeded");
    expect(await rig.violations(runId, expected)).toEqual([]);
    expect((await rig.facts(runId)).history.map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
  };

  it("S-27: a grace of 5 s: handed back within 2 s of its end, and the other worker goes on; 60 s: it is committed", async () => {
    const cutOff = queueKinds.map(async (kind) => {
      const { rig, first, runId, start, sinceMs } = await stopped(kind, "5s");
      const again = await rig.started(runId, "script", 2, 2, 15_000);
      expect(performance.now() - sinceMs).toBeGreaterThanOrEqual(5000);
      expect(performance.now() - sinceMs).toBeLessThan(7000);
      expect(again.key).toBe(start.key);
      expect(await first.ended, first.log).toBe(0);
      await ends(rig, runId, { ...counted, uncounted: true });
    });
    const awaited = queueKinds.map(async (kind) => {
      const { rig, first, runId, sinceMs } = await stopped(kind, "60s");
      expect(await first.ended, first.log).toBe(0);
      expect(performance.now() - sinceMs).toBeLessThan(40_000);
      await ends(rig, runId, counted);
      const starts = (await rig.ledger(runId)).filter(({ iteration }) => iteration === 2);
      expect(starts).toHaveLength(1);
    });
    await Promise.all([...cutOff, ...awaited]);
  });
});
