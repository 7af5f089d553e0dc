import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, it } from "vitest";
import { openStepRig, running, uniqueSleep, until } from "../testing/step-rig.ts";
import { endGroup, groupIsGone, killGroup } from "./group.ts";
import { startGuardian } from "./guardian.ts";
import { reapOrphans } from "./leftovers.ts";
import { STEP_VARIABLE, thisOwner } from "./owner.ts";

type Group = { readonly child: ChildProcess; readonly pid: number };

const started: Group[] = [];

/** A group of its own, run by sh; ended after the test if it is still there. */
function startGroup(command: string, env: Record<string, string> = {}): Group {
  const child = spawn("/bin/sh", ["-c", command], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
    env: { PATH: process.env["PATH"] ?? "", ...env },
  });
  if (child.pid === undefined) throw new Error("No process could be started.");
  const group = { child, pid: child.pid };
  started.push(group);
  return group;
}

const firstLine = ({ child }: Group): Promise<string> =>
  new Promise((resolve, reject) => {
    if (child.stdout === null) return reject(new Error("The process has no stdout."));
    createInterface({ input: child.stdout }).once("line", resolve);
  });

afterEach(async () => {
  for (const { pid } of started.splice(0)) await killGroup(pid);
});

describe("a process group", () => {
  it("L-29, D7: with only a zombie in it is gone", async () => {
    // The short sleep has a group of its own; the long one, which takes the place of its parent meanwhile, never collects it.
    const parent = startGroup("exec bash -c 'set -m; sleep 0.2 & echo $!; exec sleep 86400'");
    const zombie = Number(await firstLine(parent));
    await until("the child is a zombie", () => groupIsGone(zombie));
    expect(() => process.kill(-zombie, 0)).not.toThrow();
    await endGroup(zombie, () => 60_000);
    expect(groupIsGone(parent.pid)).toBe(false);
  });

  it("L-29: is waited for until its last member is dead", async () => {
    const sleep = uniqueSleep();
    const group = startGroup(`trap '' TERM; ${sleep} & echo ready; ${sleep}; true`);
    await firstLine(group);
    await endGroup(group.pid, () => 50);
    expect(groupIsGone(group.pid)).toBe(true);
    expect(await running(sleep)).toEqual([]);
  });
});

describe("the guardian", () => {
  it("S-20: kills the groups it was given and not taken back, when its worker lets go", async () => {
    const [kept, dropped] = [uniqueSleep(), uniqueSleep()];
    const guardian = startGuardian(thisOwner());
    const one = startGroup(`${dropped}; true`);
    const two = startGroup(`${kept}; true`);
    const three = startGroup(`${dropped}; true`);
    for (const group of [one, two, three]) guardian.add(group.pid);
    guardian.remove(two.pid);
    await guardian.close();
    await until("the registered groups are gone", async () => (await running(dropped)).length === 0);
    expect((await running(kept)).length).toBeGreaterThan(0);
  });

  it("D2: that was killed is replaced at the next step and knows the earlier ones", async () => {
    const sleep = uniqueSleep();
    const guardian = startGuardian(thisOwner());
    const one = startGroup(`${sleep}; true`);
    guardian.add(one.pid);
    const first = guardian.pid;
    process.kill(first, "SIGKILL");
    const two = startGroup(`${sleep}; true`);
    await until("the guardian is another one", () => {
      guardian.add(two.pid);
      return guardian.pid !== first;
    });
    await guardian.close();
    await until("both groups are gone", async () => (await running(sleep)).length === 0);
  });

  it("S-20: leaves steps of this process alone when it goes in peace", async () => {
    const rig = await openStepRig();
    const other = startGuardian(thisOwner());
    const outcome = rig.run("sleep 0.3; echo ok");
    await other.close();
    expect(await outcome).toMatchObject({ kind: "exited", exitCode: 0 });
    await rig.close();
  });
});

describe("the reaper at boot", () => {
  const [machine, pid, start] = thisOwner().split(".");

  it("D2: kills marked processes of dead workers with their group, and nobody else", async () => {
    const [dead, alive, elsewhere, unmarked] = [uniqueSleep(), uniqueSleep(), uniqueSleep(), uniqueSleep()];
    const lines = [
      startGroup(`env -i ${dead} & echo ready; ${dead}; true`, {
        [STEP_VARIABLE]: `run_1@${machine}.${pid}.${start}0.aa`,
      }),
      startGroup(`echo ready; ${alive}; true`, { [STEP_VARIABLE]: `run_1@${machine}.${pid}.${start}.aa` }),
      startGroup(`echo ready; ${elsewhere}; true`, { [STEP_VARIABLE]: `run_1@ffffffff.${pid}.${start}0.aa` }),
      startGroup(`echo ready; ${unmarked}; true`),
    ].map(firstLine);
    await Promise.all(lines);
    const found = reapOrphans();
    expect(found).toContain(started[0]?.pid);
    for (const other of started.slice(1)) expect(found).not.toContain(other.pid);
    await until("the orphans are gone", async () => (await running(dead)).length === 0);
    for (const sleep of [alive, elsewhere, unmarked])
      expect((await running(sleep)).length).toBeGreaterThan(0);
  });
});
