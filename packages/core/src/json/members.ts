import { decodeString } from "./strings.ts";
import * as T from "./tokens.ts";
import { Tokens } from "./tokens.ts";

/**
 * The members of an object text that `scan` has passed: decoded key → exact text of the value, in the text's order.
 * Throws when the text is not an object. A Map, so that no key can reach a prototype (L-46).
 */
export function members(text: string): Map<string, string> {
  const tokens = new Tokens(text);
  if (tokens.next() !== T.OPEN_OBJECT) throw new Error("the JSON text is not an object");
  const found = new Map<string, string>();
  let kind = tokens.next();
  while (kind !== T.CLOSE_OBJECT) {
    const key = decodeString(tokens.raw());
    tokens.next();
    found.set(key, valueText(tokens, tokens.next()));
    kind = afterComma(tokens, T.CLOSE_OBJECT);
  }
  return found;
}

/** The exact texts of the elements of an array text that `scan` has passed. Throws when the text is not an array. */
export function elements(text: string): string[] {
  const tokens = new Tokens(text);
  if (tokens.next() !== T.OPEN_ARRAY) throw new Error("the JSON text is not an array");
  const found: string[] = [];
  let kind = tokens.next();
  while (kind !== T.CLOSE_ARRAY) {
    found.push(valueText(tokens, kind));
    kind = afterComma(tokens, T.CLOSE_ARRAY);
  }
  return found;
}

function valueText(tokens: Tokens, first: number): string {
  const { start } = tokens;
  let depth = 0;
  for (let kind = first; ; kind = tokens.next()) {
    if (kind === T.OPEN_OBJECT || kind === T.OPEN_ARRAY) depth += 1;
    else if (kind === T.CLOSE_OBJECT || kind === T.CLOSE_ARRAY) depth -= 1;
    else if (kind === T.END || kind === T.BROKEN) throw new Error("the JSON text was not scanned");
    if (depth === 0) return tokens.text.slice(start, tokens.end);
  }
}

function afterComma(tokens: Tokens, close: number): number {
  const kind = tokens.next();
  if (kind === close) return kind;
  if (kind !== T.COMMA) throw new Error("the JSON text was not scanned");
  return tokens.next();
}
