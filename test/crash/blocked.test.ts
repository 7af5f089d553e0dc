import { describe, expect, it } from "vitest";
import { stepProcesses } from "../support/step-processes.ts";
import { until } from "../support/until.ts";
import { scriptFlow, stateAfter } from "./flows.ts";
import { queueKinds } from "./queue-place.ts";
import { Rig } from "./rig.ts";

const BLOCKABLE = new URL("./fixtures/blockable.mjs", import.meta.url).href;
/** Three times as long as BullMQ's lock, and as six leases. */
const BLOCK_MS = 12_000;
const LEASE = { AGENTFLOW_CLAIM_LEASE: "2s" };

describe.each(queueKinds)("a worker whose event loop is blocked, jobs on %s", (kind) => {
  it("A1, S-8: another goes on; the blocked one notices, stops its step and commits nothing: two starts, one row", async () => {
    const rig = await Rig.open(kind, { ownRedis: true });
    rig.hold("script", 2);
    const blocked = await rig.realWorker({
      ...LEASE,
      NODE_OPTIONS: `--import=${BLOCKABLE}`,
      BLOCK_MS: String(BLOCK_MS),
    });
    const runId = await rig.start(scriptFlow({ done: 3 }));
    const first = await rig.started(runId, "script", 2);
    blocked.signal("SIGUSR2");
    await rig.realWorker(LEASE);
    const second = await rig.started(runId, "script", 2, 2);
    expect([second.key, second.token > first.token]).toEqual([first.key, true]);
    rig.letGo(second);
    await rig.reaches(runId, "succeeded");
    // The step of the blocked one still stands where it is held.
    expect(stepProcesses(runId)).not.toEqual([]);

    await blocked.hearsLog("it says that it stood still", /event loop stood still/);
    await blocked.hearsLog("it finds its lease lost", /lease lost, step stopped/);
    await until("its step is killed", () => stepProcesses(runId).length === 0);
    const counted = { status: "succeeded", iterations: 3, state: stateAfter(3) } as const;
    expect(await rig.violations(runId, counted)).toEqual([]);
    const starts = (await rig.ledger(runId)).filter(({ role }) => role === "script");
    expect(starts.map(({ iteration }) => iteration)).toEqual([1, 2, 2, 3]);
    expect(blocked.isOver).toBe(false);
  });
});
