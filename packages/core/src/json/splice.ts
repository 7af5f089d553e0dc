import { decodeString, quote } from "./strings.ts";
import * as T from "./tokens.ts";
import { Tokens } from "./tokens.ts";

/**
 * A compact object text with one member set to `value`, a JSON text: in its place when the key is there, else at the
 * end. Every other token stays as it is spelled (L-46). Throws when the text is not an object.
 */
export function setMember(text: string, key: string, value: string): string {
  for (const span of spans(text)) {
    if (span.key === key) return text.slice(0, span.start) + value + text.slice(span.end);
  }
  return `${text.slice(0, -1)}${text === "{}" ? "" : ","}${quote(key)}:${value}}`;
}

/**
 * Compact object texts laid over each other: members of `over` take the place of those of the same key in `base`, the
 * others follow at the end. Spelling of keys and values is kept (L-46). Linear; throws when one is not an object.
 */
export function mergeMembers(base: string, over: string): string {
  const rest = new Map<string, MemberSpan>();
  for (const span of spans(over)) rest.set(span.key, span);
  const written: string[] = [];
  for (const { key, token, start, end } of spans(base)) {
    const other = rest.get(key);
    const value = other === undefined ? base.slice(start, end) : over.slice(other.start, other.end);
    written.push(`${token}:${value}`);
    rest.delete(key);
  }
  for (const { token, start, end } of rest.values()) written.push(`${token}:${over.slice(start, end)}`);
  return `{${written.join(",")}}`;
}

/** A compact array text with `value`, a JSON text, at its end. */
export function appendElement(text: string, value: string): string {
  return `${text.slice(0, -1)}${text === "[]" ? "" : ","}${value}]`;
}

/** A member of an object text: its key, decoded and as spelled, and where its value stands. */
type MemberSpan = {
  readonly key: string;
  readonly token: string;
  readonly start: number;
  readonly end: number;
};

function* spans(text: string): Generator<MemberSpan> {
  const tokens = new Tokens(text);
  if (tokens.next() !== T.OPEN_OBJECT) throw new Error("the JSON text is not an object");
  let kind = tokens.next();
  while (kind !== T.CLOSE_OBJECT) {
    if (kind === T.COMMA) tokens.next();
    const token = tokens.raw();
    tokens.next();
    yield { key: decodeString(token), token, ...skipValue(tokens) };
    kind = tokens.next();
  }
}

function skipValue(tokens: Tokens): { start: number; end: number } {
  let kind = tokens.next();
  const { start } = tokens;
  let depth = 0;
  for (;;) {
    if (kind === T.OPEN_OBJECT || kind === T.OPEN_ARRAY) depth += 1;
    else if (kind === T.CLOSE_OBJECT || kind === T.CLOSE_ARRAY) depth -= 1;
    else if (kind === T.END || kind === T.BROKEN) throw new Error("the JSON text was not scanned");
    if (depth === 0) return { start, end: tokens.end };
    kind = tokens.next();
  }
}
