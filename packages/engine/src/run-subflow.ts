import { frameTuples } from "@agentflow/core";
import type { FrameSegment, SlotReference, SlotValues } from "@agentflow/core";
import { runNestedLoop } from "./nested-loop.ts";
import { runGraph } from "./run-graph.ts";
import { placed } from "./step-context.ts";
import type { StepContext, Stop } from "./step-context.ts";

export type SubflowEnd = { readonly kind: "outputs"; readonly outputs: SlotValues } | Stop;

/**
 * Runs a subflow in a frame of its own with its own copy of the values (F-14), inside its caller's job and deadline.
 * The outputs are the contract's, by name; loops inside run inline (L-20).
 */
export async function runSubflow(
  context: StepContext,
  id: string,
  inputs: SlotValues,
  segment: FrameSegment,
): Promise<SubflowEnd> {
  const subflow = context.plan.version.ir.subflows[id];
  if (!subflow) throw new Error(`no subflow ${id}`);
  const inner = enter(context, id, segment);
  const byNode = new Map(
    Object.entries(subflow.inputs).map(([name, node]) => [node, inputs.get(name) ?? ""]),
  );
  inner.lease.emit(placed(inner, { type: "subflow-start" }));
  const end = await runGraph(
    inner,
    context.plan.subflow(id),
    (node) => byNode.get(node),
    (loop) => runNestedLoop(inner, loop),
  );
  if (end.kind !== "finished") return end;
  const outputs = await readOutputs(Object.entries(subflow.outputs), end.read);
  if (outputs.kind === "outputs") inner.lease.emit(placed(inner, { type: "subflow-done" }));
  return outputs;
}

function enter(context: StepContext, subflow: string, segment: FrameSegment): StepContext {
  const frame = [...context.frame, segment];
  const role = "role" in segment ? { role: segment.role, iteration: segment.iteration } : {};
  // A call inside a Body is still part of that role and iteration.
  const place = { ...context.place, parent: segment.node, subflow, frame: frameTuples(frame), ...role };
  return { ...context, frame, place };
}

async function readOutputs(
  wanted: readonly (readonly [string, SlotReference])[],
  read: (from: SlotReference) => Promise<string | Stop>,
): Promise<SubflowEnd> {
  const outputs = new Map<string, string>();
  for (const [name, from] of wanted) {
    const value = await read(from);
    if (typeof value !== "string") return value;
    outputs.set(name, value);
  }
  return { kind: "outputs", outputs };
}
