import { calledSubflow, inputType, keyedOutputs } from "../slots.ts";
import { compatible, ownEntry } from "../ir.ts";
import type { IrEdge } from "../ir.ts";
import { error, list } from "./report.ts";
import type { Draft } from "./report.ts";
import { hasInput, hasOutput, inputSlots } from "./survey.ts";
import type { Survey, SurveyedNode } from "./survey.ts";

/** Edges: ends that exist, types that fit, one source per slot, no boundary crossed (D09 to D14, D23). */
export function* edgeFindings(survey: Survey): Generator<Draft> {
  for (const edge of survey.ir.edges) yield* ofEdge(survey, edge);
  for (const node of survey.nodes.values()) yield* doubleSources(node);
}

/** Says that a node cannot stand in a control chain (D12). */
export function notInChain({ id, node }: SurveyedNode): Draft {
  return error(
    "D12",
    id,
    null,
    `\`${id}\` is a ${node.definition}, which stands in no control chain. Take it out of flow(…); wiring its output is enough.`,
  );
}

/** Says that a node has no such output (D10, D11). */
export function noSuchOutput(
  survey: Survey,
  node: SurveyedNode,
  slot: string,
  at: string,
  field: string,
): Draft {
  if (node.definition?.freeOutputs) {
    return error(
      "D10",
      at,
      field,
      `\`${node.id}\` declares no output \`${slot}\`. Declare it, as in const { ${slot} } = ${node.id}.`,
    );
  }
  const called = calledSubflow(survey.ir, node.node);
  const keyed = Object.keys(keyedOutputs(node.node));
  const outputs = called
    ? Object.keys(called.outputs)
    : [...new Set([...keyed, ...Object.keys(node.definition?.outputs ?? {})])];
  const mend = outputs.length > 0 ? `Use one of ${list(outputs)}` : "It has no outputs; use another node";
  return error("D11", at, field, `\`${node.id}\` has no output \`${slot}\`. ${mend}.`);
}

function* ofEdge(survey: Survey, edge: IrEdge): Generator<Draft> {
  const from = survey.nodes.get(edge.from.node);
  const to = survey.nodes.get(edge.to.node);
  if (!from)
    yield error(
      "D11",
      edge.to.node,
      edge.to.slot,
      `There is no node \`${edge.from.node}\` to take \`${edge.from.slot}\` from. Declare it or wire another one.`,
    );
  if (!to)
    yield error(
      "D11",
      edge.from.node,
      edge.from.slot,
      `There is no node \`${edge.to.node}\` to lead to. Declare it or remove the edge.`,
    );
  if (!from || !to) return;
  yield* ofEnds(survey, edge, from, to);
  if (from.owners.length + to.owners.length > 0 && !sameGraph(from, to)) {
    const place = (owners: readonly string[]) =>
      owners.length > 0 ? `subflow ${list(owners)}` : "the parent graph";
    yield error(
      "D23",
      to.id,
      edge.to.slot,
      `An edge leads from \`${from.id}\` in ${place(from.owners)} to \`${to.id}\` in ${place(to.owners)}. Pass the value through a flow.input or an output of the subflow.`,
    );
  }
}

function sameGraph(from: SurveyedNode, to: SurveyedNode): boolean {
  const owners = new Set(to.owners);
  return from.owners.length === 0 ? owners.size === 0 : from.owners.some((owner) => owners.has(owner));
}

function* ofEnds(survey: Survey, edge: IrEdge, from: SurveyedNode, to: SurveyedNode): Generator<Draft> {
  const control = edge.to.slot === "prev";
  const leaves = hasOutput(survey, from, edge.from.slot);
  const enters = hasInput(survey, to, edge.to.slot);
  if (!leaves) {
    yield control && from.definition?.exits.length === 0
      ? notInChain(from)
      : noSuchOutput(survey, from, edge.from.slot, to.id, edge.to.slot);
  }
  if (!enters) yield control ? notInChain(to) : noSuchInput(to, edge.to.slot);
  if (leaves && enters) yield* ofTypes(survey, edge, to);
}

/** Says that a node has no such input (D09). */
export function noSuchInput(node: SurveyedNode, slot: string): Draft {
  const slots = inputSlots(node);
  const mend = slots.length > 0 ? `Use one of ${list(slots)}` : "It takes no inputs; remove it";
  return error(
    "D09",
    node.id,
    slot,
    `\`${node.id}\` (${node.node.definition}) has no input \`${slot}\`. ${mend}.`,
  );
}

function* ofTypes(survey: Survey, edge: IrEdge, to: SurveyedNode): Generator<Draft> {
  const given = survey.typeOf(edge.from);
  const wanted = inputType(survey.ir, survey.registry, edge.to.node, edge.to.slot);
  if (given === null || wanted === null || compatible(given, wanted)) return;
  if (ownEntry(to.definition?.inputs ?? {}, edge.to.slot)?.accepts?.includes(given)) return;
  const mend =
    wanted === "json" && given === "text"
      ? "Put a control.parseJson between them"
      : `Wire something of type ${wanted}`;
  yield error(
    "D13",
    to.id,
    edge.to.slot,
    `\`${edge.from.node}.${edge.from.slot}\` is ${kind(given)}, but \`${to.id}\` wants ${kind(wanted)} for \`${edge.to.slot}\`. ${mend}.`,
  );
}

function kind(type: string): string {
  return type === "node" ? "a control slot" : type;
}

function* doubleSources({ id, node, into }: SurveyedNode): Generator<Draft> {
  for (const [slot, edges] of into) {
    if (slot === "prev") continue;
    const written = ownEntry(node.pins, slot) !== undefined;
    if (edges.length + (written ? 1 : 0) < 2) continue;
    const sources = [
      ...edges.map(({ from }) => `${from.node}.${from.slot}`),
      ...(written ? ["a written value"] : []),
    ];
    yield error(
      "D14",
      id,
      slot,
      `\`${slot}\` of \`${id}\` has ${sources.length} sources: ${list(sources)}. Keep one.`,
    );
  }
}
