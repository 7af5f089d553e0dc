import type { Page } from "../../ports/reads.ts";

type Position = readonly (string | number)[];

/**
 * One keyset page of `rows`, which stand in the order of `positionOf` (unique): the rows after the cursor's position, at most
 * `limit` (S-16). `before` says whether one position comes before another in that order.
 */
export function keysetPage<Row, Item>(
  rows: readonly Row[],
  page: { readonly limit: number; readonly cursor?: string },
  order: {
    readonly positionOf: (row: Row) => Position;
    readonly before: (a: Position, b: Position) => boolean;
  },
  itemOf: (row: Row) => Item,
): Page<Item> | "invalid_cursor" {
  const first = rows[0];
  const after =
    page.cursor === undefined
      ? null
      : decode(page.cursor, first === undefined ? null : order.positionOf(first));
  if (after === "invalid") return "invalid_cursor";
  const rest = after === null ? rows : rows.filter((row) => order.before(after, order.positionOf(row)));
  const shown = rest.slice(0, page.limit);
  const last = shown.at(-1);
  const nextCursor = last !== undefined && rest.length > shown.length ? encode(order.positionOf(last)) : null;
  return { items: shown.map(itemOf), nextCursor };
}

function encode(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString("base64url");
}

/** A position has the types of the list's own positions; with no rows to compare with, any array will do. */
function decode(cursor: string, like: Position | null): Position | "invalid" {
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (!Array.isArray(position)) return "invalid";
    if (like === null) return position;
    const fits =
      position.length === like.length && like.every((part, i) => typeof part === typeof position[i]);
    return fits ? position : "invalid";
  } catch {
    return "invalid";
  }
}

/** Compares two positions part by part; negative when `a` is smaller. */
export function comparePositions(a: Position, b: Position): number {
  for (const [i, part] of a.entries()) {
    const other = b[i];
    if (other === undefined || part === other) continue;
    return part < other ? -1 : 1;
  }
  return 0;
}
