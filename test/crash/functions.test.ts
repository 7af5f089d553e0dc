import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../support/until.ts";
import { functionFlow, stateAfter } from "./flows.ts";
import type { Expected } from "./invariants.ts";
import { queueKinds } from "./queue-place.ts";
import { Rig } from "./rig.ts";

// The fifth evaluation of the Condition is an iteration without a Body (L-12).
const counted: Expected = { status: "succeeded", iterations: 5, state: stateAfter(4) };

type Start = {
  readonly role: string;
  readonly iteration: number;
  readonly key: string;
  readonly pid: number;
};

function starts(rig: Rig): Start[] {
  const path = join(rig.folder, "functions");
  const lines = existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n") : [];
  return lines.map((line) => {
    const [role = "", iteration, key = "", pid] = line.split(" ");
    return { role, iteration: Number(iteration), key, pid: Number(pid) };
  });
}

const bodies = (rig: Rig, iteration: number): Start[] =>
  starts(rig).filter((start) => start.role === "body" && start.iteration === iteration);

/** What contradicts the promises; the keys are those the functions noted, for functions write no ledger. */
async function violations(rig: Rig, runId: string): Promise<string[]> {
  const found = (await rig.violations(runId, counted)).filter((one) => !one.startsWith("keys: "));
  const { history } = await rig.facts(runId);
  const wrong = starts(rig).filter(({ iteration, key }) => history[iteration - 1]?.key !== key);
  return [...found, ...wrong.map(({ role, iteration }) => `keys: ${role} ${iteration}`)];
}

describe.each(queueKinds)("a worker with warm functions killed by SIGKILL, jobs on %s", (kind) => {
  it("S-20, L-51, L-14: while one is called: its process dies too, and the iteration runs again under its key", async () => {
    const rig = await Rig.open(kind);
    rig.hold("body", 3);
    const victim = await rig.worker();
    const runId = await rig.start(functionFlow({ done: 5, folder: rig.folder }));
    await until("the third Body is at work", () => bodies(rig, 3).length === 1);
    const [first] = bodies(rig, 3);
    await victim.kill();
    await until("its process is gone", () => !existsSync(`/proc/${first?.pid}`));

    await rig.worker();
    await until("the third Body is at work again", () => bodies(rig, 3).length === 2);
    expect(bodies(rig, 3)[1]?.key).toBe(first?.key);
    expect(await rig.column(runId, "in_doubt")).toBe(true);
    rig.release("body", 3);
    await rig.reaches(runId, "succeeded");
    expect(await violations(rig, runId)).toEqual([]);
  });

  it("S-11, P-61: before the commit: functions without effects are called again, under the same key, and the state is as undisturbed", async () => {
    const rig = await Rig.open(kind);
    const victim = await rig.worker({ fault: { at: "before_commit", iteration: 3 }, concurrency: 1 });
    const runId = await rig.start(functionFlow({ done: 5, folder: rig.folder }));
    expect(await victim.ended, victim.log).toBe("SIGKILL");
    await rig.worker();
    await rig.reaches(runId, "succeeded");
    expect(await violations(rig, runId)).toEqual([]);
    expect(bodies(rig, 3)).toHaveLength(2);
    expect(new Set(bodies(rig, 3).map(({ key }) => key)).size).toBe(1);
    expect(bodies(rig, 2)).toHaveLength(1);
  });
});
