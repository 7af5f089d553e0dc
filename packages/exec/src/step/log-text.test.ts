import { describe, expect, it } from "vitest";
import { logText } from "./log-text.ts";

describe("log text", () => {
  it("L-47, P-46, D10: NUL and bytes that are no UTF-8 become U+FFFD, everything else stays", () => {
    expect(logText(Buffer.from("a\0b 日本 😀\n\u001b[31m"), false)).toBe("a\uFFFDb 日本 😀\n\u001b[31m");
    expect(logText(Buffer.from([0xff, 0x41, 0xc0, 0x80]), false)).toBe("\uFFFDA\uFFFD\uFFFD");
    expect(logText(Buffer.from("\uFEFFx"), false)).toBe("\uFEFFx");
  });

  it("L-47, P-46: an encoded surrogate is broken, and no lone one comes out", () => {
    expect(logText(Buffer.from([0xed, 0xa0, 0x80]), false)).toBe("\uFFFD\uFFFD\uFFFD");
  });

  it.each(["é", "日", "😀"])(
    "L-47: a cut inside %s leaves the character out, a cut behind it keeps it",
    (character) => {
      const bytes = Buffer.from(`ab${character}`);
      for (let end = 3; end < bytes.length; end += 1)
        expect(logText(bytes.subarray(0, end), true)).toBe("ab");
      expect(logText(bytes, true)).toBe(`ab${character}`);
    },
  );

  it("L-47: a character that the program itself left unfinished is shown as broken", () => {
    expect(logText(Buffer.from("ab😀").subarray(0, 4), false)).toBe("ab\uFFFD");
  });

  it("L-47: a cut in nothing but continuation bytes and an empty text are fine", () => {
    expect(logText(Buffer.from([0x80, 0x80, 0x80, 0x80, 0x80]), true)).toBe("\uFFFD".repeat(5));
    expect(logText(new Uint8Array(0), true)).toBe("");
  });
});
