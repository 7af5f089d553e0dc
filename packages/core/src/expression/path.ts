import { elements, members } from "../json/members.ts";
import { decodeString, quote } from "../json/strings.ts";
import type { Ast } from "./ast.ts";

/** A root and the keys to follow from it. */
export type ValuePath = { readonly root: string; readonly keys: readonly string[] };

const ROOT = /^[\p{ID_Start}$_][\p{ID_Continue}$]*/u;
const STEP = /\.([\p{ID_Continue}$-]+)|\[([0-9]+)\]|\[("(?:[^"\\]|\\.)*")\]/uy;
const INDEX = /^(?:0|[1-9][0-9]{0,9})$/;

/** `state.items[0].name` or `state.items.0["odd key"]` as a path; null when the text is anything else (OP-5). */
export function readPath(text: string): ValuePath | null {
  const root = ROOT.exec(text)?.[0];
  if (root === undefined) return null;
  const keys: string[] = [];
  STEP.lastIndex = root.length;
  while (STEP.lastIndex < text.length) {
    const step = STEP.exec(text);
    if (step === null) return null;
    const [, name, index, quoted] = step;
    const key = name ?? index ?? decoded(quoted ?? "");
    if (key === null) return null;
    keys.push(key);
  }
  return { root, keys };
}

function decoded(token: string): string | null {
  try {
    return decodeString(token);
  } catch {
    return null;
  }
}

/** The path that an expression is as a whole, or null when it computes something. */
export function pathOf(ast: Ast): ValuePath | null {
  const keys: string[] = [];
  let at = ast;
  while (at.kind === "member" && !at.optional) {
    keys.unshift(at.key);
    at = at.object;
  }
  return at.kind === "name" ? { root: at.name, keys } : null;
}

/** The exact text of what stands at `keys` in a JSON text, own members only; undefined when there is nothing (L-46). */
export function valueAt(text: string, keys: readonly string[]): string | undefined {
  let found: string | undefined = text;
  for (const key of keys) {
    if (found === undefined) return undefined;
    found = memberOf(found, key);
  }
  return found;
}

function memberOf(text: string, key: string): string | undefined {
  switch (text.charAt(0)) {
    case "{":
      return members(text).get(key);
    case "[": {
      const items = elements(text);
      if (key === "length") return String(items.length);
      return INDEX.test(key) ? items[Number(key)] : undefined;
    }
    case '"': {
      const value = decodeString(text);
      if (key === "length") return String(value.length);
      const unit = INDEX.test(key) ? value[Number(key)] : undefined;
      return unit === undefined ? undefined : quote(unit);
    }
    default:
      return undefined;
  }
}
