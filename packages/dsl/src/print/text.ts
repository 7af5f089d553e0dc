import { joinTemplate } from "@agentflow/core";
import type { splitTemplate } from "@agentflow/core";

/** Characters that would end a script element, reorder the text on screen, or cannot be stored: written as escapes. */
const UNSAFE = /<(?=\/script|script|!--)|[\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/giu;

/**
 * `\u{…}` is an escape that only JavaScript has: read back inside a JSON literal it becomes the character itself, so the
 * JSON text stays what it was.
 */
function escapeUnsafe(source: string): string {
  return source.replace(UNSAFE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** A string literal for any text. */
export function stringLiteral(text: string): string {
  return escapeUnsafe(JSON.stringify(text));
}

/** A JSON text as an expression, token for token; text that is no JSON becomes a string, which never reads back as the same pin. */
export function jsonLiteral(json: string): string {
  try {
    JSON.parse(json);
  } catch {
    return stringLiteral(json);
  }
  return escapeUnsafe(json);
}

/** A property key: a plain name, or a string. */
export function propertyKey(name: string): string {
  return isPlainName(name) ? name : stringLiteral(name);
}

/** `node.slot`; a slot that is no identifier is written so that reading it back fails (D03) instead of meaning something else. */
export function member({ node, slot }: { readonly node: string; readonly slot: string }): string {
  return isPlainName(slot) ? `${node}.${slot}` : `${node}[${stringLiteral(slot)}]`;
}

/** A variable; what is no identifier is written as a string, which never reads back as a variable. */
export function variable(name: string): string {
  return isPlainName(name) ? name : stringLiteral(name);
}

/** Whether a text is one identifier. */
export function isPlainName(name: string): boolean {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name);
}

/** A template literal for the pieces of a stored text; `expression` says what stands for each placeholder. */
export function templateLiteral(
  pieces: ReturnType<typeof splitTemplate>,
  expression: (name: string) => string,
): string {
  const parts = pieces.map((piece) =>
    piece.kind === "literal" ? templateText(piece.text) : `\${${expression(piece.name)}}`,
  );
  return `\`${parts.join("")}\``;
}

function templateText(text: string): string {
  const escaped = text
    .replace(/[\\`]|\$(?=\{)/g, "\\$&")
    .replace(
      /[\u0000-\u0008\u000b-\u001f]/g,
      (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
    );
  return escapeUnsafe(escaped);
}

/** Whether the pieces of a stored text give that very text again when a template with them is read. */
export function isTemplateSafe(stored: string, pieces: ReturnType<typeof splitTemplate>): boolean {
  return joinTemplate(pieces) === stored;
}

/** Values that look like a name or a number but are no variable, so `{ true }` would not be `{ true: true }`. */
const LITERAL = /^(?:true|false|null|\d.*)$/;

/** An object literal: on one line when it is short. */
export function objectLiteral(entries: readonly (readonly [key: string, value: string])[]): string {
  if (entries.length === 0) return "{}";
  const properties = entries.map(([key, value]) =>
    key === value && !LITERAL.test(key) ? key : `${propertyKey(key)}: ${value}`,
  );
  const line = `{ ${properties.join(", ")} }`;
  return line.length <= 80 ? line : `{\n${properties.map((property) => `  ${property},\n`).join("")}}`;
}
