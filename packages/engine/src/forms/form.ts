import { failure, loopOutputs, loopSources, readLoopConfig, readMaxIterations } from "@agentflow/core";
import type {
  Checkpoint,
  HistoryEntry,
  LimitCaps,
  LoopConfigResult,
  LoopFormKind,
  SlotValues,
} from "@agentflow/core";
import type { LoopVisit } from "../run-graph.ts";
import type { StepContext } from "../step-context.ts";
import { repeatOutputs, repeatStart } from "./repeat.ts";

/** What a loop is admitted with (L-6 to L-10): its form says what its limits default to and where the first state comes from. */
export function readConfig(context: StepContext, visit: LoopVisit, caps: LimitCaps): LoopConfigResult {
  const kind = kindOf(context, visit.id);
  const slot = (name: string): string => visit.inputs.get(name) ?? "";
  const iterations = readMaxIterations(kind, slot("maxIterations"), caps);
  if (!iterations.ok) return { ok: false, failure: failure("config_invalid", iterations.message) };
  const maxIterations = String(iterations.value);
  const admitted = { ...caps, maxIterations: iterations.value };
  if (kind !== "repeat")
    return readLoopConfig({ state: slot("state"), maxIterations, timeout: slot("timeout") }, admitted);
  const start = repeatStart(context, visit.id, visit.inputs);
  if (!start.ok) return start;
  return readLoopConfig({ state: start.start.state, maxIterations, timeout: slot("timeout") }, admitted);
}

/** The output slots of a loop that ended well: those of every form (1.2, O-6), and its own, which win. */
export function formOutputs(
  context: StepContext,
  visit: LoopVisit,
  checkpoint: Checkpoint,
  history: readonly HistoryEntry[],
): SlotValues {
  const outputs = loopOutputs(checkpoint, history);
  if (kindOf(context, visit.id) !== "repeat") return outputs;
  return new Map([...outputs, ...repeatOutputs(context, visit.id, visit.inputs, checkpoint)]);
}

function kindOf({ plan }: StepContext, id: string): LoopFormKind {
  return loopSources(plan.version.ir.nodes[id]!)[0] ?? "script";
}
