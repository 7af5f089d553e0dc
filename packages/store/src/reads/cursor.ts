/** A place in a list as an opaque text: the sort key of the last row shown (S-16). */
export function encodeCursor(parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString("base64url");
}

/** The parts of a cursor that has exactly these kinds; null for anything else. */
export function decodeCursor(cursor: string, ...patterns: readonly RegExp[]): string[] | null {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, "base64url").toString());
  } catch {
    return null;
  }
  if (!Array.isArray(parts) || parts.length !== patterns.length) return null;
  const texts = parts.map(String);
  return patterns.every((pattern, index) => pattern.test(texts[index] ?? "")) ? texts : null;
}

/** One row more than asked for was read: it tells whether there is a next page and is not shown. */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  positionOf: (row: Row) => readonly (string | number)[],
  itemOf: (row: Row) => Item,
): { items: Item[]; nextCursor: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const nextCursor = last !== undefined && rows.length > limit ? encodeCursor(positionOf(last)) : null;
  return { items: shown.map(itemOf), nextCursor };
}
