import { sql, type AnyColumn, type SQL } from "drizzle-orm";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text can be an id at all; anything else names nothing. */
export function isId(text: string): boolean {
  return UUID.test(text);
}

/** Whether Postgres can hold the text; one with a NUL equals nothing stored. */
export function storable(text: string): boolean {
  return !text.includes("\0");
}

/** A time as the API shows it: UTC with `Z` and every microsecond, so that it can stand in a cursor (S-16). */
export function isoTime(column: AnyColumn | SQL): SQL<string> {
  return sql<string>`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** `isoTime` of a column that may be null. */
export function isoTimeOrNull(column: AnyColumn): SQL<string | null> {
  return isoTime(column);
}
