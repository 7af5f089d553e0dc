import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { isDead, readStat } from "./table.ts";

/** The variable every process of a step carries; its value is `<marker>@<step id>`. */
export const STEP_VARIABLE = "AGENTFLOW_STEP";

/** Boot, host and pid namespace: only processes of the same machine room can be judged by their pid. */
function readMachine(): string {
  const parts = [hostname()];
  for (const read of [
    () => readFileSync("/proc/sys/kernel/random/boot_id", "latin1"),
    () => readlinkSync("/proc/self/ns/pid"),
  ]) {
    try {
      parts.push(read());
    } catch {
      parts.push("");
    }
  }
  return createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 8);
}

const machine = readMachine();

function ownerText(pid: number): string {
  return `${machine}.${pid.toString(36)}.${BigInt(readStat(pid)?.startTicks ?? 0).toString(36)}`;
}

/** Names this process among all others, ever, on all hosts: `<machine>.<pid>.<start>`. */
export function thisOwner(): string {
  return ownerText(process.pid);
}

/** A fresh name for one step of this process: `<owner>.<random>`. Short, because TMPDIR is below it and socket paths hold 107 bytes. */
export function newStepId(owner: string): string {
  return `${owner}.${randomBytes(4).toString("hex")}`;
}

/**
 * Whether the worker that a step id names is certainly dead. `elsewhere`: it belongs to another boot, host or container, so its
 * processes are not ours to judge.
 */
export function ownerState(stepId: string): "alive" | "gone" | "elsewhere" {
  const [where, pidText, start] = stepId.split(".");
  const pid = Number.parseInt(pidText ?? "", 36);
  if (where !== machine || !Number.isSafeInteger(pid) || pid <= 0 || start === undefined) return "elsewhere";
  const stat = readStat(pid);
  if (stat !== null)
    return !isDead(stat) && ownerText(pid) === `${where}.${pidText}.${start}` ? "alive" : "gone";
  try {
    process.kill(pid, 0);
    return "alive";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH" ? "gone" : "alive";
  }
}
