import { PASSWORD } from "../../nodes/provide.ts";
import { analyseCommand, commandConstants, placeholderProblem } from "../../nodes/command-template.ts";
import { splitTemplate } from "../../nodes/template.ts";
import { inputType } from "../slots.ts";
import { error, list } from "./report.ts";
import type { Draft } from "./report.ts";
import { inputSlots } from "./survey.ts";
import type { Survey, SurveyedNode } from "./survey.ts";

/** Placeholders of commands and prompts that have no value, or stand where a command cannot quote them (D61). */
export function* placeholderFindings(survey: Survey): Generator<Draft> {
  for (const node of survey.nodes.values()) {
    const isContext = (slot: string) => inputType(survey.ir, survey.registry, node.id, slot) === "context";
    const isSecret = (slot: string) => {
      const source = node.into.get(slot)?.[0]?.from.node ?? "";
      return survey.nodes.get(source)?.definition?.type === PASSWORD;
    };
    const slots = inputSlots(node).filter((slot) => !isContext(slot) && !isSecret(slot));
    const { script, body } = node.node;
    if (node.definition?.text === "script" && script !== null)
      yield* ofCommand(node.id, script, new Set([...commandConstants, ...slots]), { isContext, isSecret });
    if (node.definition?.text === "body" && body !== null)
      yield* ofPrompt(node, body, new Set([...commandConstants, "USER_PROMPT", ...slots]));
  }
}

function* ofCommand(
  id: string,
  script: string,
  known: ReadonlySet<string>,
  { isContext, isSecret }: Record<"isContext" | "isSecret", (slot: string) => boolean>,
): Generator<Draft> {
  for (const placeholder of analyseCommand(script).placeholders) {
    const problem = placeholderProblem(placeholder, known);
    if (problem === null) continue;
    const message = isSecret(placeholder.name)
      ? `\${${placeholder.name}} is a secret, which stands in no command line. Read it from the file named by AGENTFLOW_INPUTS_JSON_FILE.`
      : !known.has(placeholder.name) && isContext(placeholder.name)
        ? `\${${placeholder.name}} is a context, which a command gets as the private file named by AGENTFLOW_CONTEXT_FILE. Read that file.`
        : problem;
    yield error("D61", id, "script", `In the command of \`${id}\`: ${message}`);
  }
}

function* ofPrompt({ id }: SurveyedNode, body: string, known: ReadonlySet<string>): Generator<Draft> {
  for (const piece of splitTemplate(body)) {
    if (piece.kind === "literal" || known.has(piece.name)) continue;
    yield error(
      "D61",
      id,
      "body",
      `The prompt of \`${id}\` uses \${${piece.name}}, which is neither an input of the node nor one of ${list([...commandConstants, "USER_PROMPT"])}. Wire an input ${piece.name}, or write \\\${${piece.name}} for the text itself.`,
    );
  }
}
