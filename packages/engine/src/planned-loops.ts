import { loopKey, members, plannedLoops } from "@agentflow/core";
import type { PlannedLoop } from "@agentflow/core";
import type { LoopView } from "./ports/reads.ts";
import type { RequestDeps } from "./request-deps.ts";

/**
 * The loops of a run's parent graph as they will begin, in execution order, by stored path (3.4: before iteration 1 the state
 * is the captured initial one). Empty for a run that is not there or needs none of them any more.
 */
export async function plannedLoopsOf(
  deps: Pick<RequestDeps, "store" | "registry">,
  runId: string,
): Promise<ReadonlyMap<string, PlannedLoop>> {
  const head = await deps.store.runHead(runId);
  if (!head || head.status === "succeeded") return new Map();
  const version = await deps.store.flowVersionById(head.flowVersionId);
  if (!version) return new Map();
  const loops = plannedLoops(version.ir, deps.registry, members(head.inputs));
  return new Map(loops.map((loop) => [loopKey({ frame: [], node: loop.node }), loop]));
}

/** A planned loop as it is shown beside a run, until its checkpoint takes its place. */
export function plannedLoopView(path: string, loop: PlannedLoop): LoopView {
  const { label, maxIterations, timeoutMs } = loop;
  return {
    path,
    label,
    status: "running",
    epoch: 0,
    decision: null,
    iterations: 0,
    nextIteration: 1,
    maxIterations,
    timeoutMs,
    elapsedMs: 0,
    summary: "",
    fingerprint: "",
    usage: { inputTokens: 0, outputTokens: 0 },
    recent: [],
  };
}
