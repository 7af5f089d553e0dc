import { readFileSync, readdirSync } from "node:fs";

/** Pids of living processes that carry the mark of a step of the run in their environment. */
export function stepProcesses(runId: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && isStepOf(pid, runId));
}

function isStepOf(pid: number, runId: string): boolean {
  try {
    return (
      readFileSync(`/proc/${pid}/environ`, "latin1").includes(`AGENTFLOW_STEP=${runId}_`) && !isZombie(pid)
    );
  } catch {
    // Gone, or another user's.
    return false;
  }
}

function isZombie(pid: number): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
}
