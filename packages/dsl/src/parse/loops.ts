import type { ObjectExpression } from "acorn";
import { keyOf, textOf } from "./literals.ts";
import { readOneText, readSubflowName } from "./names-and-texts.ts";
import type { Argument } from "./names-and-texts.ts";
import { asOperationCall, readOperationCall } from "./operations.ts";
import { readPins } from "./pins.ts";
import type { NodeDraft, Scope } from "./scope.ts";
import { markField } from "./scope.ts";

/**
 * The arguments of a `control.while` after its pins (F-11, 4-loop-forms): a subflow in third place is the Condition, in fourth
 * the Body (null leaves a place empty); a call of `action`, `prompt` or `subAgent` in fourth place makes the third the
 * expression; texts are the script; an object at the end holds options.
 */
export function readWhile(scope: Scope, draft: NodeDraft, rest: readonly Argument[]): readonly Argument[] {
  const args = withoutOptions(scope, draft, rest, 1);
  if (args.some((argument) => asOperationCall(argument))) return readOperationForm(scope, draft, args);
  const places = ["condition", "body"];
  return args.filter((argument, index) => {
    const place = places[index];
    if (place !== undefined && argument.type === "Literal" && argument.raw === "null") return false;
    if (place !== undefined && readSubflowName(scope, draft, place, argument)) return false;
    return !readOneText(scope, draft, argument, "script");
  });
}

/** The arguments of a `control.repeat` after its pins: the child, then options (4.2). */
export function readRepeat(scope: Scope, draft: NodeDraft, rest: readonly Argument[]): readonly Argument[] {
  const args = withoutOptions(scope, draft, rest, 0);
  const [child, ...others] = args;
  return child && readSubflowName(scope, draft, "child", child) ? others : args;
}

function readOperationForm(scope: Scope, draft: NodeDraft, args: readonly Argument[]): readonly Argument[] {
  let hasOperation = false;
  return args.filter((argument, index) => {
    const call = asOperationCall(argument);
    if (!call) {
      const text = index === 0 ? textOf(argument) : null;
      if (text !== null) {
        draft.attributes.set("expression", text);
        markField(scope, draft.id, "expression", argument);
      }
      return text === null && !(index === 0 && readSubflowName(scope, draft, "condition", argument));
    }
    if (hasOperation) {
      const message = `Loop \`${draft.id}\` has a second operation, and takes exactly one (body_not_one): keep one of action, prompt and subAgent, or do both in a subflow and name that in action(…).`;
      scope.report.add("D30", call, message, { node: draft.id, field: "operation" });
      return false;
    }
    hasOperation = true;
    readOperationCall(scope, draft, call);
    return false;
  });
}

/** Takes the options off the end: an object with at least `least` arguments before it. They become pins (4.1). */
function withoutOptions(
  scope: Scope,
  draft: NodeDraft,
  rest: readonly Argument[],
  least: number,
): readonly Argument[] {
  const last = rest.at(-1);
  if (last?.type !== "ObjectExpression" || rest.length <= least) return rest;
  readPins(scope, draft, known(scope, draft, last));
  return rest.slice(0, -1);
}

/** The options without those the node type does not have, which are reported (OP-7): as pins they would be free inputs. */
function known(scope: Scope, draft: NodeDraft, options: ObjectExpression): ObjectExpression {
  const slots = Object.keys(draft.definition?.inputs ?? {});
  const properties = options.properties.filter((property) => {
    const name = property.type === "Property" ? keyOf(property) : null;
    if (name === null || slots.includes(name)) return true;
    const message = `\`${name}\` is no option of ${draft.type}: remove it, or use one of ${slots.map((slot) => `\`${slot}\``).join(", ")}.`;
    scope.report.add("D09", property, message, { node: draft.id, field: name });
    return false;
  });
  return { ...options, properties };
}
