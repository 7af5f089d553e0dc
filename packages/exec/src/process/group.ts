import { setTimeout as delay } from "node:timers/promises";
import { isDead, listPids, readStat } from "./table.ts";

const POLL_MS = 10;
/** A look through /proc costs about a millisecond: the 1st, 2nd, 4th, 8th … poll pays for one, later every 32nd. */
const MAX_POLLS_PER_LOOK = 32;

/** Sends a signal to every process of a group; a group that is gone already is fine. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch (error) {
    if (!isNoTarget(error)) throw error;
  }
}

/** EPERM: what is left changed its user (or, on macOS, is a zombie): out of our reach either way. */
function isNoTarget(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ESRCH" || code === "EPERM";
}

/** Whether the kernel knows nobody in the group any more. A zombie counts as somebody: see `onlyZombiesLeft`. */
function isEmpty(group: number): boolean {
  try {
    process.kill(-group, 0);
    return false;
  } catch (error) {
    return isNoTarget(error);
  }
}

/** Orphans that nobody reaps (a PID 1 that is no init) stay in their group for ever; they run nothing, so the group is over. */
function onlyZombiesLeft(group: number): boolean {
  const pids = listPids();
  return (
    pids.length > 0 &&
    pids.every((pid) => {
      const stat = readStat(pid);
      return stat === null || stat.group !== group || isDead(stat);
    })
  );
}

/** True when no process of the group runs any more, zombies left aside (L-29). */
export function groupIsGone(group: number): boolean {
  return isEmpty(group) || onlyZombiesLeft(group);
}

function isLook(polls: number): boolean {
  return polls > 0 && (polls % MAX_POLLS_PER_LOOK === 0 || (polls & (polls - 1)) === 0);
}

/** Waits until the group is gone or `until` says stop; returns whether it is gone. */
async function waitForGroup(group: number, until: () => boolean): Promise<boolean> {
  for (let polls = 0; ; polls += 1) {
    if (isEmpty(group) || (isLook(polls) && onlyZombiesLeft(group))) return true;
    if (until()) return false;
    await delay(POLL_MS);
  }
}

/** SIGKILL at once; resolves when the group is gone. */
export async function killGroup(group: number): Promise<void> {
  signalGroup(group, "SIGKILL");
  await waitForGroup(group, () => false);
}

/** SIGTERM, `graceMs()` later SIGKILL (asked again at every poll, so it may shrink meanwhile); resolves when the group is gone (L-29). */
export async function endGroup(group: number, graceMs: () => number): Promise<void> {
  const startedAt = performance.now();
  signalGroup(group, "SIGTERM");
  // A stopped process acts on no signal but SIGKILL until it is woken.
  signalGroup(group, "SIGCONT");
  if (await waitForGroup(group, () => performance.now() - startedAt >= graceMs())) return;
  await killGroup(group);
}
