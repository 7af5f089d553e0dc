import { setTimeout as sleep } from "node:timers/promises";
import type { Leases } from "@agentflow/engine";

/** What a step's process group gets between SIGTERM and SIGKILL when the grace time is over (S-27). */
export const SHUTDOWN_KILL_GRACE_MS = 1000;

/** Killing, handing back and answering the queue need this much more. */
const HAND_BACK_MS = 4000;

/** How long `drain` may take. */
export function drainLimitMs(graceMs: number): number {
  return graceMs + SHUTDOWN_KILL_GRACE_MS + HAND_BACK_MS;
}

/**
 * Lets work in hand finish within the grace time; what is left then is killed and its claims are given back, so that
 * another worker goes on in seconds (S-27). The caller has stopped taking jobs before. Returns how many were cut off.
 */
export async function drain(leases: Leases, graceMs: number): Promise<number> {
  await emptied(leases, graceMs);
  const cutOff = leases.held;
  if (cutOff > 0) {
    leases.shutdown(SHUTDOWN_KILL_GRACE_MS);
    await emptied(leases, SHUTDOWN_KILL_GRACE_MS + HAND_BACK_MS);
  }
  return cutOff;
}

async function emptied(leases: Leases, limitMs: number): Promise<void> {
  const until = performance.now() + limitMs;
  while (leases.held > 0 && performance.now() < until) await sleep(10);
}
