import { members, operationText, quote, readOperation } from "@agentflow/core";
import type { OperationKind } from "@agentflow/core";
import type { CallExpression } from "acorn";
import { jsonText, textOf } from "./literals.ts";
import type { Argument } from "./names-and-texts.ts";
import type { NodeDraft, Scope } from "./scope.ts";
import { markField } from "./scope.ts";

type OperationCall = CallExpression & {
  readonly callee: { readonly type: "Identifier"; readonly name: OperationKind };
};

const usage: Readonly<Record<OperationKind, string>> = {
  action: "write action(subflow or node type, { params })",
  prompt: "write prompt(name, { templateParameters })",
  subAgent: "write subAgent(name, message, { templateParameters, context })",
};

/** The argument when it is a call of `action`, `prompt` or `subAgent`, else null. */
export function asOperationCall(argument: Argument | undefined): OperationCall | null {
  if (argument?.type !== "CallExpression" || argument.callee.type !== "Identifier") return null;
  return Object.hasOwn(usage, argument.callee.name) ? (argument as OperationCall) : null;
}

/** Reads the one operation of a loop into its attribute (OP-2): every argument a literal, an action's name also a subflow variable. */
export function readOperationCall(scope: Scope, draft: NodeDraft, call: OperationCall): void {
  const subject = { node: draft.id, field: "operation" };
  markField(scope, draft.id, "operation", call);
  const kind = call.callee.name;
  const [first, ...rest] = call.arguments;
  const name = first ? nameOf(scope, draft, kind, first) : null;
  const refuse = (at: Argument, why: string): void =>
    scope.report.unplaced(at, `${why}: ${usage[kind]}.`, subject);
  if (name === null) return refuse(first ?? call, `The name of this ${kind} is not readable`);
  const entries = [`${quote(kind)}:${quote(name)}`];
  const put = (key: string, value: Argument | undefined): void => {
    const text = value && jsonText(value, scope.report, subject);
    if (text !== null && text !== undefined) entries.push(`${quote(key)}:${text}`);
  };
  if (kind === "action") put("params", rest.shift());
  else if (kind === "prompt") put("templateParameters", rest.shift());
  else {
    if (rest[0]?.type !== "ObjectExpression") put("message", rest.shift());
    const options = rest.shift();
    if (options && options.type !== "ObjectExpression") return refuse(options, "The options are no object");
    const text = options && jsonText(options, scope.report, subject);
    for (const [key, value] of text ? members(text) : []) entries.push(`${quote(key)}:${value}`);
  }
  for (const argument of rest) refuse(argument, `${kind}(...) takes no such argument`);
  const read = readOperation(`{${entries.join(",")}}`);
  if (read.ok) draft.attributes.set("operation", operationText(read.operation));
  else refuse(call, `This operation cannot be read, ${read.failure.message}`);
}

function nameOf(scope: Scope, draft: NodeDraft, kind: OperationKind, argument: Argument): string | null {
  if (kind !== "action" || argument.type !== "Identifier") return textOf(argument);
  const binding = scope.bindings.get(argument.name);
  if (binding?.kind !== "subflow") return null;
  if (binding.start > draft.call.start) {
    const message = `The subflow \`${argument.name}\` is declared later in the file: move its declaration above this node.`;
    scope.report.add("D06", argument, message, { node: draft.id, field: "operation" });
  }
  return argument.name;
}
