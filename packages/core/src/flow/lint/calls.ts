import { ownEntry } from "../ir.ts";
import { inputNodeType } from "../slots.ts";
import { error, list, warning } from "./report.ts";
import type { Draft } from "./report.ts";
import type { Survey, SurveyedNode } from "./survey.ts";

/** Calls of ordinary subflows: the subflow exists, and the pins are its inputs (D25, D26). */
export function* callFindings(survey: Survey): Generator<Draft> {
  for (const node of survey.nodes.values())
    if (node.definition?.type === "flow.call") yield* ofCall(survey, node);
}

function* ofCall({ ir }: Survey, { id, node, into }: SurveyedNode): Generator<Draft> {
  const name = ownEntry(node.attributes, "subflow");
  const subflow = name === undefined ? undefined : ownEntry(ir.subflows, name);
  if (!subflow) {
    const what =
      name === undefined ? "names no subflow" : `calls \`${name}\`, which is no subflow of this flow`;
    yield error("D25", id, "subflow", `\`${id}\` ${what}. Declare it with flow.subflow before the call.`);
    return;
  }
  const declared = Object.keys(subflow.inputs);
  const given = new Set([...Object.keys(node.pins), ...Object.keys(node.inputs), ...into.keys()]);
  given.delete("prev");
  for (const slot of given) {
    if (ownEntry(subflow.inputs, slot) !== undefined) continue;
    const mend = declared.length > 0 ? `Its inputs are ${list(declared)}` : "It has no inputs";
    yield error(
      "D26",
      id,
      slot,
      `\`${id}\` passes \`${slot}\`, which subflow \`${name}\` does not take. ${mend}.`,
    );
  }
  for (const [slot, receiver] of Object.entries(subflow.inputs)) {
    if (into.has(slot) || ownEntry(node.pins, slot)) continue;
    const isContext = inputNodeType(ir, receiver) === "context";
    const draft = isContext ? warning : error;
    yield draft(
      "D26",
      id,
      slot,
      `\`${id}\` does not pass \`${slot}\`, an input of subflow \`${name}\`. Add the pin${isContext ? " if the subflow should have a context" : "; null stands for no value"}.`,
    );
  }
}
