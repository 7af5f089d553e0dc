import type { NodeRegistry } from "../nodes/registry.ts";
import { inputSlotText } from "./inputs.ts";
import { ownEntry } from "./ir.ts";
import type { Ir, LiteralPin, SlotReference } from "./ir.ts";
import { pinText } from "./pins.ts";
import { inputType } from "./slots.ts";

/**
 * Text of an input slot as far as it stands in the flow and the run's inputs: a written pin, or a provide node wired directly
 * (`source`). Null when only execution can tell.
 */
export function authoredText(
  ir: Ir,
  registry: NodeRegistry,
  at: SlotReference,
  source: SlotReference | undefined,
  inputs: ReadonlyMap<string, string> = new Map(),
): string | null {
  const pin = ownEntry(ownEntry(ir.nodes, at.node)?.pins ?? {}, at.slot);
  if (pin) return "file" in pin ? null : pinText(inputType(ir, registry, at.node, at.slot) ?? "text", pin);
  const provider = source && ownEntry(ir.nodes, source.node);
  const definition = provider && registry.find(provider.definition);
  const slot = definition?.type.startsWith("provide.") ? definition.inputs["value"] : undefined;
  if (!source || !provider || !slot) return null;
  const given = inputs.get(source.node);
  if (given !== undefined) return inputSlotText(slot.type, given);
  const value = ownEntry(provider.pins, "value");
  if (!value) return "";
  return "file" in value ? null : pinText(slot.type, value);
}

/** As `authoredText`, but undefined for a slot that nobody fills: neither wired nor written, or written `null`. */
export function settingText(
  ir: Ir,
  registry: NodeRegistry,
  at: SlotReference,
  source: SlotReference | undefined,
  inputs?: ReadonlyMap<string, string>,
): string | null | undefined {
  const pin = ownEntry(ownEntry(ir.nodes, at.node)?.pins ?? {}, at.slot);
  if (!source && (pin === undefined || isNull(pin))) return undefined;
  return authoredText(ir, registry, at, source, inputs);
}

/** Whether a pin is written as `null`: no value (F-7). */
export function isNull(pin: LiteralPin): boolean {
  return "json" in pin && pin.json.trim() === "null";
}
