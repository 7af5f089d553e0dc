import { expect, test } from "vitest";
import { elements, members } from "./members.ts";
import { decodeString, quote } from "./strings.ts";
import { jsonValue } from "./value.ts";
import { arrayText, objectText } from "./write.ts";

test("L-46: members gives the exact text of each value under its decoded key, in order", () => {
  const text = '{"state":{"2":1.0,"1":-0},"\\u0061":"\\u0000","__proto__":[1e2,{}],"":null,"x":"}"}';
  expect([...members(text)]).toEqual([
    ["state", '{"2":1.0,"1":-0}'],
    ["a", '"\\u0000"'],
    ["__proto__", "[1e2,{}]"],
    ["", "null"],
    ["x", '"}"'],
  ]);
  expect(Object.hasOwn(Object.prototype, "x")).toBe(false);
});

test("elements gives the exact text of each element", () => {
  expect(elements('[1.0,"a,b",[2,[3]],{"a":[]},null]')).toEqual([
    "1.0",
    '"a,b"',
    "[2,[3]]",
    '{"a":[]}',
    "null",
  ]);
  expect(elements("[]")).toEqual([]);
  expect(members("{}").size).toBe(0);
});

test("other kinds of JSON and unscanned text are thrown back", () => {
  expect(() => members("[]")).toThrow("not an object");
  expect(() => elements("{}")).toThrow("not an array");
  expect(() => members('{"a":[1')).toThrow("not scanned");
  expect(() => elements("[1 2]")).toThrow("not scanned");
});

test.each([["plain"], ["NUL \0 and \ud800 half"], ['"\\\n\u2028'], [""], ["\u{1f600}"]])(
  "L-46: quoting and decoding give %j back",
  (text) => {
    expect(decodeString(quote(text))).toBe(text);
  },
);

test("L-46: a lone surrogate is written as an escape", () => {
  expect(quote("\ud800")).toBe('"\\ud800"');
});

test("objectText and arrayText put JSON texts together untouched", () => {
  expect(
    objectText([
      ["b", "1.0"],
      ['"', "{}"],
    ]),
  ).toBe('{"b":1.0,"\\"":{}}');
  expect(objectText(new Map([["__proto__", "1"]]))).toBe('{"__proto__":1}');
  expect(objectText([])).toBe("{}");
  expect(arrayText(["-0", '"a"'])).toBe('[-0,"a"]');
});

test("P-49: a parsed __proto__ is an own property and pollutes nothing", () => {
  const value = jsonValue('{"__proto__":{"polluted":1}}');
  expect(Object.hasOwn(Object(value), "__proto__")).toBe(true);
  expect(Reflect.get({}, "polluted")).toBeUndefined();
});
