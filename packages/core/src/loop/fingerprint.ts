import { compareEdges, ownEntry } from "../flow/ir.ts";
import type { Ir, IrNode, LiteralPin } from "../flow/ir.ts";
import { canonical } from "../json/canonical.ts";
import type { LoopConfig } from "./config.ts";
import { LOOP_TYPES } from "./form.ts";
import { readOperation } from "./operation.ts";

/**
 * One value a node depends on: an authored one by its value, a run product by where it comes from, so that nothing a run
 * produced enters a fingerprint (L-38). `source` is the producing node's own fingerprint.
 */
export type AuthoredPart = { readonly value: string } | { readonly source: string; readonly slot: string };

/** Slots of a loop that enter its fingerprint resolved and normalised, not as written. */
const resolvedSlots = new Set(["state", "maxIterations", "timeout", "context"]);

/**
 * Canonical text of what a node *is*: its definition and, for calls and loops, the definitions of every subflow they
 * reach. Without labels and positions, without the contents of script files (L-38). Same meaning, same text.
 */
export function definitionText(ir: Ir, id: string): string {
  const node = ir.nodes[id];
  if (!node) throw new Error(`no node ${id}`);
  const loop = LOOP_TYPES.has(node.definition);
  const subflows = [...reachableSubflows(ir, node)].sort();
  return canonical(
    JSON.stringify({
      node: nodeShape(node, loop ? resolvedSlots : new Set()),
      subflows: Object.fromEntries(subflows.map((subflow) => [subflow, subflowShape(ir, subflow)])),
    }),
  );
}

/** Text to hash for a node of the parent graph: what it is and what it depends on. */
export function nodeFingerprintText(definition: string, parts: ReadonlyMap<string, AuthoredPart>): string {
  return canonical(JSON.stringify({ definition, parts: Object.fromEntries(parts) }));
}

/**
 * Text to hash for a loop (L-38): definition, resolved initial state in canonical form, normalised limits, context
 * references, and what is wired to its other slots. A slot fed by a run product counts by its source.
 */
export function loopFingerprintText(
  definition: string,
  config: LoopConfig,
  products: ReadonlyMap<string, AuthoredPart>,
  contextReferences: readonly string[],
  wired: ReadonlyMap<string, AuthoredPart> = new Map(),
): string {
  const part = (slot: string, authored: unknown): unknown => products.get(slot) ?? { value: authored };
  return canonical(
    JSON.stringify({
      definition,
      state: part("state", canonical(config.state)),
      maxIterations: part("maxIterations", config.maxIterations),
      timeout: part("timeout", config.timeoutMs),
      context: contextReferences,
      ...optionParts(wired),
    }),
  );
}

/** Wired options and free inputs; a loop without any has the text it always had. */
function optionParts(wired: ReadonlyMap<string, AuthoredPart>): object {
  const others = [...wired].filter(([slot]) => !resolvedSlots.has(slot));
  return others.length === 0 ? {} : { wired: Object.fromEntries(others) };
}

function nodeShape(node: IrNode, without: ReadonlySet<string>): object {
  const pins = Object.entries(node.pins).filter(([slot]) => !without.has(slot));
  const { definition, script, scriptRef, body, bodyRef, inputs, outputs, attributes } = node;
  const written = Object.fromEntries(pins.map(([slot, pin]) => [slot, pinShape(pin)]));
  return { definition, script, scriptRef, body, bodyRef, inputs, outputs, attributes, pins: written };
}

function pinShape(pin: LiteralPin): object {
  return "json" in pin ? { json: canonical(pin.json) } : pin;
}

function subflowShape(ir: Ir, id: string): object | null {
  const subflow = ir.subflows[id];
  if (!subflow) return null;
  const members = new Set(subflow.members);
  const nodes = subflow.members.map((member) => {
    const node = ir.nodes[member];
    return [member, node ? nodeShape(node, new Set()) : null];
  });
  const edges = ir.edges.filter((edge) => members.has(edge.to.node)).sort(compareEdges);
  const { inputs, outputs, roots } = subflow;
  return { inputs, outputs, roots, edges, nodes: Object.fromEntries(nodes) };
}

function reachableSubflows(ir: Ir, node: IrNode): Set<string> {
  const reached = new Set(calledBy(ir, node));
  for (const id of reached) {
    for (const member of ir.subflows[id]?.members ?? []) {
      const inner = ir.nodes[member];
      if (inner) for (const called of calledBy(ir, inner)) reached.add(called);
    }
  }
  return reached;
}

/** Subflows a node names itself: a call's, a loop's Condition and Body, a repeat's child, an action that is one (OP-2). */
export function calledBy(ir: Ir, node: IrNode): string[] {
  const named = ["subflow", "condition", "body", "child"].flatMap((name) => node.attributes[name] ?? []);
  const operation = ownEntry(node.attributes, "operation");
  const read = operation === undefined ? null : readOperation(operation);
  const action = read?.ok && read.operation.kind === "action" ? read.operation.name : undefined;
  return action !== undefined && ownEntry(ir.subflows, action) ? [...named, action] : named;
}
