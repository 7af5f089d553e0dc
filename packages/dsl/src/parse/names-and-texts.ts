import type { Expression, SpreadElement } from "acorn";
import { textOf } from "./literals.ts";
import { isFileCall, readFileCall } from "./pins.ts";
import type { NodeDraft, Scope } from "./scope.ts";
import { markField } from "./scope.ts";
import { readTemplate } from "./templates.ts";

export type Argument = Expression | SpreadElement;

/** Reads a string, template or file(...) as the node's text; false when the argument is none or the text is there already. */
export function readOneText(
  scope: Scope,
  draft: NodeDraft,
  argument: Argument,
  field: "script" | "body",
): boolean {
  if (argument.type === "SpreadElement") return false;
  const reference = field === "script" ? "scriptRef" : "bodyRef";
  if (isFileCall(argument)) {
    if (draft[reference] !== null) return false;
    markField(scope, draft.id, field, argument);
    draft[reference] = readFileCall(scope, argument, { node: draft.id, field });
    return true;
  }
  if (draft[field] !== null) return false;
  if (argument.type === "TemplateLiteral") draft[field] = readTemplate(scope, draft, argument, field);
  else draft[field] = textOf(argument);
  if (draft[field] === null) return false;
  markField(scope, draft.id, field, argument);
  return true;
}

/** Takes a variable as the name of a subflow; whether there is one is for lint to say (D25, D33), unless it comes later (D06). */
export function readSubflowName(
  scope: Scope,
  draft: NodeDraft,
  attribute: string,
  argument: Argument,
): boolean {
  if (argument.type !== "Identifier") return false;
  const binding = scope.bindings.get(argument.name);
  draft.attributes.set(attribute, argument.name);
  markField(scope, draft.id, attribute, argument);
  if (binding?.kind === "subflow" && binding.start > draft.call.start) {
    const message = `The subflow \`${argument.name}\` is declared later in the file: move its declaration above this node.`;
    scope.report.add("D06", argument, message, { node: draft.id, field: attribute });
  }
  return true;
}
