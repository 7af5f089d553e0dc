import {
  inputNodeType,
  inputSlotText,
  objectText,
  outputType,
  quote,
  readOperationResult,
  scan,
} from "@agentflow/core";
import type { SlotType, SlotValues } from "@agentflow/core";
import { failed } from "../step-context.ts";
import type { StepContext, Stop } from "../step-context.ts";

/** Exact JSON text of what an operation gave. */
export type OperationEnd = { readonly kind: "result"; readonly text: string } | Stop;

/** A text answer as the result it stands for: JSON is parsed first (OP-2). */
export function resultOf(answer: string): OperationEnd {
  const read = readOperationResult(answer);
  return read.ok ? { kind: "result", text: read.text } : failed(read.failure);
}

/**
 * The text of a slot as exact JSON: json and bool as what they say, of any type what can only be JSON, everything else as text;
 * blank is null (F-21).
 */
export function slotJson(type: SlotType | null, text: string): string {
  if (text.trim() === "") return "null";
  if (type !== "json" && type !== "bool" && type !== "any") return quote(text);
  const scanned = scan(text);
  const isText = type === "any" && scanned.ok && (scanned.kind === "string" || scanned.kind === "number");
  return scanned.ok && !isText ? scanned.text : quote(text);
}

/** The outputs of a subflow as one JSON object, in the order of its contract; `skip` leaves names out. */
export function subflowJson(
  { plan }: StepContext,
  id: string,
  outputs: SlotValues,
  skip: (name: string) => boolean = () => false,
): string {
  const { ir } = plan.version;
  const entries = Object.entries(ir.subflows[id]?.outputs ?? {})
    .filter(([name]) => !skip(name))
    .map(([name, from]) => {
      const type = outputType(ir, plan.registry, from.node, from.slot);
      return [name, slotJson(type, outputs.get(name) ?? "")] as const;
    });
  return objectText(entries);
}

/** Inputs of a subflow from exact JSON texts by name; `given` are slot texts that serve where the values say nothing. */
export function subflowInputs(
  { plan }: StepContext,
  id: string,
  values: ReadonlyMap<string, string>,
  given: ReadonlyMap<string, string>,
): SlotValues {
  const { ir } = plan.version;
  const inputs = new Map<string, string>();
  for (const [name, receiver] of Object.entries(ir.subflows[id]?.inputs ?? {})) {
    const value = values.get(name);
    const text =
      value === undefined ? given.get(name) : inputSlotText(inputNodeType(ir, receiver) ?? "text", value);
    if (text !== undefined) inputs.set(name, text);
  }
  return inputs;
}
