import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nodeOf } from "../testing/read.ts";

/** The JSON text that a literal pin is stored as. */
function stored(literal: string): unknown {
  const pin = nodeOf("p", `const p = provide.json("p", { value: [${literal}] });`).pins["value"];
  return pin && "json" in pin ? pin.json.slice(1, -1) : pin;
}

describe("JSON literals are written down, never evaluated (F-7)", () => {
  it.each([
    ["1.0", "1.0"],
    ["-0", "-0"],
    ["12345678901234567890.10", "12345678901234567890.10"],
    ["1e400", "1e400"],
    ["1_000", "1000"],
    [".5", "0.5"],
    ["5.", "5"],
    ["5.e3", "5e3"],
    ["0x1F", "31"],
    ["0b11", "3"],
  ])("the number %s is stored as %s", (literal, json) => {
    expect(stored(literal)).toBe(json);
  });

  it.each([
    [`"\\u0041\\/"`, `"\\u0041\\/"`],
    [`'it\\'s "x"'`, `"it's \\"x\\""`],
    [`"\\x3c\\u{1F600}\\v\\0\\a"`, `"<😀\\u000b\\u0000a"`],
    [`"a\\\nb"`, `"ab"`],
    [`"tab\there"`, `"tab\\there"`],
    ["`two\nlines`", `"two\\nlines"`],
    [`"\\u{d800}"`, `"\\ud800"`],
    // Halves of pairs that stand in the file as they are, behind a backslash too.
    [`"\ud800a\udc00😀"`, `"\\ud800a\\udc00😀"`],
    [`"\\\udbff"`, `"\\udbff"`],
  ])("the string %j is stored as %j", (literal, json) => {
    expect(stored(literal)).toBe(json);
  });

  it("keys keep their spelling and order", () => {
    expect(stored(`{ b: 1, "a b": [], 'c': {}, "\\u0064": true }`)).toBe(
      `{"b":1,"a b":[],"c":{},"\\u0064":true}`,
    );
  });

  it("F-18: every JSON text is stored token for token", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false, maxDepth: 4 }), (value) => {
        const json = JSON.stringify(value);
        fc.pre(!json.includes('"__proto__"'));
        expect(stored(json)).toBe(json);
      }),
    );
  }, 60_000);
});
