import { setTimeout as delay } from "node:timers/promises";
import { signalGroup } from "./group.ts";
import { ownerState, STEP_VARIABLE } from "./owner.ts";
import { isDead, listPids, pidsRoseSince, readStat, readVariable } from "./table.ts";

type Leftover = { readonly pid: number; readonly group: number };

/** Id of the step that a process belongs to by its mark; null for none. */
export function stepIdOf(pid: number): string | null {
  const value = readVariable(pid, STEP_VARIABLE);
  return value === null ? null : value.slice(value.lastIndexOf("@") + 1);
}

function findLeftovers(pids: readonly number[], isMeant: (stepId: string) => boolean): Leftover[] {
  const own = readStat(process.pid)?.group;
  const found: Leftover[] = [];
  for (const pid of pids) {
    if (pid === process.pid) continue;
    const stepId = stepIdOf(pid);
    if (stepId === null || !isMeant(stepId)) continue;
    const stat = readStat(pid);
    if (stat !== null && !isDead(stat) && stat.group !== own) found.push(stat);
  }
  return found;
}

function killLeftovers(found: readonly Leftover[]): void {
  // A process that carries the mark was started by a step, so the group it is in was made by one.
  for (const group of new Set(found.map((leftover) => leftover.group))) signalGroup(group, "SIGKILL");
}

/**
 * Kills what a step started outside its own group (`setsid`), found by the mark in its environment, until nothing is left. With
 * `leader`, only processes started after it are looked at, which costs a tenth of a millisecond. Does nothing without /proc.
 */
export async function killEscaped(stepId: string, leader: number | null): Promise<void> {
  for (;;) {
    const all = listPids();
    const pids = leader !== null && pidsRoseSince(leader) ? all.filter((pid) => pid > leader) : all;
    const found = findLeftovers(pids, (id) => id === stepId);
    if (found.length === 0) return;
    killLeftovers(found);
    await delay(5);
  }
}

/**
 * At boot: kills every process left over from a step whose worker is dead, and its group; steps of live workers, of other hosts and
 * of other containers are left alone. Returns the pids found. Does nothing without /proc.
 */
export function reapOrphans(): number[] {
  const found = findLeftovers(listPids(), (id) => ownerState(id) === "gone");
  killLeftovers(found);
  return found.map((leftover) => leftover.pid);
}
