import { compareEdges, compareText, defaultRegistry, operationText, readOperation } from "@agentflow/core";
import type { Ir, NodeRegistry } from "@agentflow/core";
import { parseFlow } from "./parse/parse-flow.ts";
import { printFlow } from "./print/print-flow.ts";

export type RoundTrip =
  /** `text` is the flow file of the IR. */
  | { readonly ok: true; readonly text: string }
  /** What of the IR no flow file says, and what to do about it. */
  | { readonly ok: false; readonly node: string | null; readonly message: string };

/**
 * The flow file of an IR, if reading it gives the IR again (F-18): the same nodes and subflows in the same order, with the
 * same edges. Files of the bundle are not looked at. Whoever saves a flow as text calls this, and refuses what is not ok.
 */
export function roundTrip(ir: Ir, registry: NodeRegistry = defaultRegistry): RoundTrip {
  const text = printFlow(ir, registry);
  const { ir: again } = parseFlow({ text, files: { has: () => true }, registry });
  if (again === null) return refused(null, "The flow");
  const wanted = pieces(ir);
  const found = pieces(again);
  for (const [key, { what, node, value }] of wanted) {
    if (found.get(key)?.value !== value) return refused(node, what);
  }
  const added = [...found].find(([key]) => !wanted.has(key));
  if (added) return refused(added[1].node, added[1].what);
  return [...wanted.keys()].join("\n") === [...found.keys()].join("\n")
    ? { ok: true, text }
    : refused(null, "The order of the flow");
}

function refused(node: string | null, what: string): RoundTrip {
  const mend = "it would come back as something else. Change it to what a flow file can say, or remove it.";
  return { ok: false, node, message: `${what} cannot be written as a flow file: ${mend}` };
}

type Piece = { readonly what: string; readonly node: string | null; readonly value: string };

/** An IR in pieces that are equal when they mean the same, in the order that counts; what has no order of its own sorted. */
function pieces(ir: Ir): ReadonlyMap<string, Piece> {
  const all = new Map<string, Piece>();
  const put = (key: readonly string[], what: string, node: string | null, value: unknown): void =>
    void all.set(JSON.stringify(key), { what, node, value: JSON.stringify(value) });
  for (const [id, { pins, inputs, attributes, outputs, ...node }] of Object.entries(ir.nodes)) {
    const own = byName(withoutSpelling(attributes));
    const value = [byName(node), byName(pins), byName(inputs), own, Object.entries(outputs)];
    put(["node", id], `Node \`${id}\``, id, value);
  }
  for (const [id, { label, inputs, outputs, roots, members }] of Object.entries(ir.subflows)) {
    const given = Object.entries(outputs).map(([name, { node, slot }]) => [name, node, slot]);
    const value = [label, Object.entries(inputs), given, roots, [...members].sort(compareText)];
    put(["subflow", id], `Subflow \`${id}\``, id, value);
  }
  for (const { from, to } of [...ir.edges].sort(compareEdges)) {
    const ends = [from.node, from.slot, to.node, to.slot];
    put(["edge", ...ends], `The edge \`${from.node}.${from.slot}\` → \`${to.node}.${to.slot}\``, to.node, "");
  }
  put(["run"], "The run entry", null, ir.run && [ir.run.id, ir.run.label, ir.run.roots]);
  return all;
}

/** The text of an operation may have white space and another order of members; it means the same. */
function withoutSpelling(attributes: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const text = attributes["operation"];
  const read = text === undefined ? null : readOperation(text);
  return read?.ok ? { ...attributes, operation: operationText(read.operation) } : attributes;
}

function byName(record: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
  return Object.entries(record).sort(([a], [b]) => compareText(a, b));
}
