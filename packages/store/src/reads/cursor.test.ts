import { expect, test } from "vitest";
import { decodeCursor, encodeCursor, pageOf } from "./cursor.ts";

const TIME = /^\d{4}/;
const ANY = /^.*$/;

test("S-16: a cursor gives back what it was made of", () => {
  const cursor = encodeCursor(["2026-01-01T00:00:00.123456Z", 7]);
  expect(cursor).toMatch(/^[\w-]+$/);
  expect(decodeCursor(cursor, TIME, ANY)).toEqual(["2026-01-01T00:00:00.123456Z", "7"]);
});

test.each([
  "",
  "x",
  "AAAA",
  "e30",
  "bnVsbA",
  encodeCursor([]),
  encodeCursor(["2026"]),
  encodeCursor(["x", "y"]),
  encodeCursor(["2026", "a", "b"]),
])("S-16: the cursor %j is malformed", (cursor) => expect(decodeCursor(cursor, TIME, ANY)).toBeNull());

test("S-16: a page shows its limit and points behind its last row only when there is more", () => {
  const page = (rows: number[]) =>
    pageOf(
      rows,
      2,
      (row) => [row],
      (row) => `#${row}`,
    );
  expect(page([])).toEqual({ items: [], nextCursor: null });
  expect(page([1, 2])).toEqual({ items: ["#1", "#2"], nextCursor: null });
  expect(page([1, 2, 3])).toEqual({ items: ["#1", "#2"], nextCursor: encodeCursor([2]) });
});
