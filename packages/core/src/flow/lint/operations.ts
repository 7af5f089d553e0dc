import { isCatalogueId } from "../../context/references.ts";
import { loopNames } from "../../expression/scope.ts";
import { members } from "../../json/members.ts";
import { objectText } from "../../json/write.ts";
import { promptFile, readOperation } from "../../loop/operation.ts";
import type { Operation } from "../../loop/operation.ts";
import { itemVariableProblem } from "../../loop/options.ts";
import { actionTypeProblem, TEXT_PARAMETERS } from "../../nodes/action-types.ts";
import { settingText } from "../authored.ts";
import { ownEntry } from "../ir.ts";
import { inputNodeType } from "../slots.ts";
import { expressionFindings } from "./expressions.ts";
import type { AuthoredExpression } from "./expressions.ts";
import { staysInside } from "./files.ts";
import { error, list } from "./report.ts";
import type { Draft } from "./report.ts";
import { formOf, isLoop } from "./survey.ts";
import type { Survey, SurveyedNode } from "./survey.ts";

type HasFile = ((path: string) => boolean) | undefined;

/** The expression and the operation of loops of that form (4.3): what they name is there (D04, D25, D26, D51), what they say can be evaluated (D62). */
export function* operationFindings(survey: Survey, hasFile: HasFile): Generator<Draft> {
  for (const node of survey.nodes.values())
    if (isLoop(node) && formOf(node) === "operation") yield* ofLoop(survey, node, hasFile);
}

function* ofLoop(survey: Survey, loop: SurveyedNode, hasFile: HasFile): Generator<Draft> {
  const { id, node } = loop;
  const expression = ownEntry(node.attributes, "expression");
  const text = ownEntry(node.attributes, "operation");
  const authored: AuthoredExpression[] =
    expression === undefined ? [] : [{ field: "expression", kind: "expression", text: expression }];
  const read = text === undefined ? null : readOperation(text);
  if (read?.ok) {
    authored.push(...expressionsOf(survey, read.operation));
    yield* ofOperation(survey, id, read.operation, hasFile);
  } else if (read && read.failure.code !== "body_not_one")
    yield error(
      "D40",
      id,
      "operation",
      `The operation of loop \`${id}\`: ${read.failure.message}. Correct it.`,
    );
  yield* expressionFindings(id, authored, namesOf(survey, loop));
}

/** Names that expressions of the loop know; null when a run decides how one of them is called. */
function namesOf({ ir, registry }: Survey, loop: SurveyedNode): ReadonlySet<string> | null {
  const at = { node: loop.id, slot: "itemVariable" };
  const given = settingText(ir, registry, at, loop.into.get(at.slot)?.[0]?.from);
  if (given === null || (given !== undefined && itemVariableProblem(given) !== null)) return null;
  return loopNames(given ?? "attempt", true);
}

/** Every text of the operation in which expressions may stand; the command or prompt of a node type is none (F-22). */
function expressionsOf({ ir, registry }: Survey, operation: Operation): readonly AuthoredExpression[] {
  const parameters = (text: string) => ({ field: "operation", kind: "parameters", text }) as const;
  switch (operation.kind) {
    case "action": {
      const type = ownEntry(ir.subflows, operation.name) ? null : registry.find(operation.name);
      const verbatim = type ? TEXT_PARAMETERS[type.text] : [];
      const resolved = [...members(operation.params)].filter(([name]) => !verbatim.includes(name));
      return [parameters(objectText(resolved))];
    }
    case "prompt":
      return [parameters(operation.templateParameters)];
    case "subAgent":
      return [parameters(operation.message), parameters(operation.templateParameters)];
  }
}

function* ofOperation(survey: Survey, id: string, operation: Operation, hasFile: HasFile): Generator<Draft> {
  const { name } = operation;
  if (operation.kind === "action") return yield* ofAction(survey, id, name, members(operation.params));
  if (operation.kind === "prompt") {
    const path = promptFile(name);
    if (!staysInside(path))
      yield error(
        "D04",
        id,
        "operation",
        `Loop \`${id}\` names the prompt ${JSON.stringify(name)}, which is no name of a file below prompts/. Use letters, digits, hyphens.`,
      );
    else if (hasFile && !hasFile(path))
      yield error(
        "D04",
        id,
        "operation",
        `Loop \`${id}\` names the prompt ${JSON.stringify(name)}, but the flow folder has no file ${JSON.stringify(path)}. Add it or correct the name.`,
      );
    return;
  }
  for (const entry of [name, ...operation.context]) {
    if (isCatalogueId(entry)) continue;
    yield error(
      "D51",
      id,
      "operation",
      `Loop \`${id}\` names ${JSON.stringify(entry)}, which is no id of the operator's catalogue. Use letters, digits, dots, hyphens, underscores.`,
    );
  }
}

/** Inputs a subflow gets from the loop when it declares them and the parameters do not give them, as a Body does (F-15). */
const GIVEN_BY_LOOP: ReadonlySet<string> = new Set([
  "state",
  "iteration",
  "idempotencyKey",
  "resume",
  "context",
]);

function* ofAction(
  survey: Survey,
  id: string,
  name: string,
  params: ReadonlyMap<string, string>,
): Generator<Draft> {
  const { ir, registry } = survey;
  const wrong = (code: "D25" | "D26", message: string) =>
    error(code, id, "operation", `Loop \`${id}\` ${message}`);
  const subflow = ownEntry(ir.subflows, name);
  if (subflow) {
    const declared = Object.keys(subflow.inputs);
    for (const key of params.keys())
      if (ownEntry(subflow.inputs, key) === undefined)
        yield wrong(
          "D26",
          `passes \`${key}\`, which subflow \`${name}\` does not take. ${declared.length > 0 ? `Its inputs are ${list(declared)}` : "It has no inputs"}.`,
        );
    for (const [key, receiver] of Object.entries(subflow.inputs))
      if (!params.has(key) && !GIVEN_BY_LOOP.has(key) && inputNodeType(ir, receiver) !== "context")
        yield wrong(
          "D26",
          `does not pass \`${key}\`, an input of subflow \`${name}\`. Add the parameter; null stands for no value.`,
        );
    return;
  }
  const definition = registry.find(name);
  if (!definition)
    return yield wrong(
      "D25",
      `has the action \`${name}\`, which is neither a subflow of this flow nor a node type. Declare the subflow before the loop, or correct the name.`,
    );
  const problem = actionTypeProblem(definition);
  if (problem !== null) return yield wrong("D25", `has the action \`${name}\`, which ${problem}.`);
  const known = [...Object.keys(definition.inputs), ...TEXT_PARAMETERS[definition.text]];
  for (const key of params.keys())
    if (!definition.freeInputs && !known.includes(key))
      yield wrong("D26", `passes \`${key}\`, which ${name} does not take. It takes ${list(known)}.`);
  const texts = TEXT_PARAMETERS[definition.text].filter((key) => params.has(key));
  const needsOne = definition.text === "script" || definition.text === "module";
  if (needsOne && texts.length !== 1)
    yield wrong(
      "D26",
      `has the action \`${name}\`, which needs exactly one of ${list(TEXT_PARAMETERS[definition.text], " and ")}. Write its ${definition.text === "script" ? "command" : "file"} there.`,
    );
}
