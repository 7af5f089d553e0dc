import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

/** The user of the machine that steps run as. */
export type StepUser = {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
};

/**
 * The user that AGENTFLOW_STEP_USER names; null when it is blank: steps run as the worker then. Throws a sentence for the operator
 * when this process may not become another user, or there is no such user (S-20).
 */
export function findStepUser(name: string, passwd = "/etc/passwd"): StepUser | null {
  if (name === "") return null;
  if (process.getuid?.() !== 0)
    throw new Error(
      `AGENTFLOW_STEP_USER is ${JSON.stringify(name)}, but only a worker that runs as root can run steps as another user; leave it out.`,
    );
  const user = readUsers(passwd).find((candidate) => candidate.name === name);
  if (user === undefined)
    throw new Error(`AGENTFLOW_STEP_USER names ${JSON.stringify(name)}, which is no user in ${passwd}.`);
  if (user.uid === 0)
    throw new Error(
      `AGENTFLOW_STEP_USER names ${JSON.stringify(name)}, which is root itself; name a user without rights.`,
    );
  return user;
}

function readUsers(passwd: string): StepUser[] {
  const lines = readFileSync(passwd, "utf8").split("\n");
  return lines.flatMap((line) => {
    const [name, , uid, gid, , home] = line.split(":");
    if (name === undefined || uid === undefined || gid === undefined) return [];
    return [{ name, uid: Number(uid), gid: Number(gid), home: home ?? "/" }];
  });
}

/**
 * Lets the user pass through the folders that hold steps and bundles, but list none, and asks the system whether it can reach them
 * and this Node. Throws a sentence for the operator when it cannot.
 */
export function admitStepUser(user: StepUser | null, folders: readonly string[]): void {
  if (user === null) return;
  for (const folder of folders) chmodSync(folder, 0o711);
  const places = [...folders, dirname(process.execPath)];
  const closed = places.find((place) => !canEnter(user, place));
  if (closed !== undefined)
    throw new Error(
      `AGENTFLOW_STEP_USER: ${user.name} cannot enter ${closed}; open the way there (chmod o+x) or choose another AGENTFLOW_DATA_DIR.`,
    );
}

function canEnter({ uid, gid }: StepUser, folder: string): boolean {
  const asked = spawnSync("/bin/sh", ["-c", 'cd "$1"', "sh", folder], { cwd: "/", uid, gid, env: {} });
  return asked.status === 0;
}

/** Gives files and folders of a step to its user; they stay closed to all others. */
export function giveTo(user: StepUser | null, ...paths: readonly string[]): void {
  if (user !== null) for (const path of paths) chownSync(path, user.uid, user.gid);
}

/** What `spawn` needs to start a process as the user. */
export function identityOf(user: StepUser | null): { readonly uid?: number; readonly gid?: number } {
  return user === null ? {} : { uid: user.uid, gid: user.gid };
}
