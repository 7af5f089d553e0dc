import { compareEdges, compareText, defaultRegistry } from "@agentflow/core";
import type { Ir, NodeRegistry } from "@agentflow/core";
import { parseFlow } from "./parse/parse-flow.ts";
import { printFlow } from "./print/print-flow.ts";

/**
 * Whether printing the IR and reading the text gives the IR again (F-18): the same nodes and subflows in the same order,
 * with the same edges. Files of the bundle are not looked at. What is false here must not be saved as text.
 */
export function roundTrips(ir: Ir, registry: NodeRegistry = defaultRegistry): boolean {
  const { ir: again } = parseFlow({ text: printFlow(ir, registry), files: { has: () => true }, registry });
  return again !== null && JSON.stringify(ordered(again)) === JSON.stringify(ordered(ir));
}

/** The IR with everything that has no order of its own sorted. */
function ordered(ir: Ir): unknown {
  const nodes = Object.entries(ir.nodes).map(([id, { pins, inputs, attributes, outputs, ...node }]) => {
    return [id, byName(node), byName(pins), byName(inputs), byName(attributes), Object.entries(outputs)];
  });
  const subflows = Object.entries(ir.subflows).map(([id, { label, inputs, outputs, roots, members }]) => {
    const given = Object.entries(outputs).map(([name, { node, slot }]) => [name, node, slot]);
    return [id, label, Object.entries(inputs), given, roots, [...members].sort(compareText)];
  });
  const edges = [...ir.edges]
    .sort(compareEdges)
    .map(({ from, to }) => [from.node, from.slot, to.node, to.slot]);
  return [nodes, edges, subflows, ir.run && [ir.run.id, ir.run.label, ir.run.roots]];
}

function byName(record: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
  return Object.entries(record).sort(([a], [b]) => compareText(a, b));
}
