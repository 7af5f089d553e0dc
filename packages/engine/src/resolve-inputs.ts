import { inputType, ownEntry, pinText } from "@agentflow/core";
import type { SlotValues } from "@agentflow/core";
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
  const { ir } = plan.version;
  const node = ownEntry(ir.nodes, id);
  if (!node) throw new Error(`no node ${id}`);
  const called = ownEntry(ir.subflows, ownEntry(node.attributes, "subflow") ?? "");
  const slots = [
    ...Object.keys(plan.definition(id).inputs),
    ...Object.keys(node.inputs),
    ...(called ? Object.keys(called.inputs) : []),
  ];
  const inputs = new Map<string, string>();
  for (const slot of slots) {
    const pin = ownEntry(node.pins, slot);
    const literal = pin ? pinText(inputType(ir, plan.registry, id, slot) ?? "text", pin) : "";
    inputs.set(slot, wired.get(slot) ?? literal);
  }
  if (given !== undefined) inputs.set("value", given);
  return inputs;
}
