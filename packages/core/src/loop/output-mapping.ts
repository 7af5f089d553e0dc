import { failure } from "../errors.ts";
import type { Failure } from "../errors.ts";
import { excerpt } from "../json/excerpt.ts";
import { members } from "../json/members.ts";
import { scan } from "../json/scan.ts";
import { decodeString } from "../json/strings.ts";

/** One line of a mapping: `from` is null for the whole result, `to` leads into the state. */
export type MappingEntry = {
  readonly source: string;
  readonly from: readonly string[] | null;
  readonly target: string;
  readonly to: readonly string[];
  readonly append: boolean;
};

export type OutputMapping = readonly MappingEntry[];

export type OutputMappingResult =
  | { readonly ok: true; readonly mapping: OutputMapping | null }
  | { readonly ok: false; readonly failure: Failure };

const WHOLE = "*";
const APPEND = "[]";
/** Each entry reads result and state once, so their number bounds the time of an iteration. */
const MOST_ENTRIES = 256;

/**
 * `outputMapping` as authored: an object's JSON text, or a JSON string that holds one; blank → null, there is none (OP-4).
 * Everything that is no path of text keys, and every `$name`, is `config_invalid`.
 */
export function readOutputMapping(text: string): OutputMappingResult {
  return read(text, false);
}

function read(text: string, isNested: boolean): OutputMappingResult {
  if (text.trim() === "") return { ok: true, mapping: null };
  if (text.trim().startsWith("$")) return invalid(unknownName(text.trim()));
  const scanned = scan(text);
  if (!scanned.ok) return invalid(`it is not JSON: ${scanned.error.message}`);
  if (scanned.kind === "string" && !isNested) return read(decodeString(scanned.text), true);
  if (scanned.kind !== "object")
    return invalid(`it is JSON but ${scanned.kind}; give an object of result path → state path`);
  const entries = members(scanned.text);
  if (entries.size > MOST_ENTRIES)
    return invalid(`it has ${entries.size} entries, more than ${MOST_ENTRIES}`);
  const mapping: MappingEntry[] = [];
  for (const [source, value] of entries) {
    const entry = readEntry(source, value);
    if (typeof entry === "string") return invalid(entry);
    mapping.push(entry);
  }
  return { ok: true, mapping };
}

/** The entry, or why it is none. */
function readEntry(source: string, value: string): MappingEntry | string {
  const shown = excerpt(source, 60);
  if (!value.startsWith('"')) return `the target of ${shown} is not text`;
  const target = decodeString(value);
  for (const path of [source, target]) if (path.startsWith("$")) return unknownName(path);
  const from = source === WHOLE ? null : source.split(".");
  if (from?.some(isBlank)) return `the source ${shown} is not a path of keys joined by dots`;
  const append = target.endsWith(APPEND);
  const to = (append ? target.slice(0, -APPEND.length) : target).split(".");
  if (to.some((key) => isBlank(key) || key === WHOLE || key.includes(APPEND)))
    return `the target ${excerpt(target, 60)} is not a path of keys joined by dots, with [] at its end to append`;
  return { source, from, target, to, append };
}

function isBlank(key: string): boolean {
  return key.trim() === "";
}

function unknownName(name: string): string {
  return `${excerpt(name, 60)} is not known; there are no names that begin with $ here`;
}

function invalid(problem: string): OutputMappingResult {
  return { ok: false, failure: failure("config_invalid", `outputMapping: ${problem}`) };
}
