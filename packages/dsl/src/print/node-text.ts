import { compareText, ownEntry, splitTemplate } from "@agentflow/core";
import type { Ir, IrNode, LiteralPin, NodeDefinition, SlotReference } from "@agentflow/core";
import { placeholderConstants } from "../parse/names.ts";
import type { Followers } from "./chain-of.ts";
import { chainOf, flowText } from "./chain-of.ts";
import { operationCall } from "./operation-call.ts";
import {
  isPlainName,
  isTemplateSafe,
  jsonLiteral,
  member,
  objectLiteral,
  stringLiteral,
  templateLiteral,
  variable,
} from "./text.ts";

/** One node with all that its text depends on. */
export type NodeView = {
  readonly id: string;
  readonly ir: Ir;
  readonly node: IrNode;
  /** Null when the type is not registered. */
  readonly definition: NodeDefinition | null;
  readonly sources: ReadonlyMap<string, SlotReference>;
  /** First nodes of the branches of a `control.if`. */
  readonly branches: { readonly then: readonly string[]; readonly else: readonly string[] };
  readonly followers: Followers;
};

/** The call that declares a node, as `tool.nodejs("label", { pins }, text)`. */
export function nodeText(view: NodeView): string {
  const { node } = view;
  const callee = node.definition.split(".").every(isPlainName)
    ? node.definition
    : stringLiteral(node.definition);
  const toArguments = ownEntry(argumentsOf, node.definition) ?? plainArguments;
  return `${callee}(${toArguments(view).join(", ")})`;
}

const argumentsOf: Readonly<Record<string, (view: NodeView) => readonly string[]>> = {
  "flow.input": ({ node }) => [
    stringLiteral(node.attributes["name"] ?? ""),
    stringLiteral(node.attributes["type"] ?? "text"),
  ],
  "flow.call": ({ node, ...view }) => [
    stringLiteral(node.label),
    variable(node.attributes["subflow"] ?? "null"),
    ...pins({ node, ...view }),
  ],
  "control.if": ifArguments,
  "control.while": whileArguments,
  "control.repeat": ({ node, ...view }) => [
    stringLiteral(node.label),
    ...pins({ node, ...view }),
    variable(node.attributes["child"] ?? "null"),
  ],
};

function plainArguments(view: NodeView): readonly string[] {
  return [stringLiteral(view.node.label), ...pins(view), ...texts(view)];
}

function ifArguments(view: NodeView): readonly string[] {
  const { then, else: otherwise } = view.branches;
  const branches = otherwise.length > 0 ? [then, otherwise] : then.length > 0 ? [then] : [];
  return [
    stringLiteral(view.node.label),
    ...pins(view),
    ...branches.map((heads) => flowText(chainOf(heads, view.followers))),
  ];
}

function whileArguments(view: NodeView): readonly string[] {
  const { condition, body, expression, operation } = view.node.attributes;
  const places =
    expression !== undefined || operation !== undefined
      ? [stringLiteral(expression ?? ""), operationCall(view.ir, operation ?? "")]
      : body !== undefined
        ? [variable(condition ?? "null"), variable(body)]
        : condition !== undefined
          ? [variable(condition)]
          : [];
  return [stringLiteral(view.node.label), ...pins(view), ...places, ...texts(view)];
}

/** Whether a slot exists only because a template names its source (F-8): it is written there, not as a pin. */
function isTemplateSlot({ definition, node }: NodeView, slot: string): boolean {
  return (
    definition !== null &&
    !definition.freeInputs &&
    !Object.hasOwn(definition.inputs, slot) &&
    Object.hasOwn(node.inputs, slot)
  );
}

function pins(view: NodeView): readonly string[] {
  const { node, definition, sources } = view;
  const literals = Object.entries(node.pins).map(([slot, pin]) => [slot, pinLiteral(pin)] as const);
  const wires = [...sources]
    .filter(([slot]) => !isTemplateSlot(view, slot))
    .map(([slot, from]) => [slot, member(from)] as const);
  const order = Object.keys(definition?.inputs ?? {});
  const rank = (slot: string): number => (order.includes(slot) ? order.indexOf(slot) : order.length);
  const entries = [...literals, ...wires].sort(([a], [b]) => rank(a) - rank(b) || compareText(a, b));
  return entries.length > 0 ? [objectLiteral(entries)] : [];
}

function pinLiteral(pin: LiteralPin): string {
  if ("text" in pin) return stringLiteral(pin.text);
  return "json" in pin ? jsonLiteral(pin.json) : fileCall(pin.file);
}

function fileCall(path: string): string {
  return `file(${stringLiteral(path)})`;
}

function texts(view: NodeView): readonly string[] {
  const { script, scriptRef, body, bodyRef } = view.node;
  return [
    ...[script, body].filter((text) => text !== null).map((text) => storedText(view, text)),
    ...[scriptRef, bodyRef].filter((path) => path !== null).map(fileCall),
  ];
}

/** A template when every placeholder reads back as the same one; else a plain string, which is stored as it stands (F-8). */
function storedText(view: NodeView, text: string): string {
  const { node, definition, sources } = view;
  const own = new Set([
    ...Object.keys(definition?.inputs ?? {}),
    ...Object.keys(node.pins),
    ...sources.keys(),
    ...placeholderConstants,
  ]);
  const pieces = splitTemplate(text);
  const placeholders = pieces.filter((piece) => piece.kind === "placeholder");
  if (!isTemplateSafe(text, pieces) || !placeholders.every(({ name }) => own.has(name)))
    return stringLiteral(text);
  return templateLiteral(pieces, (name) => {
    const source = isTemplateSlot(view, name) ? sources.get(name) : undefined;
    return source ? member(source) : name;
  });
}
