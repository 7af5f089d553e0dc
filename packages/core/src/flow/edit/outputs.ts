import { joinTemplate, splitTemplate } from "../../nodes/template.ts";
import type { NodeRegistry } from "../../nodes/registry.ts";
import { calledSubflow } from "../slots.ts";
import { compareEdges, isIdentifier, ownEntry } from "../ir.ts";
import type { Ir, IrEdge, IrNode, IrSubflow, SlotReference } from "../ir.ts";
import { rolesOf } from "./roles.ts";

/** The flow after a change, or the sentence that says why there is none; the flow given stays as it is. */
export type Edited =
  | { readonly ok: true; readonly ir: Ir }
  | { readonly ok: false; readonly message: string };

/** An output of a subflow, by the subflow's id. */
export type OutputName = { readonly subflow: string; readonly output: string };

/**
 * Gives an output of an ordinary subflow another name (F-16). Edges and outputs that read it from a call read it under the
 * new name. Refused: what is not there, a name that is no identifier or taken, and subflows of loops, whose contract is closed.
 */
export function renameOutput(
  ir: Ir,
  registry: NodeRegistry,
  { subflow: id, output }: OutputName,
  to: string,
): Edited {
  const subflow = ownEntry(ir.subflows, id);
  const problem = missing(id, subflow, output) ?? nameProblem(ir, id, subflow, output, to);
  if (!subflow || problem !== null) return { ok: false, message: problem ?? "" };
  if (to === output) return { ok: true, ir };
  const moved = (at: SlotReference): SlotReference =>
    at.slot === output && isCallOf(ir, at.node, id) ? { node: at.node, slot: to } : at;
  const next = mapSources(ir, moved);
  const names = Object.entries(subflow.outputs).map(([name, source]) => [
    name === output ? to : name,
    source,
  ]);
  next.subflows[id] = { ...(next.subflows[id] as IrSubflow), outputs: Object.fromEntries(names) };
  for (const { from, to: into } of ir.edges) {
    if (from.slot === output && isCallOf(ir, from.node, id))
      renameTemplateSlot(next, registry, into, `${from.node}_${output}`, `${from.node}_${to}`);
  }
  next.edges.sort(compareEdges);
  return { ok: true, ir: next };
}

/**
 * Takes an output off an ordinary subflow (F-16), with every edge that reads it from a call, and the outputs of other subflows
 * that pass it on. Free slots and inputs of calls that lose their edge are left with `null`. Refused: what is not there, and
 * what a loop reads from its Condition, Body or child.
 */
export function removeOutput(ir: Ir, { subflow, output }: OutputName): Edited {
  const problem = missing(subflow, ownEntry(ir.subflows, subflow), output);
  if (problem !== null) return { ok: false, message: problem };
  const next = copyOf(ir);
  const left: OutputName[] = [{ subflow, output }];
  for (let gone = left.pop(); gone; gone = left.pop()) {
    const { subflow: id, output: name } = gone;
    const role = rolesOf(ir, id, name).find(({ optional }) => !optional);
    if (role)
      return {
        ok: false,
        message: `\`${name}\` of \`${id}\` is needed: ${role.phrase}. Bind that to another output first.`,
      };
    delete next.subflows[id]?.outputs[name];
    left.push(...passedOn(next, id, name));
    dropEdges(next, id, name);
  }
  return { ok: true, ir: next };
}

function missing(id: string, subflow: IrSubflow | undefined, output: string): string | null {
  if (!subflow) return `There is no subflow \`${id}\`.`;
  return ownEntry(subflow.outputs, output) ? null : `Subflow \`${id}\` has no output \`${output}\`.`;
}

function nameProblem(
  ir: Ir,
  id: string,
  subflow: IrSubflow | undefined,
  output: string,
  to: string,
): string | null {
  if (!isIdentifier(to) || to === "__proto__")
    return `${JSON.stringify(to)} cannot name an output. Use an identifier: letters, digits, _ and $, not beginning with a digit.`;
  if (to === "next") return "`next` is the control slot of every call. Use another name.";
  if (to !== output && subflow && ownEntry(subflow.outputs, to))
    return `Subflow \`${id}\` has an output \`${to}\` already. Use another name.`;
  const [role] = rolesOf(ir, id, output);
  return role === undefined ? null : `The outputs of \`${id}\` have fixed names: ${role.phrase}.`;
}

function isCallOf(ir: Ir, node: string, subflow: string): boolean {
  const found = ownEntry(ir.nodes, node);
  return (
    found !== undefined && calledSubflow(ir, found) !== undefined && found.attributes["subflow"] === subflow
  );
}

/** An IR is JSON; this package has no other copier. */
function copyOf(ir: Ir): Ir {
  return JSON.parse(JSON.stringify(ir)) as Ir;
}

/** A copy in which everything that reads a slot reads what `moved` gives for it. */
function mapSources(ir: Ir, moved: (at: SlotReference) => SlotReference): Ir {
  const next = copyOf(ir);
  next.edges = next.edges.map(({ from, to }) => ({ from: moved(from), to }));
  for (const subflow of Object.values(next.subflows)) {
    for (const [name, source] of Object.entries(subflow.outputs)) subflow.outputs[name] = moved(source);
  }
  return next;
}

/**
 * `${call.output}` in the script of a node without free inputs is a slot named after both (F-8): it follows, for a flow file
 * has no other way to write it. Slots of commands and agents keep their names, which scripts read them by.
 */
function renameTemplateSlot(
  ir: Ir,
  registry: NodeRegistry,
  at: SlotReference,
  from: string,
  to: string,
): void {
  const node = ownEntry(ir.nodes, at.node);
  const definition = node && registry.find(node.definition);
  if (!node || !definition || definition.freeInputs || at.slot !== from) return;
  const type = ownEntry(node.inputs, from);
  if (type === undefined || ownEntry(node.inputs, to) || ownEntry(definition.inputs, to)) return;
  delete node.inputs[from];
  node.inputs[to] = type;
  renamePlaceholder(node, from, to);
  for (const edge of ir.edges) {
    if (edge.to.node === at.node && edge.to.slot === from) edge.to = { node: at.node, slot: to };
  }
}

function renamePlaceholder(node: IrNode, from: string, to: string): void {
  for (const text of ["script", "body"] as const) {
    const stored = node[text];
    if (stored === null) continue;
    node[text] = joinTemplate(
      splitTemplate(stored).map((piece) =>
        piece.kind === "placeholder" && piece.name === from ? { ...piece, name: to } : piece,
      ),
    );
  }
}

/** Outputs of other subflows that are bound to this output of a call. */
function passedOn(ir: Ir, id: string, name: string): readonly OutputName[] {
  return Object.entries(ir.subflows).flatMap(([subflow, { outputs }]) =>
    Object.entries(outputs)
      .filter(([, { node, slot }]) => slot === name && isCallOf(ir, node, id))
      .map(([output]) => ({ subflow, output })),
  );
}

function dropEdges(ir: Ir, id: string, name: string): void {
  const isGone = ({ from }: IrEdge): boolean => from.slot === name && isCallOf(ir, from.node, id);
  const dropped = ir.edges.filter(isGone);
  ir.edges = ir.edges.filter((edge) => !isGone(edge));
  for (const { to } of dropped) {
    const node = ownEntry(ir.nodes, to.node);
    if (node && (node.definition === "flow.call" || ownEntry(node.inputs, to.slot)))
      node.pins[to.slot] = { json: "null" };
  }
}
