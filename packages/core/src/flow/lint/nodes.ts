import { ownEntry } from "../ir.ts";
import { inputNodeType } from "../slots.ts";
import { slotTypes } from "../ir.ts";
import { noSuchInput } from "./edges.ts";
import { error, list, warning } from "./report.ts";
import type { Draft } from "./report.ts";
import { hasInput, isGiven, isLoop } from "./survey.ts";
import type { Survey, SurveyedNode } from "./survey.ts";

/** Each node by itself: its type, slots, text and branches (D06, D07, D09, D28, D43, D50). */
export function* nodeFindings(survey: Survey): Generator<Draft> {
  for (const node of survey.nodes.values()) {
    if (!node.definition) {
      yield error(
        "D07",
        node.id,
        null,
        `There is no node type \`${node.node.definition}\`. Use a type of the node catalogue, such as tool.nodejs or control.while.`,
      );
      continue;
    }
    yield* ofSlots(survey, node);
    yield* ofText(node);
    if (node.definition.type === "flow.input") yield* ofContractInput(survey, node);
    if (node.definition.type === "control.if") yield* ofBranches(node);
    if (node.definition.pauses && node.owners.length > 0) {
      yield error(
        "D43",
        node.id,
        null,
        `\`${node.id}\` may wait, which no node inside a subflow (${list(node.owners)}) may do. Move it to the parent graph, or let a Condition decide wait.`,
      );
    }
  }
}

function* ofSlots(survey: Survey, surveyed: SurveyedNode): Generator<Draft> {
  const { id, node, definition } = surveyed;
  for (const slot of Object.keys(node.inputs)) {
    // The templates of commands and prompts make slots of what they read (F-8).
    const mayAdd = definition?.freeInputs || (definition !== null && definition?.text !== "none");
    if (!mayAdd && !ownEntry(definition?.inputs ?? {}, slot)) yield noSuchInput(surveyed, slot);
  }
  for (const slot of Object.keys(node.pins))
    if (!hasInput(survey, surveyed, slot)) yield noSuchInput(surveyed, slot);
  for (const slot of Object.keys(node.outputs)) {
    if (definition?.freeOutputs || ownEntry(definition?.outputs ?? {}, slot)) continue;
    yield error(
      "D09",
      id,
      slot,
      `\`${id}\` (${node.definition}) cannot declare an output \`${slot}\`. Use its own outputs: ${list(Object.keys(definition?.outputs ?? {}))}.`,
    );
  }
}

function* ofText(surveyed: SurveyedNode): Generator<Draft> {
  const { id, node, definition } = surveyed;
  // What a function is, `functionFindings` looks at.
  const file = definition?.text === "module" ? null : node.scriptRef;
  const given = { script: [node.script, file], body: [node.body, node.bodyRef] };
  const names = { script: "command", body: "prompt" } as const;
  for (const kind of ["script", "body"] as const) {
    const count = given[kind].filter((text) => text !== null && text.trim() !== "").length;
    if (definition?.text !== kind) {
      if (count > 0)
        yield error("D06", id, kind, `\`${id}\` (${node.definition}) takes no ${names[kind]}. Remove it.`);
    } else if (
      !isLoop(surveyed) &&
      count !== 1 &&
      !(kind === "body" && count === 0 && hasUpstream(surveyed))
    ) {
      const mend =
        count === 0
          ? `has no ${names[kind]}. Write one after the pins`
          : `has a ${names[kind]} and a file with one. Keep one of them`;
      yield error("D06", id, kind, `\`${id}\` ${mend}.`);
    }
  }
}

/** Whether something but a context is wired or written: an agent may take that for its prompt (F-27). */
function hasUpstream(surveyed: SurveyedNode): boolean {
  return Object.keys(surveyed.node.inputs).some((slot) => isGiven(surveyed, slot));
}

function* ofContractInput({ ir }: Survey, { id, node }: SurveyedNode): Generator<Draft> {
  if (inputNodeType(ir, id) !== null) return;
  yield error(
    "D28",
    id,
    "type",
    `\`${id}\` asks for the unknown type \`${ownEntry(node.attributes, "type") ?? ""}\`. Use one of ${slotTypes.filter((type) => type !== "node").join(", ")}.`,
  );
}

function* ofBranches(surveyed: SurveyedNode): Generator<Draft> {
  const { id, outOf } = surveyed;
  if (!isGiven(surveyed, "prediction")) {
    yield error(
      "D50",
      id,
      "prediction",
      `\`${id}\` has no prediction to decide by. Wire or write its pin prediction.`,
    );
  }
  for (const [slot, place] of [
    ["then", "third"],
    ["else", "fourth"],
  ] as const) {
    if (outOf.some(({ from }) => from.slot === slot)) continue;
    yield warning(
      "D50",
      id,
      slot,
      `\`${id}\` has no ${slot} branch: nothing happens in that case. Give a flow(…) as the ${place} argument if something should.`,
    );
  }
}
