import type { Ir, NodeRegistry } from "@agentflow/core";
import { keyedOutputs, ownEntry } from "@agentflow/core";

export type Size = { readonly width: number; readonly height: number };

const WIDTH = 240;
const HEADER = 56;
const ROW = 24;

/** Pixels of a node's card: a header and one row for each pair of slots besides control. */
export function nodeSize(ir: Ir, registry: NodeRegistry, id: string): Size {
  const node = ownEntry(ir.nodes, id);
  const definition = node && registry.find(node.definition);
  const called = ownEntry(ir.subflows, ownEntry(node?.attributes ?? {}, "subflow") ?? "");
  const inputs = new Set(keys(definition?.inputs, node?.inputs, called?.inputs));
  const outputs = new Set(
    keys(definition?.outputs, node?.outputs, called?.outputs, node && keyedOutputs(node)),
  );
  return { width: WIDTH, height: HEADER + ROW * Math.max(1, inputs.size, outputs.size) };
}

function keys(...records: readonly (object | undefined)[]): readonly string[] {
  return records.flatMap((record) => Object.keys(record ?? {}));
}
