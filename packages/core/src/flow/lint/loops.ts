import { ownEntry } from "../ir.ts";
import { error, list, warning } from "./report.ts";
import type { Draft } from "./report.ts";
import { isLoop } from "./survey.ts";
import type { Survey, SurveyedNode } from "./survey.ts";

const SOURCES = "A loop takes a Condition and a Body, or a script, or a script file";

/** The source of a loop's decisions (D30 to D33, D37) and where the loop stands (D42). */
export function* loopFindings(survey: Survey): Generator<Draft> {
  for (const node of survey.nodes.values()) {
    if (!isLoop(node)) continue;
    yield* ofSource(survey, node);
    if (node.owners.length > 0) {
      yield warning(
        "D42",
        node.id,
        null,
        `Loop \`${node.id}\` is inside subflow ${list(node.owners)}, so its decision wait fails at run time. Let the outermost loop wait.`,
      );
    }
  }
}

function* ofSource({ ir }: Survey, { id, node }: SurveyedNode): Generator<Draft> {
  const subflows = [
    ["Condition", ownEntry(node.attributes, "condition")],
    ["Body", ownEntry(node.attributes, "body")],
  ] as const;
  const [[, condition], [, body]] = subflows;
  const sources = [
    ...(condition !== undefined || body !== undefined ? ["subflows"] : []),
    ...(node.script !== null && node.script.trim() !== "" ? ["a script"] : []),
    ...(node.scriptRef !== null ? ["a script file"] : []),
  ];
  if (sources.length === 0)
    yield error("D37", id, null, `Loop \`${id}\` has nothing that decides. ${SOURCES}.`);
  if (sources.length > 1)
    yield error(
      "D30",
      id,
      null,
      `Loop \`${id}\` has ${sources.join(" and ")} to decide. Keep one. ${SOURCES}.`,
    );
  else if (sources[0] === "subflows" && (condition === undefined || body === undefined)) {
    const [has, lacks] = condition === undefined ? ["Body", "Condition"] : ["Condition", "Body"];
    yield error(
      "D31",
      id,
      lacks.toLowerCase(),
      `Loop \`${id}\` has a ${has} but no ${lacks}. Give both subflows.`,
    );
  }
  for (const [title, subflow] of subflows) {
    if (subflow === undefined || ownEntry(ir.subflows, subflow)) continue;
    yield error(
      "D33",
      id,
      title.toLowerCase(),
      `The ${title} of loop \`${id}\` is \`${subflow}\`, which is no subflow of this flow. Declare it with flow.subflow before the loop.`,
    );
  }
  if (condition !== undefined && condition === body && ownEntry(ir.subflows, condition)) {
    yield error(
      "D32",
      id,
      "body",
      `Condition and Body of loop \`${id}\` are the same subflow \`${body}\`. Give each a subflow of its own.`,
    );
  }
}
