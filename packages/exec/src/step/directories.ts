import { mkdirSync, readdirSync, rmdirSync, unlinkSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { StepDirectories } from "@agentflow/engine";
import { removeTree } from "../remove-tree.ts";
import { newStepId, ownerState } from "../process/owner.ts";
import { giveTo, type StepUser } from "./step-user.ts";

/** A folder of another host's or container's worker is taken for forgotten after this long; no step lasts as long. */
const FOREIGN_KEPT_MS = 30 * 24 * 60 * 60 * 1000;

const stepsFolder = (dataDir: string): string => join(dataDir, "steps");

/**
 * Makes the fresh, private folders of one attempt below `<dataDir>/steps` (F-22, S-20). Their root is named by the step id. Made and
 * removed synchronously: five such calls take 0.1 ms on a local disk, and one millisecond by way of the thread pool. They belong to
 * `user`, or to the worker's own.
 */
export function openStepDirectories(
  dataDir: string,
  owner: string,
  user: StepUser | null = null,
): StepDirectories {
  const root = join(stepsFolder(dataDir), newStepId(owner));
  const cwd = join(root, "cwd");
  const directories = {
    root,
    cwd,
    tmp: join(cwd, "tmp"),
    outputs: join(cwd, "outputs"),
    in: join(root, "in"),
  };
  mkdirSync(root, { recursive: true, mode: 0o700 });
  for (const folder of [cwd, directories.tmp, directories.outputs, directories.in])
    mkdirSync(folder, { mode: 0o700 });
  giveTo(user, root, cwd, directories.tmp, directories.outputs, directories.in);
  return directories;
}

/** Removes the folders of one attempt, also when the step took its own permissions away. What cannot be removed is left to `sweepStepDirectories`. */
export async function removeStepDirectories(directories: StepDirectories): Promise<void> {
  if (removeEmpty(directories)) return;
  await removeTree(directories.root).catch(() => {});
}

/** The usual case: the step left nothing behind. */
function removeEmpty({ root, cwd, tmp, outputs, in: inputs }: StepDirectories): boolean {
  try {
    for (const name of readdirSync(inputs)) unlinkSync(join(inputs, name));
    for (const folder of [inputs, tmp, outputs, cwd, root]) rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

/** At boot: removes folders whose worker is dead. Returns how many. */
export async function sweepStepDirectories(dataDir: string): Promise<number> {
  const names = await readdir(stepsFolder(dataDir)).catch(() => []);
  let removed = 0;
  for (const name of names) {
    const folder = join(stepsFolder(dataDir), name);
    const state = ownerState(name);
    if (state === "alive" || (state === "elsewhere" && !(await isForgotten(folder)))) continue;
    await removeTree(folder).catch(() => {});
    removed += 1;
  }
  return removed;
}

async function isForgotten(folder: string): Promise<boolean> {
  const stat = await lstat(folder).catch(() => null);
  return stat !== null && Date.now() - stat.mtimeMs > FOREIGN_KEPT_MS;
}
