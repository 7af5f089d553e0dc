import type { ArrayExpression, Expression, Literal, ObjectExpression, Property, SpreadElement } from "acorn";
import type { Report, Subject } from "./report.ts";

/** The characters of a string literal or of a template without expressions, else null. */
export function textOf(expression: Expression | SpreadElement): string | null {
  if (expression.type === "Literal" && typeof expression.value === "string") return expression.value;
  if (expression.type === "TemplateLiteral" && expression.expressions.length === 0) {
    return expression.quasis[0]?.value.cooked ?? null;
  }
  return null;
}

/** The name a property is written under; null for computed and numeric keys. */
export function keyOf({ key, computed }: Pick<Property, "key" | "computed">): string | null {
  if (computed) return null;
  if (key.type === "Identifier") return key.name;
  return key.type === "Literal" && typeof key.value === "string" ? key.value : null;
}

/**
 * Exact JSON text of a literal (F-7): numbers keep their spelling, strings their escapes. Null when something in it is not
 * a literal or a key stands twice (P-52); that has been reported then (D06).
 */
export function jsonText(
  expression: Expression | SpreadElement,
  report: Report,
  subject: Subject,
): string | null {
  switch (expression.type) {
    case "Literal":
      return scalarText(expression) ?? refuse(expression, report, subject);
    case "TemplateLiteral": {
      const text = textOf(expression);
      return text === null ? refuse(expression, report, subject) : JSON.stringify(text);
    }
    case "UnaryExpression": {
      const { operator, argument } = expression;
      const number = operator === "-" && argument.type === "Literal" ? numberText(argument) : null;
      return number === null ? refuse(expression, report, subject) : `-${number}`;
    }
    case "ArrayExpression":
      return arrayText(expression, report, subject);
    case "ObjectExpression":
      return objectText(expression, report, subject);
    default:
      return refuse(expression, report, subject);
  }
}

function refuse(expression: Expression | SpreadElement, report: Report, subject: Subject): null {
  const name = expression.type === "Identifier" ? `\`${expression.name}\`` : "This";
  report.unplaced(
    expression,
    `${name} is not a literal: a JSON value is written out whole, or wired from one slot as \`node.slot\`.`,
    subject,
  );
  return null;
}

function arrayText(array: ArrayExpression, report: Report, subject: Subject): string | null {
  if (array.elements.includes(null)) {
    report.unplaced(array, "An array with holes is not JSON: write null where a value is missing.", subject);
    return null;
  }
  const texts = array.elements.map((element) => element && jsonText(element, report, subject));
  return texts.includes(null) ? null : `[${texts.join(",")}]`;
}

function objectText({ properties }: ObjectExpression, report: Report, subject: Subject): string | null {
  const entries = new Map<string, string>();
  let whole = true;
  for (const property of properties) {
    const key =
      property.type === "Property" && property.kind === "init" && !property.method ? keyOf(property) : null;
    if (property.type !== "Property" || key === null) {
      report.unplaced(
        property,
        "Only `key: literal` can stand in a JSON object: write the key as a name or a string.",
        subject,
      );
      whole = false;
      continue;
    }
    if (entries.has(key)) {
      report.add(
        "D06",
        property,
        `The key \`${key}\` stands twice in one object: remove one of the two.`,
        subject,
      );
      whole = false;
    }
    const text = jsonText(property.value, report, subject);
    if (text === null) whole = false;
    const { key: token } = property;
    entries.set(key, `${token.type === "Literal" ? stringText(token) : JSON.stringify(key)}:${text}`);
  }
  return whole ? `{${[...entries.values()].join(",")}}` : null;
}

function scalarText(literal: Literal): string | null {
  if (typeof literal.value === "string") return stringText(literal);
  if (typeof literal.value === "boolean" || literal.raw === "null") return String(literal.value);
  return numberText(literal);
}

const JSON_NUMBER = /^(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A number as it is spelled, without what only JavaScript has (`1_000`, `.5`); other bases when they are exact. */
function numberText({ value, raw = "" }: Literal): string | null {
  if (typeof value !== "number") return null;
  const spelled = raw
    .replaceAll("_", "")
    .replace(/^\./, "0.")
    .replace(/\.(?=$|[eE])/, "");
  if (JSON_NUMBER.test(spelled)) return spelled;
  return Number.isSafeInteger(value) ? JSON.stringify(value) : null;
}

/** Escapes of JavaScript strings, and characters that JSON has only escaped. */
const TO_TRANSLATE = /\\(?:u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|\r\n|[^])|["\u0000-\u001f]/g;

/** Half of a pair: a file that came as JSON can hold one, but no JSON text in UTF-8 can, other than escaped. */
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** A JavaScript string token as a JSON one: escapes JSON knows stay as they are spelled, the rest becomes characters. */
function stringText({ raw = "" }: Literal): string {
  const text = raw.slice(1, -1).replace(TO_TRANSLATE, translate);
  return `"${text.replace(LONE_SURROGATE, jsonCharacter)}"`;
}

function translate(found: string): string {
  const kind = found.charAt(1);
  if (found.length === 1) return jsonCharacter(found);
  if (kind === "u")
    return found.charAt(2) === "{"
      ? jsonCharacter(String.fromCodePoint(parseInt(found.slice(3, -1), 16)))
      : found;
  if (kind === "x") return jsonCharacter(String.fromCharCode(parseInt(found.slice(2), 16)));
  if (kind === "v") return "\\u000b";
  if (kind === "0") return "\\u0000";
  if ('bfnrt"\\/'.includes(kind)) return found;
  if ("\n\r\u2028\u2029".includes(kind)) return "";
  return kind < " " ? jsonCharacter(kind) : kind;
}

function jsonCharacter(character: string): string {
  return JSON.stringify(character).slice(1, -1);
}
