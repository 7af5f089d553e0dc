import { REPEAT } from "../loop/form.ts";
import { repeatOutputTypes } from "../loop/repeat-keys.ts";
import type { NodeDefinition } from "../nodes/definition.ts";
import type { NodeRegistry } from "../nodes/registry.ts";
import { ownEntry, slotTypes } from "./ir.ts";
import type { Ir, IrNode, IrSubflow, SlotReference, SlotType } from "./ir.ts";
import { pinText } from "./pins.ts";

/** Type of an input slot of a node, or null when the node has no such slot (D09). `prev` is control. */
export function inputType(ir: Ir, registry: NodeRegistry, id: string, slot: string): SlotType | null {
  const found = nodeAndDefinition(ir, registry, id);
  if (!found) return null;
  const { node, definition } = found;
  if (slot === "prev") return definition.control ? "node" : null;
  const called = calledSubflow(ir, node);
  if (called) {
    const receiver = ownEntry(called.inputs, slot);
    return receiver === undefined ? null : inputNodeType(ir, receiver);
  }
  return ownEntry(definition.inputs, slot)?.type ?? ownEntry(node.inputs, slot) ?? null;
}

/** Type of an output slot of a node, or null when the node has no such slot (D11). Exits are control. */
export function outputType(ir: Ir, registry: NodeRegistry, id: string, slot: string): SlotType | null {
  const seen = new Set<string>();
  let at: SlotReference = { node: id, slot };
  while (!seen.has(at.node)) {
    seen.add(at.node);
    const given = outputGiver(ir, registry, at);
    if (given === null || typeof given === "string") return given;
    at = given;
  }
  return null;
}

/** Type of an output slot, or for a call the inner slot it has its value and type from; null when there is no such slot. */
export function outputGiver(
  ir: Ir,
  registry: NodeRegistry,
  at: SlotReference,
): SlotType | SlotReference | null {
  const found = nodeAndDefinition(ir, registry, at.node);
  if (!found) return null;
  const { node, definition } = found;
  if (definition.exits.includes(at.slot)) return "node";
  if (definition.type === "flow.input" && at.slot === "value") return inputNodeType(ir, at.node);
  const called = calledSubflow(ir, node);
  if (called) return ownEntry(called.outputs, at.slot) ?? null;
  return (
    ownEntry(keyedOutputs(node), at.slot) ??
    ownEntry(definition.outputs, at.slot)?.type ??
    ownEntry(node.outputs, at.slot) ??
    null
  );
}

/** Outputs that go by a written name: those of a repeat by its `outputKey`. Where a fixed one has the same name, they win. */
export function keyedOutputs(node: IrNode): Readonly<Record<string, SlotType>> {
  if (node.definition !== REPEAT) return {};
  const pin = ownEntry(node.pins, "outputKey");
  return repeatOutputTypes(pin ? pinText("text", pin) : "");
}

/** Declared type of a `flow.input` node; text when it says none, null when it names no type of values (D28). */
export function inputNodeType(ir: Ir, id: string): SlotType | null {
  const node = ownEntry(ir.nodes, id);
  const declared = (node && ownEntry(node.attributes, "type")) ?? "text";
  return slotTypes.find((type) => type === declared && type !== "node") ?? null;
}

/** The subflow a call runs, or undefined when the node is no call or names none (D25). */
export function calledSubflow(ir: Ir, node: IrNode): IrSubflow | undefined {
  const name = node.definition === "flow.call" ? ownEntry(node.attributes, "subflow") : undefined;
  return name === undefined ? undefined : ownEntry(ir.subflows, name);
}

function nodeAndDefinition(
  ir: Ir,
  registry: NodeRegistry,
  id: string,
): { node: IrNode; definition: NodeDefinition } | null {
  const node = ownEntry(ir.nodes, id);
  const definition = node && registry.find(node.definition);
  return node && definition ? { node, definition } : null;
}
