import { z } from "zod";

/** Name of a flow (3.4). */
export const flowName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,127}$/,
    "must be 1 to 128 of a-z, 0-9, dot, dash and underscore, beginning with a-z or 0-9",
  );

/** A run's id: UUIDv7 in lower case (S-16). */
export const runId = z.uuid();

/** A time in UTC with `Z` (S-16). */
export const time = z.iso.datetime();

/** Any JSON value. Its exact text counts and is kept: number spelling, key order, escapes (L-46). */
export const anyJson = z.unknown();

/** The body of calls that take none: nothing, or `{}` (S-15). */
export const noBody = z.strictObject({});

/** Text that a database and a log can hold: no NUL, no half of a surrogate pair. */
export const plainText = z.string().refine(isPlain, "must not hold a NUL or half a surrogate pair");

/** Version of a flow; the first one is 1. */
export const versionNumber = z.int().min(1).max(2_147_483_647);

/** Visible ASCII, kept with the run; the same key with the same body is the same call. */
export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, "must be 1 to 255 visible ASCII characters");

/** One page of a list; `nextCursor` is null on the last one (S-16). */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() });
}

const cursor = z.string().regex(/^[\w-]{1,2000}$/, "must be a nextCursor of the same list");

/** Query of every list. */
export const pageQuery = { limit: integerParameter(1, 500).optional(), cursor: cursor.optional() };

/** Entries on a page when the call names no limit. */
export const DEFAULT_PAGE_LIMIT = 50;

/** A whole number in a query: digits only, from `min` to `max`. */
export function integerParameter(min: number, max: number) {
  const digits = (given: unknown) =>
    typeof given === "string" && /^\d{1,15}$/.test(given) ? Number(given) : given;
  return z.preprocess(digits, z.int().min(min).max(max));
}

function isPlain(text: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return !/[\0\ud800-\udfff]/u.test(text);
}
