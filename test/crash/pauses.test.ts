import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../support/until.ts";
import { scriptFlow, stateAfter } from "./flows.ts";
import type { Expected } from "./invariants.ts";
import { queueKinds } from "./queue-place.ts";
import { Rig } from "./rig.ts";

const PAUSE_MS = 4000;
const paced = scriptFlow({ done: 2, options: `{ delayMs: "${PAUSE_MS}" }` });
const retried = scriptFlow({
  done: 1,
  extra: " && test -e ${workspaceRoot}/lucky",
  options: `{ retries: { max: 3, delayMs: ${PAUSE_MS} } }`,
});
const counted = (iterations: number): Expected => ({
  status: "succeeded",
  ...{ iterations, state: stateAfter(iterations), pausedMs: PAUSE_MS },
});

/** Waits for the pause under way; its end, in ms since 1970 on the database's clock. */
function pausing(rig: Rig, runId: string): Promise<number> {
  const look = async (): Promise<number | undefined> => {
    const due = await rig.column<Date | null>(runId, "due_at");
    return due?.getTime();
  };
  return until(`${runId} pauses`, look);
}

const claimedAt = async (rig: Rig, runId: string): Promise<number> =>
  (await rig.column<Date>(runId, "claimed_at")).getTime();

describe.each(queueKinds)("a pause, jobs on %s", (kind) => {
  it("O-1, A19: outlives its worker and its job: nobody goes on before the due time, and somebody does after it", async () => {
    const rig = await Rig.open(kind, { ownRedis: true });
    const victim = await rig.worker();
    await rig.register(paced);
    const runId = await rig.start(paced);
    const dueAt = await pausing(rig, runId);
    await victim.kill();
    await rig.place.empty();
    rig.hold("script", 2);
    await rig.worker();
    await rig.started(runId, "script", 2);
    expect(await claimedAt(rig, runId)).toBeGreaterThanOrEqual(dueAt - 100);
    rig.release("script", 2);
    await rig.reaches(runId, "succeeded");
    expect(await rig.violations(runId, counted(2))).toEqual([]);
  });

  it("O-1, A19: its delayed job alone ends it: no sweep is needed where nothing goes wrong", async () => {
    const rig = await Rig.open(kind, { ownRedis: true });
    await rig.worker({ sweeps: false });
    await rig.register(paced);
    const runId = await rig.start(paced);
    const dueAt = await pausing(rig, runId);
    rig.hold("script", 2);
    await rig.started(runId, "script", 2);
    expect(await claimedAt(rig, runId)).toBeGreaterThanOrEqual(dueAt - 100);
    rig.release("script", 2);
    await rig.reaches(runId, "succeeded");
    expect(await rig.violations(runId, counted(2))).toEqual([]);
  });

  it("O-1, S-9: with the queue emptied under a living worker the sweep goes on after the due time", async () => {
    const rig = await Rig.open(kind, { ownRedis: true });
    await rig.worker();
    await rig.register(paced);
    const runId = await rig.start(paced);
    const dueAt = await pausing(rig, runId);
    await rig.place.empty();
    rig.hold("script", 2);
    await rig.started(runId, "script", 2);
    expect(await claimedAt(rig, runId)).toBeGreaterThanOrEqual(dueAt - 100);
    rig.release("script", 2);
    await rig.reaches(runId, "succeeded");
    expect(await rig.violations(runId, counted(2))).toEqual([]);
  });

  it("O-3, L-14: a worker killed between two attempts: the next one is of the same iteration and key, after the pause", async () => {
    const rig = await Rig.open(kind, { ownRedis: true });
    const victim = await rig.worker();
    await rig.register(retried);
    const runId = await rig.start(retried);
    const dueAt = await pausing(rig, runId);
    await victim.kill();
    await rig.place.empty();
    writeFileSync(join(rig.folder, "lucky"), "");
    rig.hold("script", 1);
    await rig.worker();
    await rig.started(runId, "script", 1, 2);
    expect(await claimedAt(rig, runId)).toBeGreaterThanOrEqual(dueAt - 100);
    rig.release("script", 1);
    await rig.reaches(runId, "succeeded");
    expect(await rig.violations(runId, counted(1))).toEqual([]);
    const { history, ledger } = await rig.facts(runId);
    expect(history).toMatchObject([{ iteration: 1, attempts: 2 }]);
    const starts = ledger.filter(({ role }) => role === "script");
    expect(starts).toHaveLength(2);
    expect(new Set(starts.map(({ key }) => key)).size).toBe(1);
  });
});
