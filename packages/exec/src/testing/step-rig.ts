import { mkdtemp, readdir, readFile, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { CommandOutcome, CommandRequest, StepDirectories } from "@agentflow/engine";
import { removeTree } from "../remove-tree.ts";
import { startGuardian } from "../process/guardian.ts";
import { newStepId, thisOwner } from "../process/owner.ts";
import { type CommandTools, runCommand } from "../run-command.ts";
import { openStepDirectories, removeStepDirectories } from "../step/directories.ts";
import { sharedEnvironment } from "../step/environment.ts";
import { createPipePool } from "../step/pipes.ts";

type RunOptions = Partial<Omit<CommandRequest, "command" | "directories">> & {
  readonly signal?: AbortSignal;
  readonly wrapper?: readonly string[];
  /** Called when the folders exist and the command does not run yet. */
  readonly prepare?: (directories: StepDirectories) => Promise<void> | void;
};

/** Everything `runCommand` needs, in a folder of its own. */
export type StepRig = {
  readonly folder: string;
  readonly tools: CommandTools;
  run(command: string, options?: RunOptions): Promise<CommandOutcome>;
  close(): Promise<void>;
};

export async function openStepRig(): Promise<StepRig> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "agentflow-exec-")));
  const owner = thisOwner();
  const pipes = await createPipePool(join(folder, "steps", newStepId(owner)));
  const guardian = startGuardian(owner);
  const environment = sharedEnvironment({ base: process.env, listed: {} });
  const tools: CommandTools = { environment, wrapper: [], pipes, guardian, user: null };
  return {
    folder,
    tools,
    async run(command, { signal = new AbortController().signal, wrapper = [], prepare, ...rest } = {}) {
      const directories = openStepDirectories(folder, owner);
      await prepare?.(directories);
      const request = {
        env: {},
        files: {},
        deadlineMs: null,
        marker: "run_1",
        ...rest,
        command,
        directories,
      };
      const outcome = await runCommand(request, signal, { ...tools, wrapper });
      await removeStepDirectories(directories);
      return outcome;
    },
    async close() {
      await guardian.close();
      await pipes.close();
      await removeTree(folder);
    },
  };
}

export function textOf(outcome: CommandOutcome): string {
  return "stdout" in outcome ? Buffer.from(outcome.stdout).toString() : `(${outcome.kind})`;
}

let sleeps = 0;

/** A `sleep` of a day whose command line no other process has: what to look for when asking who survived. */
export function uniqueSleep(): string {
  sleeps += 1;
  return `sleep 86400.${process.pid}${String(sleeps).padStart(4, "0")}`;
}

/** Pids whose command line contains the text; zombies have none. Deliberately not the code under test. */
export async function running(text: string): Promise<number[]> {
  const pids: number[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const line = await readFile(`/proc/${name}/cmdline`, "latin1").catch(() => "");
    if (line.replaceAll("\0", " ").includes(text)) pids.push(Number(name));
  }
  return pids;
}

/** Waits until the check holds; fails with the sentence after 20 s. */
export async function until(what: string, check: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error(`Waited in vain until ${what}.`);
    await delay(10);
  }
}
