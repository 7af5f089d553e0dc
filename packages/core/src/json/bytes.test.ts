import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeUtf8Strict, isWellFormed, sanitiseLog, utf8Length } from "./bytes.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const anyText = fc.string({
  unit: fc.constantFrom("a", "\0", "é", "漢", "\u{1f600}", "\ud800", "\udc00", "\n"),
});

test("L-31: utf8Length is the length an encoder gives", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(utf8Length(text)).toBe(encode(text).length);
    }),
  );
});

test("isWellFormed finds every lone surrogate", () => {
  expect(isWellFormed("a\u{1f600}\0")).toBe(true);
  expect(isWellFormed("a\ud83d")).toBe(false);
  expect(isWellFormed("\ude00\ud83d")).toBe(false);
});

describe("strict decoding", () => {
  test("L-26: one byte-order mark is dropped, a second one is text", () => {
    expect(decodeUtf8Strict(encode("\ufeff{}"))).toBe("{}");
    expect(decodeUtf8Strict(encode("\ufeff\ufeff{}"))).toBe("\ufeff{}");
    expect(decodeUtf8Strict(encode("é\u{1f600}\0"))).toBe("é\u{1f600}\0");
    expect(decodeUtf8Strict(new Uint8Array())).toBe("");
  });

  test.each([
    ["a lone continuation byte", [0x80]],
    ["a cut character", [0x61, 0xe6, 0xbc]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["an encoded surrogate", [0xed, 0xa0, 0x80]],
    ["a code point beyond Unicode", [0xf4, 0x90, 0x80, 0x80]],
    ["Latin-1", [0x22, 0xe9, 0x22]],
    ["UTF-16", [0xff, 0xfe, 0x7b, 0x00]],
  ])("L-26: %s is refused", (_, bytes) => {
    expect(decodeUtf8Strict(Uint8Array.from(bytes))).toBeNull();
  });
});

describe("log text", () => {
  test("L-47, P-46: NUL and broken surrogates become U+FFFD; typed escapes stay", () => {
    expect(sanitiseLog("a\0b\ud800c\udc00\u{1f600}\\u0000", 100, "head")).toBe(
      "a\ufffdb\ufffdc\ufffd\u{1f600}\\u0000",
    );
    expect(sanitiseLog(Uint8Array.from([0x61, 0x00, 0xff, 0xe6, 0xbc]), 100, "tail")).toBe(
      "a\ufffd\ufffd\ufffd",
    );
  });

  test("L-47: the cut falls between characters and counts bytes of what is stored", () => {
    expect(sanitiseLog("aé漢\u{1f600}", 10, "head")).toBe("aé漢\u{1f600}");
    expect(sanitiseLog("aé漢\u{1f600}", 9, "head")).toBe("aé漢");
    expect(sanitiseLog("aé漢\u{1f600}", 5, "head")).toBe("aé");
    expect(sanitiseLog("\u{1f600}漢éa", 9, "tail")).toBe("漢éa");
    expect(sanitiseLog("\u{1f600}漢éa", 2, "tail")).toBe("a");
    expect(sanitiseLog("abc", 0, "tail")).toBe("");
  });

  test("L-47: whatever comes in, the result is storable, within the limit and loses no more than it must", () => {
    fc.assert(
      fc.property(anyText, fc.nat({ max: 30 }), fc.constantFrom("head", "tail"), (text, limit, keep) => {
        const kept = sanitiseLog(text, limit, keep);
        const whole = sanitiseLog(text, Infinity, keep);
        expect(isWellFormed(kept) && !kept.includes("\0")).toBe(true);
        expect(utf8Length(kept)).toBeLessThanOrEqual(limit);
        expect(keep === "head" ? whole.startsWith(kept) : whole.endsWith(kept)).toBe(true);
        if (kept !== whole) expect(utf8Length(kept)).toBeGreaterThan(limit - 4);
      }),
    );
  });
});
