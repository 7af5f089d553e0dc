import type { LiteralPin } from "@agentflow/core";
import type { CallExpression, Expression, ObjectExpression } from "acorn";
import { jsonText, keyOf, textOf } from "./literals.ts";
import { readReference } from "./references.ts";
import type { Subject } from "./report.ts";
import type { NodeDraft, Scope } from "./scope.ts";
import { markField } from "./scope.ts";

/** Reads the object of pins of a node call: literals become pins, wires become sources (F-7). */
export function readPins(scope: Scope, draft: NodeDraft, object: ObjectExpression): void {
  for (const property of object.properties) {
    const name =
      property.type === "Property" && property.kind === "init" && !property.method ? keyOf(property) : null;
    if (property.type !== "Property" || name === null || name === "" || name === "__proto__") {
      scope.report.unplaced(property, "A pin is written `name: value`, the name as a word or a string.", {
        node: draft.id,
      });
      continue;
    }
    const subject = { node: draft.id, field: name };
    if (name === "prev") {
      scope.report.add(
        "D06",
        property,
        "`prev` is not a pin: the order of nodes is written in flow(...).",
        subject,
      );
      continue;
    }
    if (draft.pins.has(name) || draft.sources.has(name)) {
      scope.report.add(
        "D06",
        property,
        `The pin \`${name}\` is written twice: remove one of the two.`,
        subject,
      );
      continue;
    }
    markField(scope, draft.id, name, property);
    readPin(scope, draft, name, property.value, subject);
  }
}

function readPin(scope: Scope, draft: NodeDraft, name: string, value: Expression, subject: Subject): void {
  if (value.type === "Identifier" || value.type === "MemberExpression") {
    const reference = readReference(scope, value, subject);
    if (reference) draft.sources.set(name, reference.from);
    return;
  }
  const pin = readLiteral(scope, value, subject);
  if (pin) draft.pins.set(name, pin);
}

function readLiteral(scope: Scope, value: Expression, subject: Subject): LiteralPin | null {
  const text = textOf(value);
  if (text !== null) return { text };
  switch (value.type) {
    case "TemplateLiteral":
      scope.report.unplaced(
        value,
        "A pin's text has no placeholders: build the text in a script, or wire the value as `node.slot`.",
        subject,
      );
      return null;
    case "Literal":
    case "UnaryExpression":
    case "ArrayExpression":
    case "ObjectExpression": {
      const json = jsonText(value, scope.report, subject);
      return json === null ? null : { json };
    }
    case "CallExpression": {
      if (!isFileCall(value)) break;
      const file = readFileCall(scope, value, subject);
      return file === null ? null : { file };
    }
  }
  const mend =
    'write a literal, file("…"), `node.slot` or a destructured variable; a node is declared with const first';
  scope.report.unplaced(value, `This is not a value of a pin: ${mend}.`, subject);
  return null;
}

/** Whether an expression is `file(...)`. */
export function isFileCall(expression: Expression): expression is CallExpression {
  return (
    expression.type === "CallExpression" &&
    expression.callee.type === "Identifier" &&
    expression.callee.name === "file"
  );
}

/** The path `file("relative")` names, without a leading `./`; null when it is no literal or no file of the bundle (D04). */
export function readFileCall(scope: Scope, call: CallExpression, subject: Subject): string | null {
  const [argument, ...others] = call.arguments;
  const written = argument && others.length === 0 ? textOf(argument) : null;
  if (written === null) {
    scope.report.add(
      "D04",
      call,
      'file(...) takes one path as a literal, as in file("scripts/step.mjs").',
      subject,
    );
    return null;
  }
  const path = written.replace(/^(?:\.\/)+/, "");
  const inside =
    path !== "" &&
    !path.includes("\0") &&
    path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
  if (!inside) {
    scope.report.add(
      "D04",
      call,
      `"${written}" is not a path inside the flow folder: write it relative to the folder, without \`..\`.`,
      subject,
    );
    return null;
  }
  if (!scope.files.has(path)) {
    scope.report.add(
      "D04",
      call,
      `The flow folder has no file "${path}": add it, or correct the path.`,
      subject,
    );
  }
  return path;
}
