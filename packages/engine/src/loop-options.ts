import { DEFAULT_LOOP_OPTIONS, LOOP_OPTIONS, ownEntry, readLoopOptions } from "@agentflow/core";
import type { LoopOptionsResult } from "@agentflow/core";
import type { LoopVisit } from "./run-graph.ts";
import type { StepContext } from "./step-context.ts";

const DEFAULTS: LoopOptionsResult = { ok: true, options: DEFAULT_LOOP_OPTIONS };

/** The options of a loop from its slots (4.1). Read for each iteration: the slots are the same for all of them (L-21). */
export function optionsOf(context: StepContext, visit: LoopVisit): LoopOptionsResult {
  const node = context.plan.version.ir.nodes[visit.id]!;
  const isOperation = ownEntry(node.attributes, "operation") !== undefined;
  const texts = filledSlots(context, visit, LOOP_OPTIONS);
  if (texts.size === 0 && !isOperation) return DEFAULTS;
  const read = readLoopOptions(texts, isOperation ? "stop" : "fail");
  return read.ok ? read : { ok: false, failure: { ...read.failure, node: visit.id } };
}

/** Texts of those slots that the author wrote or wired: blank is not the same as left out (O-5, R-2). */
export function filledSlots(
  { plan }: StepContext,
  visit: LoopVisit,
  slots: Iterable<string>,
): ReadonlyMap<string, string> {
  const { pins } = plan.version.ir.nodes[visit.id]!;
  const filled = new Map<string, string>();
  for (const slot of slots)
    if (visit.parts.has(slot) || ownEntry(pins, slot) !== undefined)
      filled.set(slot, visit.inputs.get(slot) ?? "");
  return filled;
}
