import { describe, expect, test } from "vitest";
import { scan, type ScanError, type ScanOptions } from "./scan.ts";

function refusal(text: string, options?: ScanOptions): ScanError {
  const result = scan(text, options);
  if (result.ok) throw new Error(`passed: ${text.slice(0, 80)}`);
  return result.error;
}

function compact(text: string): string {
  const result = scan(text);
  if (!result.ok) throw new Error(result.error.message);
  return result.text;
}

describe("what passes", () => {
  test.each([
    ["null", "null", 0],
    ["true", "boolean", 0],
    ["false", "boolean", 0],
    ["3", "number", 0],
    ['"x"', "string", 0],
    ["[1,2]", "array", 1],
    ['{"a":[{}]}', "object", 3],
  ])("L-45: %s is a legal value of kind %s", (text, kind, depth) => {
    expect(scan(text)).toEqual({ ok: true, text, bytes: text.length, kind, depth });
  });

  test.each([
    ["-0"],
    ["1.0"],
    ["1e2"],
    ["1E+2"],
    ["-1.50e-07"],
    ["1e-400"],
    ['"\\u0000"'],
    ['"\\\\u0000"'],
    ['"\\ud800"'],
    ['"\\uDC00\\ud800"'],
    ['"\\u0061\\/"'],
    ['{"":0,"__proto__":{"x":1},"constructor":2,"toString":3,"hasOwnProperty":4,"a.b":5}'],
    ['{"zz":1,"b":2,"2":0,"1":0,"a":1.0,"c":1e2}'],
    ['"\u2028\u007f\u{1f600}漢"'],
  ])("L-46, P-48, P-49, AC-31: %s survives byte for byte", (text) => {
    expect(compact(text)).toBe(text);
    expect(compact(` \t\r\n${text}\n`)).toBe(text);
  });

  test("L-46: only the white space outside strings is removed", () => {
    expect(compact(' { "a b" : [ 1 ,\t" x " , { } , [ ] ] ,\r\n"c":null } ')).toBe(
      '{"a b":[1," x ",{},[]],"c":null}',
    );
  });

  test.each([
    ['"é"', 4],
    ['"漢"', 5],
    ['"\u{1f600}"', 6],
    ['"\\u6f22"', 8],
    [' [ "é" , 1 ] ', 8],
  ])("L-31: the size of %s is %i bytes of compact UTF-8", (text, bytes) => {
    const result = scan(text);
    expect(result.ok && result.bytes).toBe(bytes);
  });
});

describe("numbers", () => {
  test.each([
    ["9007199254740991"],
    ["-9007199254740991"],
    ["9007199254740993.0"],
    ["1.7976931348623157e308"],
    ["0.1"],
  ])("L-45: %s passes", (text) => {
    expect(compact(text)).toBe(text);
  });

  test.each([
    ["9007199254740992"],
    ["-9007199254740992"],
    ["9007199254740993"],
    ["1234567890123456789"],
    ["1e400"],
    ["-1e309"],
  ])("L-45, P-48: %s is refused as not exact", (text) => {
    expect(refusal(text).code).toBe("number_not_exact");
    expect(refusal(`{"id":[0,${text}]}`)).toMatchObject({ path: "$.id[1]", position: 9 });
  });
});

test("L-45, P-48: long numbers without an exponent are refused too, as integers or as infinite", () => {
  expect(refusal("1".repeat(400)).code).toBe("number_not_exact");
  expect(refusal(`${"9".repeat(310)}.5`).message).toContain("not finite");
  expect(compact(`${"9".repeat(300)}.5`)).toHaveLength(302);
});

describe("duplicate keys", () => {
  test.each([
    ['{"a":1,"a":2}', "$.a"],
    ['{"a":1,"\\u0061":2}', "$.a"],
    ['{"x":[{"k":1,"l":2,"k":3}]}', "$.x[0].k"],
    ['{"":1,"":2}', '$[""]'],
    ['{"__proto__":1,"__proto__":2}', "$.__proto__"],
    ['{"decision":"wait","decision":"done"}', "$.decision"],
    ['{"\\ud800":1,"\\uD800":2}', '$["\\ud800"]'],
  ])("L-45, P-52: %s is ambiguous", (text, path) => {
    const error = refusal(text);
    expect(error).toMatchObject({ code: "duplicate_key", path });
    expect(error.message).toContain(path);
  });

  test("L-45: the same key in different objects is fine, also after an inner object with many keys", () => {
    const many = Array.from({ length: 20 }, (_, i) => `"k${i}":{"k${i}":0}`).join();
    const text = `{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}],"many":{${many}},"k0":0}`;
    expect(compact(text)).toBe(text);
  });

  test("L-45: every one of many keys is compared", () => {
    for (let at = 0; at < 30; at += 1) {
      const keys = Array.from({ length: 30 }, (_, i) => `"k${i}":0`);
      expect(refusal(`{${keys.join()},"k${at}":1}`).path).toBe(`$.k${at}`);
    }
  });
});

describe("nesting", () => {
  test.each([
    ["[", "]"],
    ['{"a":', "}"],
  ])("L-45: %s nested exactly 512 deep passes and 513 does not", (open, close) => {
    const nested = (depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`;
    const result = scan(nested(512));
    expect(result.ok && result.depth).toBe(512);
    expect(refusal(nested(513)).code).toBe("state_too_deep");
    expect(scan(nested(513), { envelope: 1 }).ok).toBe(true);
    expect(refusal(nested(514), { envelope: 1 }).code).toBe("state_too_deep");
  });

  test.each([["["], ['{"a":'], ['[{"a":']])(
    "AC-32, P-50: 100,000 times %s is an answer, not a crash",
    (open) => {
      const error = refusal(open.repeat(100_000));
      expect(error.code).toBe("state_too_deep");
      expect(error.path.length).toBeLessThan(300);
    },
  );
});

describe("syntax", () => {
  test.each([
    ["", "empty"],
    [" \n\t ", "empty"],
    ["\ufeff1", "unexpected character"],
    ["\u00a01", "unexpected character"],
    ["not-json", "unexpected word"],
    ["NaN", "unexpected character"],
    ["-Infinity", "digit is missing"],
    ["nul", "unexpected word"],
    ["nullx", "unexpected character"],
    ["truefalse", "nothing after"],
    ["'x'", "unexpected character"],
    ["[1,]", "a value"],
    ["[,1]", "a value"],
    ["[1 2]", '"," or "]"'],
    ["[1}", '"," or "]"'],
    ['{"a":1,}', "double quotes"],
    ["{a:1}", "unexpected character"],
    ['{"a" 1}', '":"'],
    ['{"a":}', "a value"],
    ['{"a":1]', '"," or "}"'],
    ['{"a"', '":"'],
    ["{1:2}", "double quotes"],
    ["[", "a value"],
    ["[1", '"," or "]"'],
    ["[1,", "a value"],
    ['{"a":1,', "double quotes"],
    ['{"a":', "a value"],
    ["[[]", '"," or "]"'],
    ["]", "a value"],
    ["1 // one", "unexpected character"],
    ["/* x */ 1", "unexpected character"],
    ["{} {}", "nothing after"],
    ["1 1", "nothing after"],
    ["01", "leading zero"],
    ["-01", "leading zero"],
    ["+1", "unexpected character"],
    ["1.", "digit is missing"],
    [".5", "unexpected character"],
    ["1e", "digit is missing"],
    ["1e+", "digit is missing"],
    ["-", "digit is missing"],
    ["0x10", "unexpected character"],
    ["1_0", "unexpected character"],
    ["１", "unexpected character"],
    ['"a', "without an end"],
    ['"\\', "broken escape"],
    ['"\\x41"', "broken escape"],
    ['"\\u12"', "broken escape"],
    ['"\\u12g4"', "broken escape"],
    ['"a\nb"', "control character"],
    ['"a\0b"', "control character"],
    ['"\ud800"', "unpaired surrogate"],
    ['"\udc00\ud800"', "unpaired surrogate"],
    ['"\ud800\\udc00"', "unpaired surrogate"],
  ])("L-45, P-43: %j is refused: %s", (text, problem) => {
    const error = refusal(text);
    expect(error.code).toBe("json_syntax");
    expect(error.message).toContain(problem);
  });

  test("P-43: the message names the path, line and column", () => {
    const error = refusal('{\n  "a": [1, NaN]\n}');
    expect(error).toMatchObject({ path: "$.a[1]", position: 13 });
    expect(error.message).toBe("$.a[1]: unexpected character (line 2, column 12)");
  });

  test("L-45: the first refusal is the one reported", () => {
    expect(refusal('[1e400,{"a":1,"a":2},nope').code).toBe("number_not_exact");
    expect(refusal('{"a":1,"a":nope').code).toBe("duplicate_key");
  });

  test("L-45: paths quote odd keys and stay short and well-formed", () => {
    expect(refusal('{"a b":{"$ok_1":{"\\u0000":[[x')).toMatchObject({
      path: '$["a b"].$ok_1["\\u0000"][0][0]',
    });
    const { path } = refusal(`{"${"\u{1f600}".repeat(500)}":x`);
    expect(path.length).toBeLessThan(250);
    expect(path).not.toMatch(/[\ud800-\udfff]/u);
  });
});

describe("size", () => {
  test("L-31, AC-26: the limit counts compact bytes; exactly it passes and one more does not", () => {
    expect(scan(' [ "é" ] ', { maxBytes: 6 })).toMatchObject({ ok: true, bytes: 6 });
    expect(refusal('["é"]', { maxBytes: 5 })).toMatchObject({ code: "state_too_large", path: "$" });
  });
});
