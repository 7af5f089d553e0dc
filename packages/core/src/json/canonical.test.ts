import { expect, test } from "vitest";
import { canonical } from "./canonical.ts";
import { canonicalNumber } from "./number.ts";

test.each([
  ['{"zz":1,"b":2,"a":1.0,"c":1e2}', '{"a":1,"b":2,"c":100,"zz":1}'],
  ['{ "b" : [ 3 , { "y":1, "x":2 } ] , "a" : null }', '{"a":null,"b":[3,{"x":2,"y":1}]}'],
  ['{"10":0,"9":0,"":0,"__proto__":1}', '{"":0,"10":0,"9":0,"__proto__":1}'],
  ['{"\\u0062":"\\u0061\\/","a":"\\u000a"}', '{"a":"\\n","b":"a/"}'],
  ['["\\ud83d\\ude00","\\uD800","\\u0000"]', '["\u{1f600}","\\ud800","\\u0000"]'],
  ["[]", "[]"],
  ["[[],{},[[]]]", "[[],{},[[]]]"],
  [' "x" ', '"x"'],
  ["true", "true"],
])("P-51, L-38: %s is canonically %s", (text, wanted) => {
  expect(canonical(text)).toBe(wanted);
});

test.each([
  ["0", "0"],
  ["0.000", "0"],
  ["0e9", "0"],
  ["-0", "-0"],
  ["-0.0e5", "-0"],
  ["1.0", "1"],
  ["10e-1", "1"],
  ["100", "100"],
  ["1e2", "100"],
  ["1.50", "15e-1"],
  ["0.015e2", "15e-1"],
  ["-12.5e-3", "-125e-4"],
  ["9007199254740991", "9007199254740991e0"],
  ["9007199254740993.0", "9007199254740993e0"],
  ["1e300", "1e300"],
  ["1e-99999999999999999999", "1e-99999999999999999999"],
])("P-51: the number %s is canonically %s", (raw, wanted) => {
  expect(canonicalNumber(raw)).toBe(wanted);
});

test("L-38: numbers are compared as decimals, so digits that a double would lose still count", () => {
  expect(canonical("0.1")).not.toBe(canonical("0.10000000000000000001"));
});

test("L-45: 512 levels around a large value are no trouble", () => {
  const large = JSON.stringify(Array.from({ length: 20_000 }, (_, at) => `value ${at}`));
  const text = `${'{"a":'.repeat(511)}${large}${"}".repeat(511)}`;
  expect(canonical(text)).toBe(text);
});

test.each([[""], ["["], ["[1"], ["nope"], ["]"]])(
  "text that was never scanned is thrown back: %j",
  (text) => {
    expect(() => canonical(text)).toThrow("not scanned");
  },
);
