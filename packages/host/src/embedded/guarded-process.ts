import { spawn, spawnSync, type ChildProcess, type StdioOptions } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { commandPath } from "../config.ts";
import type { SystemUser } from "./system-user.ts";

/** The full path of a program on the search path, null when there is none. */
export function findProgram(name: string): string | null {
  for (const folder of commandPath().split(delimiter)) {
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      continue;
    }
  }
  return null;
}

export type GuardedOptions = {
  /** Whom to run as, null: as this process. */
  user: SystemUser | null;
  /** Sent by the kernel when the thread that started the child ends, however it ends (Linux). */
  deathSignal: "INT" | "TERM" | "KILL";
  stdio: StdioOptions;
};

/**
 * Starts a program in a session of its own, so that Ctrl-C does not reach it, without privileges it does not need, and, on
 * Linux, such that it does not outlive this process. Elsewhere the next owner adopts what was left.
 */
export function spawnGuarded(
  command: string,
  args: string[],
  { user, deathSignal, stdio }: GuardedOptions,
): ChildProcess {
  const base = { cwd: "/", detached: true, stdio, env: { PATH: commandPath(), LC_ALL: "C" } };
  const setpriv = findDeathSignalSetter();
  if (setpriv === null)
    return spawn(command, args, {
      ...base,
      ...(user === null ? {} : { uid: user.uid, gid: user.gid }),
    });
  const drop =
    user === null ? [] : ["--reuid", String(user.uid), "--regid", String(user.gid), "--clear-groups"];
  return spawn(setpriv, [...drop, "--pdeathsig", deathSignal, command, ...args], base);
}

let setter: string | null | undefined;

/** setpriv of util-linux 2.33 or later; the one of busybox does not know --pdeathsig. */
function findDeathSignalSetter(): string | null {
  if (setter !== undefined) return setter;
  const file = process.platform === "linux" ? findProgram("setpriv") : null;
  const works =
    file !== null &&
    spawnSync(file, ["--pdeathsig", "TERM", "true"], { env: { PATH: commandPath() } }).status === 0;
  return (setter = works ? file : null);
}

export type Outcome = { code: number | null; signal: NodeJS.Signals | null };

/** Resolves when the child has ended; rejects when it could not be started. */
export function ended(child: ChildProcess): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
}

/** Runs a short program to its end and returns its exit code and what it wrote to stderr, at most 64 KiB. */
export async function runToEnd(
  command: string,
  args: string[],
  user: SystemUser | null,
): Promise<{ code: number; stderr: string }> {
  const child = spawnGuarded(command, args, {
    user,
    deathSignal: "KILL",
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-65_536)));
  const { code, signal } = await ended(child);
  return { code: code ?? 1, stderr: signal === null ? stderr : `${stderr}ended by ${signal}` };
}
