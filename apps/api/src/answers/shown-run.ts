import { plannedLoopView, plannedLoopsOf } from "@agentflow/engine";
import type { RunView } from "@agentflow/engine";
import type { ApiDeps } from "../deps.ts";

/**
 * A run as the API shows it; null when there is none. Until a loop of its parent graph begins, the first to come stands in
 * its place, as long as it may still come.
 */
export async function shownRun({ use, reads }: ApiDeps, id: string): Promise<RunView | null> {
  const run = await reads.run(id);
  if (run === null || run.finishedAt !== null || run.loops.some(({ path }) => isOfParentGraph(path)))
    return run;
  const [first] = await plannedLoopsOf(use, id);
  return first === undefined ? run : { ...run, loops: [plannedLoopView(...first), ...run.loops] };
}

/** The path of a loop inside a subflow begins with a frame. */
function isOfParentGraph(path: string): boolean {
  return !path.startsWith("[[");
}
