import { readOperation } from "../../loop/operation.ts";
import { ownEntry } from "../ir.ts";
import { error, list, warning } from "./report.ts";
import type { Draft } from "./report.ts";
import { formOf, isGiven, isLoop } from "./survey.ts";
import type { Survey, SurveyedNode } from "./survey.ts";

const SOURCES =
  "A loop takes a Condition and a Body, or a script, or a script file, or an expression and an operation";

/** The source of a loop's decisions (D30 to D33, D37) and where the loop stands (D42). */
export function* loopFindings(survey: Survey): Generator<Draft> {
  for (const node of survey.nodes.values()) {
    if (!isLoop(node)) continue;
    const form = formOf(node);
    if (form === "repeat") yield* ofChild(survey, node);
    else yield* ofSource(survey, node);
    if (form !== "operation" && form !== "repeat") yield* ofFormSlots(node);
    // A repeat or an operation never parks by itself.
    if (node.owners.length > 0 && (form === "subflows" || form === "script")) {
      yield warning(
        "D42",
        node.id,
        null,
        `Loop \`${node.id}\` is inside subflow ${list(node.owners)}, so its decision wait fails at run time. Let the outermost loop wait.`,
      );
    }
  }
}

function* ofChild({ ir }: Survey, { id, node }: SurveyedNode): Generator<Draft> {
  const child = ownEntry(node.attributes, "child");
  if (child === undefined)
    yield error(
      "D37",
      id,
      "child",
      `Repeat \`${id}\` has no child to run. Write control.repeat(label, pins, child), the child a subflow declared before it.`,
    );
  else if (!ownEntry(ir.subflows, child)) yield noSubflow(id, "child", "child", child);
}

/** Slots that only the operation form reads (OP-4, OP-5): elsewhere they would do nothing. */
function* ofFormSlots(loop: SurveyedNode): Generator<Draft> {
  for (const slot of ["input", "outputMapping"]) {
    if (!isGiven(loop, slot)) continue;
    yield error(
      "D09",
      loop.id,
      slot,
      `\`${slot}\` of \`${loop.id}\` is for loops with an operation only. Remove it; what a loop works on is its state.`,
    );
  }
}

function noSubflow(id: string, title: string, field: string, subflow: string): Draft {
  return error(
    "D33",
    id,
    field,
    `The ${title} of loop \`${id}\` is \`${subflow}\`, which is no subflow of this flow. Declare it with flow.subflow before the loop.`,
  );
}

function* ofSource({ ir }: Survey, { id, node }: SurveyedNode): Generator<Draft> {
  const subflows = [
    ["Condition", ownEntry(node.attributes, "condition")],
    ["Body", ownEntry(node.attributes, "body")],
  ] as const;
  const [[, condition], [, body]] = subflows;
  const expression = ownEntry(node.attributes, "expression");
  const operation = ownEntry(node.attributes, "operation");
  const sources = [
    ...(condition !== undefined || body !== undefined ? ["subflows"] : []),
    ...(expression !== undefined || operation !== undefined ? ["an operation"] : []),
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
  } else if (sources[0] === "an operation") yield* ofOperation(id, expression, operation);
  for (const [title, subflow] of subflows) {
    if (subflow === undefined || ownEntry(ir.subflows, subflow)) continue;
    yield noSubflow(id, title, title.toLowerCase(), subflow);
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

/** Half of the pair (D31), and an operation that is none or several (OP-2). */
function* ofOperation(
  id: string,
  expression: string | undefined,
  operation: string | undefined,
): Generator<Draft> {
  if (expression === undefined)
    yield error(
      "D31",
      id,
      "expression",
      `Loop \`${id}\` has an operation but no expression that decides. Give both.`,
    );
  if (operation === undefined)
    return yield error(
      "D31",
      id,
      "operation",
      `Loop \`${id}\` has an expression but no operation (body_not_one). Give one of action, prompt and subAgent.`,
    );
  const read = readOperation(operation);
  if (!read.ok && read.failure.code === "body_not_one")
    yield error("D30", id, "operation", `Loop \`${id}\` (body_not_one): ${read.failure.message}. Keep one.`);
}
