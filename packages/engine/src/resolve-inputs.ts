import { inputType, ownEntry, pinText } from "@agentflow/core";
import type { Ir, NodeDefinition, NodeRegistry, SlotValues } from "@agentflow/core";
import type { FlowPlan } from "./plan.ts";

/**
 * Input values of a node by slot: wired value, else the literal pin, else blank (F-21). `given` is the frame's or the
 * run's own value for a `flow.input` or `provide.*` node; it replaces the pin.
 */
export function resolveInputs(
  plan: FlowPlan,
  id: string,
  wired: ReadonlyMap<string, string>,
  given: string | undefined,
): SlotValues {
  const inputs = new Map<string, string>();
  for (const [slot, literal] of plan.literals(id)) inputs.set(slot, wired.get(slot) ?? literal);
  if (given !== undefined) inputs.set("value", given);
  return inputs;
}

/** The input slots of a node with their literal pins, blank where there is none: the same for every visit. */
export function literalsOf(
  ir: Ir,
  registry: NodeRegistry,
  id: string,
  definition: NodeDefinition,
): readonly (readonly [slot: string, literal: string])[] {
  const node = ownEntry(ir.nodes, id);
  if (!node) throw new Error(`no node ${id}`);
  const called = ownEntry(ir.subflows, ownEntry(node.attributes, "subflow") ?? "");
  const slots = [
    ...Object.keys(definition.inputs),
    ...Object.keys(node.inputs),
    ...(called ? Object.keys(called.inputs) : []),
  ];
  return slots.map((slot) => {
    const pin = ownEntry(node.pins, slot);
    return [slot, pin ? pinText(inputType(ir, registry, id, slot) ?? "text", pin) : ""];
  });
}
