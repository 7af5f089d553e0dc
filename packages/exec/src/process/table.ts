import { readFileSync, readdirSync } from "node:fs";

/** What the kernel says about one process. `startTicks` tells two uses of one pid apart. */
export type ProcessStat = {
  readonly pid: number;
  /** One letter: Z and X are dead already, whatever `kill(pid, 0)` says. */
  readonly state: string;
  readonly group: number;
  readonly startTicks: string;
};

/** Pids of all processes in sight; empty where there is no /proc. Reads of /proc never wait for a disk, hence synchronous. */
export function listPids(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** Null when the process is gone or there is no /proc. */
export function readStat(pid: number): ProcessStat | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return null;
  }
  // The second field is the command in parentheses and may hold spaces and parentheses itself.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, , group] = fields;
  const startTicks = fields[19];
  if (state === undefined || group === undefined || startTicks === undefined) return null;
  return { pid, state, group: Number(group), startTicks };
}

export function isDead(stat: ProcessStat | null): boolean {
  return stat === null || stat.state === "Z" || stat.state === "X";
}

/** Value of a variable a process was started with; null when unset, unreadable (another user's) or gone. */
export function readVariable(pid: number, name: string): string | null {
  let environ: Buffer;
  try {
    environ = readFileSync(`/proc/${pid}/environ`);
  } catch {
    return null;
  }
  const prefix = Buffer.from(`${name}=`);
  for (let at = environ.indexOf(prefix); at >= 0; at = environ.indexOf(prefix, at + 1)) {
    if (at > 0 && environ[at - 1] !== 0) continue;
    const end = environ.indexOf(0, at);
    return environ.toString("utf8", at + prefix.length, end < 0 ? environ.length : end);
  }
  return null;
}

/** Whether pids were handed out in rising order since `pid` was: then everything started later has a higher one. */
export function pidsRoseSince(pid: number): boolean {
  try {
    return Number(readFileSync("/proc/loadavg", "latin1").trimEnd().split(" ").at(-1)) >= pid;
  } catch {
    return false;
  }
}
