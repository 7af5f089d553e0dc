import { asFlowCall, readChain } from "./chains.ts";
import { textOf } from "./literals.ts";
import { readRepeat, readWhile } from "./loops.ts";
import { readOneText, readSubflowName } from "./names-and-texts.ts";
import type { Argument } from "./names-and-texts.ts";
import { isFileCall, readPins } from "./pins.ts";
import type { NodeDraft, Scope } from "./scope.ts";
import { markField } from "./scope.ts";

/** Reads the arguments of a declared node into its draft (F-6, F-9 to F-11); what has no place is D06. */
export function readNode(scope: Scope, draft: NodeDraft): void {
  if (draft.type === "flow.input") return readFlowInput(scope, draft);
  const rest = readLabelAndPins(scope, draft);
  if (draft.definition === null) return;
  const read = forms[draft.type] ?? readText;
  for (const argument of read(scope, draft, rest)) {
    scope.report.unplaced(
      argument,
      `${draft.type}(...) takes no such argument: ${usage[draft.type] ?? ownUsage(draft)}.`,
      { node: draft.id },
    );
  }
}

/** Readers of the calls with a grammar of their own; each gives back the arguments it has no place for. */
const forms: Readonly<
  Record<string, (scope: Scope, draft: NodeDraft, rest: readonly Argument[]) => readonly Argument[]>
> = {
  "flow.call": readFlowCall,
  "control.if": readIf,
  "control.while": readWhile,
  "control.repeat": readRepeat,
};

const usage: Readonly<Record<string, string>> = {
  "flow.call": "write (label, subflow, pins)",
  "control.if": "write (label, { prediction }, flow(then), flow(else))",
  "control.while":
    "write (label, pins, condition, body), (label, pins, script) or (label, pins, expression, operation), options last",
  "control.repeat": "write (label, pins, child, options)",
};

function ownUsage({ definition }: NodeDraft): string {
  if (definition?.text === "module") return 'write (label, pins, file("…")), the file a JavaScript module';
  return definition?.text === "none"
    ? "write (label, pins)"
    : 'write (label, pins, text), the text as a string, a template or file("…")';
}

function readLabelAndPins(scope: Scope, draft: NodeDraft): readonly Argument[] {
  const rest: Argument[] = [...draft.call.arguments];
  const label = rest[0] ? textOf(rest[0]) : null;
  if (label !== null) {
    draft.label = label;
    rest.shift();
  }
  return readObject(scope, draft, rest);
}

function readObject(scope: Scope, draft: NodeDraft, rest: readonly Argument[]): readonly Argument[] {
  const [pins, ...others] = rest;
  if (pins?.type !== "ObjectExpression") return rest;
  readPins(scope, draft, pins);
  return others;
}

function readText(scope: Scope, draft: NodeDraft, rest: readonly Argument[]): readonly Argument[] {
  const kind = draft.definition?.text ?? "none";
  const [text, ...others] = rest;
  if (kind === "none" || !text) return rest;
  if (kind === "module") return readModule(scope, draft, text) ? others : rest;
  return readOneText(scope, draft, text, kind) ? others : rest;
}

/** A function is code, which stands in a file of its own (F-5): only file("…") names one. */
function readModule(scope: Scope, draft: NodeDraft, argument: Argument): boolean {
  return argument.type !== "SpreadElement" && isFileCall(argument)
    ? readOneText(scope, draft, argument, "script")
    : false;
}

function readFlowInput(scope: Scope, draft: NodeDraft): void {
  const [name, type, ...others] = draft.call.arguments;
  const texts = [name, type].map((argument) => (argument ? textOf(argument) : null));
  draft.label = texts[0] ?? draft.id;
  draft.attributes.set("name", draft.label);
  draft.attributes.set("type", texts[1] ?? "text");
  if (type) markField(scope, draft.id, "type", type);
  const wrong = [name, type].filter((argument, index) => argument && texts[index] === null).concat(others);
  if (!name)
    scope.report.unplaced(draft.call, 'flow.input(...) needs a name: write flow.input("name", "type").', {
      node: draft.id,
    });
  for (const argument of wrong) {
    if (argument)
      scope.report.unplaced(
        argument,
        'flow.input takes a name and a type, both as strings: write flow.input("name", "type").',
        { node: draft.id },
      );
  }
}

function readFlowCall(scope: Scope, draft: NodeDraft, rest: readonly Argument[]): readonly Argument[] {
  const [subflow, ...others] = rest;
  if (!subflow || !readSubflowName(scope, draft, "subflow", subflow)) return rest;
  return readObject(scope, draft, others);
}

function readIf(scope: Scope, draft: NodeDraft, rest: readonly Argument[]): readonly Argument[] {
  const [first, second, ...others] = rest;
  const wrong = [...others];
  for (const [branch, argument] of [
    ["then", first],
    ["else", second],
  ] as const) {
    const chain = asFlowCall(argument);
    if (chain) draft.branches[branch] = readChain(scope, chain, { node: draft.id, field: branch }).chain;
    else if (argument) wrong.push(argument);
  }
  return wrong;
}
