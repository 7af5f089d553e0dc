import type { NodeDefinition } from "../nodes/definition.ts";
import type { NodeRegistry } from "../nodes/registry.ts";
import type { Ir, IrNode, SlotType } from "./ir.ts";
import { slotTypes } from "./ir.ts";

/** Type of an input slot of a node, or null when the node has no such slot (D09). `prev` is control. */
export function inputType(ir: Ir, registry: NodeRegistry, id: string, slot: string): SlotType | null {
  const found = nodeAndDefinition(ir, registry, id);
  if (!found) return null;
  const { node, definition } = found;
  if (slot === "prev") return definition.control ? "node" : null;
  const called = calledSubflow(ir, node);
  if (called) return slot in called.inputs ? inputNodeType(ir, called.inputs[slot] ?? "") : null;
  return definition.inputs[slot]?.type ?? node.inputs[slot] ?? null;
}

/** Type of an output slot of a node, or null when the node has no such slot (D11). Exits are control. */
export function outputType(ir: Ir, registry: NodeRegistry, id: string, slot: string): SlotType | null {
  return outputTypeOf(ir, registry, id, slot, new Set());
}

function outputTypeOf(
  ir: Ir,
  registry: NodeRegistry,
  id: string,
  slot: string,
  seen: Set<string>,
): SlotType | null {
  const found = nodeAndDefinition(ir, registry, id);
  if (!found || seen.has(id)) return null;
  const { node, definition } = found;
  if (definition.exits.includes(slot)) return "node";
  if (definition.type === "flow.input" && slot === "value") return inputNodeType(ir, id);
  const called = calledSubflow(ir, node);
  if (called) {
    const source = Object.hasOwn(called.outputs, slot) ? called.outputs[slot] : undefined;
    return source ? outputTypeOf(ir, registry, source.node, source.slot, new Set([...seen, id])) : null;
  }
  return definition.outputs[slot]?.type ?? node.outputs[slot] ?? null;
}

function nodeAndDefinition(
  ir: Ir,
  registry: NodeRegistry,
  id: string,
): { node: IrNode; definition: NodeDefinition } | null {
  const node = Object.hasOwn(ir.nodes, id) ? ir.nodes[id] : undefined;
  const definition = node && registry.find(node.definition);
  return node && definition ? { node, definition } : null;
}

function calledSubflow(ir: Ir, node: IrNode) {
  const name = node.definition === "flow.call" ? node.attributes["subflow"] : undefined;
  return name !== undefined && Object.hasOwn(ir.subflows, name) ? ir.subflows[name] : undefined;
}

/** Declared type of a `flow.input` node; text when it says none, null when it names no type (D28). */
export function inputNodeType(ir: Ir, id: string): SlotType | null {
  const declared = (Object.hasOwn(ir.nodes, id) ? ir.nodes[id] : undefined)?.attributes["type"] ?? "text";
  return slotTypes.find((type) => type === declared) ?? null;
}
