import { stepIdOf } from "./leftovers.ts";
import { isDead, listPids, readStat } from "./table.ts";

/**
 * Whether anybody but its leader lives in a group, or carries the mark of its step elsewhere. One look through /proc, about a
 * millisecond; without /proc the answer is yes.
 */
export function hasCompany(leader: number, stepId: string): boolean {
  const pids = listPids();
  return (
    pids.length === 0 ||
    pids.some((pid) => {
      if (pid === leader) return false;
      const stat = readStat(pid);
      if (stat === null || isDead(stat)) return false;
      return stat.group === leader || stepIdOf(pid) === stepId;
    })
  );
}
