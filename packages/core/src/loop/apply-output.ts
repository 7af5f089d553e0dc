import { failure } from "../errors.ts";
import type { Failure } from "../errors.ts";
import { excerpt } from "../json/excerpt.ts";
import { elements, members } from "../json/members.ts";
import { scan } from "../json/scan.ts";
import { appendElement, mergeMembers, setMember } from "../json/splice.ts";
import { quote } from "../json/strings.ts";
import { STATE_MAX_BYTES } from "../limits.ts";
import type { MappingEntry, OutputMapping } from "./output-mapping.ts";
import { readState, stateFailure } from "./state.ts";

export type AppliedOutput =
  | { readonly ok: true; readonly state: string; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly failure: Failure };

export type OperationResult =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly failure: Failure };

/**
 * What an operation answered as exact JSON text: a JSON answer is parsed first, any other is text, blank is null (OP-2).
 * JSON that breaks the policy of 1.8 fails; a bare number that is not exact stays text.
 */
export function readOperationResult(answer: string): OperationResult {
  if (answer.trim() === "") return { ok: true, text: "null" };
  const scanned = scan(answer);
  if (scanned.ok) return { ok: true, text: scanned.text };
  const { code, path } = scanned.error;
  const isText = code === "json_syntax" || (code === "number_not_exact" && path === "$");
  return isText ? { ok: true, text: quote(answer) } : { ok: false, failure: stateFailure(scanned.error) };
}

/**
 * The next state after an operation (OP-4), from exact JSON texts: what no entry touches keeps its spelling (L-46). Missing
 * sources leave the state alone and give a warning. Without a mapping the fields of an object result replace those of
 * the same name. A path through something that is no object, or an append to no list, errors the iteration (`node_failed`).
 */
export function applyOutputMapping(
  mapping: OutputMapping | null,
  result: string,
  state: string,
): AppliedOutput {
  if (mapping === null) return withFields(result, state);
  const warnings: string[] = [];
  let next = state;
  for (const entry of mapping) {
    const found = entry.from === null ? result : lookup(result, entry.from);
    if (found === undefined) {
      warnings.push(missing(entry, result));
      continue;
    }
    const placed = place(next, entry, found);
    if (!placed.ok) return placed;
    next = placed.text;
    // UTF-16 units are never more than bytes; checked here so that many entries cannot add up first.
    if (next.length > STATE_MAX_BYTES) break;
  }
  return checked(next, warnings);
}

function withFields(result: string, state: string): AppliedOutput {
  if (!result.startsWith("{") || result === "{}") return { ok: true, state, warnings: [] };
  const base = state === "null" ? "{}" : state;
  if (base.startsWith("{")) return checked(mergeMembers(base, result), []);
  const message =
    "the state is not an object, so the fields of the result have no place in it; give an outputMapping";
  return { ok: false, failure: failure("node_failed", message) };
}

function checked(next: string, warnings: readonly string[]): AppliedOutput {
  const read = readState(next);
  return read.ok ? { ok: true, state: read.text, warnings } : read;
}

/** The exact text at a path of the result; letter case counts only where two keys differ in nothing else. */
function lookup(result: string, path: readonly string[]): string | undefined {
  let found: string | undefined = result;
  for (const key of path) found = found === undefined ? undefined : step(found, key);
  return found;
}

function step(text: string, key: string): string | undefined {
  if (text.startsWith("[")) return /^(?:0|[1-9]\d{0,9})$/.test(key) ? elements(text)[Number(key)] : undefined;
  if (!text.startsWith("{")) return undefined;
  const found = members(text);
  const exact = found.get(key);
  if (exact !== undefined) return exact;
  const folded = key.toLowerCase();
  for (const [name, value] of found) if (name.toLowerCase() === folded) return value;
  return undefined;
}

type Placed =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly failure: Failure };

/** The state with `value` at the entry's target; objects are made on the way, null counts as not there. */
function place(state: string, entry: MappingEntry, value: string): Placed {
  const objects: { text: string; key: string }[] = [];
  let at: string | undefined = state;
  for (const key of entry.to) {
    if (at === undefined || at === "null") at = "{}";
    if (!at.startsWith("{")) return refused(entry, `${pathText(objects)} is not an object`);
    objects.push({ text: at, key });
    at = members(at).get(key);
  }
  let text = value;
  if (entry.append) {
    if (at === undefined || at === "null") at = "[]";
    if (!at.startsWith("[")) return refused(entry, `${pathText(objects)} is not a list`);
    text = appendElement(at, value);
  }
  for (const { text: object, key } of objects.toReversed()) text = setMember(object, key, text);
  return { ok: true, text };
}

function pathText(objects: readonly { key: string }[]): string {
  return objects.length === 0
    ? "the state"
    : `the state's ${excerpt(objects.map(({ key }) => key).join("."), 60)}`;
}

function refused({ source, target }: MappingEntry, problem: string): Placed {
  const message = `outputMapping: ${excerpt(source, 60)} cannot go to ${excerpt(target, 60)}, because ${problem}`;
  return { ok: false, failure: failure("node_failed", message) };
}

function missing({ source, from }: MappingEntry, result: string): string {
  const places = [`the result ${contents(result)}`];
  for (let depth = 1; depth < (from?.length ?? 0); depth += 1) {
    const path = from?.slice(0, depth) ?? [];
    const inner = lookup(result, path);
    if (inner !== undefined) places.push(`its ${excerpt(path.join("."), 60)} ${contents(inner)}`);
  }
  return `outputMapping: there is no ${excerpt(source, 60)}; ${places.join(", ")}`;
}

const MOST_KEYS = 20;

function contents(text: string): string {
  if (!text.startsWith("{")) return `is ${excerpt(text, 60)}`;
  const keys = [...members(text).keys()];
  const shown = keys.slice(0, MOST_KEYS).map((key) => excerpt(key, 40));
  const more = keys.length > MOST_KEYS ? ` and ${keys.length - MOST_KEYS} more` : "";
  return keys.length === 0 ? "has no keys" : `has the keys ${shown.join(", ")}${more}`;
}
