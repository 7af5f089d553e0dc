import type { Finding } from "./findings.ts";

/** Where the fields of each node or subflow are written: id → field → place. */
export type FieldPlaces = ReadonlyMap<
  string,
  ReadonlyMap<string, { readonly line: number; readonly column: number }>
>;

/** Codes by which lint says that something is missing: of a field that could not be read, that is no news. */
const MISSING: ReadonlySet<string> = new Set(["D06", "D26", "D50"]);

/**
 * The findings of reading a flow's text and those of lint as one list by place (2-flows 2.5). Lint works on what could be
 * read, so what it repeats, or misses only because it could not be read, is left out. Its findings about a field get the
 * place of that field.
 */
export function mergeFindings(
  parsed: readonly Finding[],
  linted: readonly Finding[],
  places: FieldPlaces,
): readonly Finding[] {
  const said = new Set(parsed.map(({ code, node, field }) => key(code, node, field)));
  const unread = new Set(parsed.map(({ node, field }) => key(node, field)));
  const fresh = linted.filter(
    ({ code, node, field }) =>
      node === null ||
      !(
        said.has(key(code, node, field)) ||
        (MISSING.has(code) && field !== null && unread.has(key(node, field)))
      ),
  );
  const placed = fresh.map((finding) => {
    const { node, field } = finding;
    const place = node === null || field === null ? undefined : places.get(node)?.get(field);
    return place ? { ...finding, line: place.line, column: place.column } : finding;
  });
  return [...parsed, ...placed].sort(byPlace);
}

function key(...parts: readonly (string | null)[]): string {
  return JSON.stringify(parts);
}

/** Those without a place come last; otherwise equal ones stay as they were. */
function byPlace(a: Finding, b: Finding): number {
  const line = (finding: Finding) => finding.line ?? Number.MAX_SAFE_INTEGER;
  return line(a) - line(b) || (a.column ?? 0) - (b.column ?? 0);
}
