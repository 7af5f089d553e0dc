import { expect, test } from "vitest";
import { counted, oneLine, plain, plainJson, table } from "./text.ts";

test.each([
  ["colours", "\u001b[31mred\u001b[0m", "red"],
  ["a title of the window", "\u001b]0;owned\u0007text", "text"],
  ["a link", "\u001b]8;;http://evil\u001b\\click\u001b]8;;\u001b\\", "click"],
  ["a sequence in one byte", "\u009b2Jtext", "text"],
  ["moving back over what is there", "paid\rowed\b\b", "paidowed"],
  ["a broken sequence", "a\u001b", "a"],
  ["text turned around", "user\u202etxt.exe\u2066", "usertxt.exe"],
])("S-21: %s cannot do anything to the terminal", (_, given, shown) => {
  expect(plain(given)).toBe(shown);
});

test("S-21: no control character but tab and line feed is left, whatever stands around it", () => {
  for (let code = 0; code < 0xa0; code++) {
    const character = String.fromCharCode(code);
    const left = plain(`a${character}b`);
    const isControl = (code < 0x20 && code !== 9 && code !== 10) || code >= 0x7f;
    expect(left.includes(character), `U+${code.toString(16)}`).toBe(!isControl);
  }
  expect(plain("\u001b\u001b[[31mx")).not.toContain("\u001b");
});

test("text of any language stays as it is", () => {
  const text = "Žluťoučký kůň 你好 שלום 👩‍👩‍👧\n\tline";
  expect(plain(text)).toBe(text);
});

test("S-21: JSON keeps its value and shows no control character", () => {
  const value = { text: "a\u009b31m\u007f\u202e\u001b[2Jb\n" };
  const shown = plainJson(JSON.stringify(value));
  expect(JSON.parse(shown)).toEqual(value);
  expect(shown).not.toMatch(/[\0-\x1f\x7f-\x9f\u202e]/);
});

test("one line is one line and has its length, counted in characters", () => {
  expect(oneLine(" a\n\n  b\tc ", 10)).toBe("a b c");
  expect(oneLine("👍👍👍👍", 3)).toBe("👍👍…");
  expect(oneLine("abc", 3)).toBe("abc");
});

test("columns are as wide as their widest cell", () => {
  expect(
    table([
      ["a", "bb", "c"],
      ["aaa", "b", "long and ragged"],
    ]),
  ).toBe("a    bb  c\naaa  b   long and ragged");
});

test("nouns agree with their number", () => {
  expect([0, 1, 2].map((count) => counted(count, "error"))).toEqual(["0 errors", "1 error", "2 errors"]);
});
