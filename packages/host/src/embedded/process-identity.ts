import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { commandPath } from "../config.ts";

/** Whether a process of this number exists, whoever it belongs to. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Sends a signal; a process that is gone is no error. */
export function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** A text that no other process has, also none that gets the same number later or after a reboot; null: no such process. */
export function processIdentity(pid: number): string | null {
  if (!isAlive(pid)) return null;
  if (process.platform !== "linux") return `${pid} ${ps(pid, "lstart=")}`;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may contain anything; after it come the state and, 19 fields on, the start time.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state, startedAt] = [fields[0], fields[19]];
    // A dead process that nobody has reaped yet, as below a container's first process for ever, does nothing any more.
    if (state === "Z" || state === "X") return null;
    return `${pid} ${startedAt} ${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}`;
  } catch {
    return null;
  }
}

/** The command line of a process, empty when it is gone or already dead. */
export function commandLineOf(pid: number): string {
  if (process.platform !== "linux") return ps(pid, "command=");
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

function ps(pid: number, column: string): string {
  const { stdout } = spawnSync("ps", ["-ww", "-o", column, "-p", String(pid)], {
    env: { PATH: commandPath() },
    encoding: "utf8",
  });
  return (stdout ?? "").trim();
}
