import { expect, test } from "vitest";
import { findRows, jsonRows, scalarText, visibleRows } from "./json-rows.ts";

const STATE = '{"a":{"b":[1.0,1E2,"x\\"}{,:"],"e":{}},"":null,"c":true,"__proto__":"p"}';

function rowsOf(text: string) {
  const rows = jsonRows(text);
  if (rows === null) throw new Error("not JSON");
  return rows;
}

test("L-46 K-2: every value of a state is a row, with keys decoded and numbers as they are spelled", () => {
  const rows = rowsOf(STATE).map(({ depth, key, kind, text, members }) => [depth, key, kind, text, members]);
  expect(rows).toEqual([
    [0, null, "object", "", 4],
    [1, "a", "object", "", 2],
    [2, "b", "array", "", 3],
    [3, "0", "number", "1.0", 0],
    [3, "1", "number", "1E2", 0],
    [3, "2", "string", '"x\\"}{,:"', 0],
    [2, "e", "object", "", 0],
    [1, "", "null", "null", 0],
    [1, "c", "boolean", "true", 0],
    [1, "__proto__", "string", '"p"', 0],
  ]);
  expect(rowsOf(STATE).map(({ after }) => after)).toEqual([10, 7, 6, 4, 5, 6, 7, 8, 9, 10]);
});

test("K-2: `start` and `end` of a container give its exact text", () => {
  const row = rowsOf(STATE)[2]!;
  expect(STATE.slice(row.start, row.end)).toBe('[1.0,1E2,"x\\"}{,:"]');
});

test.each(['"text"', "-1.5e-3", "null", "[]", "{}", "[[[]]]", '{"a":{"a":{"a":1}}}'])(
  "K-2: %s has rows",
  (text) => {
    const rows = rowsOf(text);
    expect(rows[0]).toMatchObject({ depth: 0, start: 0, end: text.length, after: rows.length });
  },
);

test.each(["", "{", '{"a":1,"a":2}', "1 2", "NaN"])("L-45: %s has none", (text) => {
  expect(jsonRows(text)).toBeNull();
});

test("K-2: a collapsed container hides all that is inside it and nothing else", () => {
  const rows = rowsOf(STATE);
  const keysOf = (shown: readonly number[]) => shown.map((index) => rows[index]!.key);
  expect(keysOf(visibleRows(rows, (index) => index === 1))).toEqual([null, "a", "", "c", "__proto__"]);
  expect(keysOf(visibleRows(rows, (index) => index === 2))).toEqual([
    null,
    "a",
    "b",
    "e",
    "",
    "c",
    "__proto__",
  ]);
  expect(visibleRows(rows, () => false)).toHaveLength(10);
  expect(visibleRows(rows, () => true)).toEqual([0]);
});

test("K-2: search finds keys and decoded values whatever the case, and shows where they lie", () => {
  const rows = rowsOf('{"Alpha":{"x":[{"beta":"Gr\\u00fcn"}]},"y":"none"}');
  const { found, shown } = findRows(rows, "GRÜN");
  expect([...found].map((index) => scalarText(rows[index]!))).toEqual(["Grün"]);
  expect(shown.map((index) => rows[index]!.key)).toEqual([null, "Alpha", "x", "0", "beta"]);
  expect([...findRows(rows, "alpha").found]).toEqual([1]);
  expect(findRows(rows, "nothing").shown).toEqual([]);
});
