import { decodeString, scan } from "@agentflow/core";
import type { JsonKind } from "@agentflow/core";

/** One value of a JSON text, in the text's order; containers stand before their members. */
export type JsonRow = {
  readonly depth: number;
  /** Decoded key, index, or null at the top. */
  readonly key: string | null;
  readonly kind: JsonKind;
  /** Exact text of a scalar; empty for containers, whose text is between `start` and `end`. */
  readonly text: string;
  readonly start: number;
  end: number;
  /** Number of direct members of a container. */
  members: number;
  /** Index of the first row after this value and all inside it. */
  after: number;
};

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const KINDS: Readonly<Record<string, JsonKind>> = {
  t: "boolean",
  f: "boolean",
  n: "null",
  '"': "string",
  "{": "object",
  "[": "array",
};

/** All values of a JSON text, numbers spelled as they stand there (L-46); null when it is not one JSON value. */
export function jsonRows(text: string): JsonRow[] | null {
  if (!scan(text).ok) return null;
  const rows: JsonRow[] = [];
  const open: JsonRow[] = [];
  let key: string | null = null;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const parent = open.at(-1);
    if (token === "," || token === ":") continue;
    if (token === "}" || token === "]") {
      const closed = open.pop();
      if (closed !== undefined) Object.assign(closed, { end: index + 1, after: rows.length });
      continue;
    }
    if (parent?.kind === "object" && key === null) {
      key = decodeString(token);
      continue;
    }
    const kind = KINDS[token[0] ?? ""] ?? "number";
    const isContainer = kind === "object" || kind === "array";
    const row: JsonRow = {
      depth: open.length,
      key: parent?.kind === "array" ? String(parent.members) : key,
      kind,
      text: isContainer ? "" : token,
      start: index,
      end: index + token.length,
      members: 0,
      after: rows.length + 1,
    };
    if (parent !== undefined) parent.members += 1;
    key = null;
    rows.push(row);
    if (isContainer) open.push(row);
  }
  return rows;
}

/** Indexes of the rows on show: everything but what lies inside a collapsed container. */
export function visibleRows(rows: readonly JsonRow[], collapsed: (index: number) => boolean): number[] {
  const shown: number[] = [];
  for (let index = 0; index < rows.length;) {
    const row = rows[index]!;
    shown.push(index);
    index = row.members > 0 && collapsed(index) ? row.after : index + 1;
  }
  return shown;
}

/** Rows whose key or scalar holds the text, whatever the case, and the containers they lie in. */
export function findRows(
  rows: readonly JsonRow[],
  wanted: string,
): { readonly found: ReadonlySet<number>; readonly shown: readonly number[] } {
  const needle = wanted.toLowerCase();
  const found = new Set<number>();
  const shown = new Set<number>();
  const path: number[] = [];
  for (const [index, row] of rows.entries()) {
    path.length = row.depth;
    path.push(index);
    const isFound =
      (row.key !== null && row.key.toLowerCase().includes(needle)) ||
      (row.text !== "" && scalarText(row).toLowerCase().includes(needle));
    if (!isFound) continue;
    found.add(index);
    for (const one of path) shown.add(one);
  }
  return { found, shown: [...shown].toSorted((a, b) => a - b) };
}

/** A scalar for people: texts decoded, everything else as it is spelled. */
export function scalarText({ kind, text }: Pick<JsonRow, "kind" | "text">): string {
  return kind === "string" ? decodeString(text) : text;
}
