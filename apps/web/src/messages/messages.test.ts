import { expect, test } from "vitest";
import { en } from "./en.ts";
import { language } from "./language.ts";
import { zh } from "./zh.ts";

/** Words that are the same in every language: the product's name, and what stands in states and addresses. */
const SAME =
  /^(app\.name|decision\.(continue|wait|done|fail)|time\.(never|utc)|flows\.ir|run\.tabs\.logs|workers\.holding)$/;

function leaves(part: object, path = ""): [string, string][] {
  return Object.entries(part).flatMap(([key, value]) => {
    const at = path === "" ? key : `${path}.${key}`;
    if (typeof value === "function") return [[at, String(value("1", 2, 3))]];
    return typeof value === "string" ? [[at, value]] : leaves(value, at);
  });
}

test("5: both languages say everything, each in its own words", () => {
  const [english, chinese] = [new Map(leaves(en)), new Map(leaves(zh))];
  expect([...chinese.keys()].toSorted()).toEqual([...english.keys()].toSorted());
  for (const [at, text] of chinese) {
    expect(text.trim(), at).not.toBe("");
    if (!SAME.test(at)) expect(text, at).toMatch(/\p{Script=Han}/u);
  }
});

test("5: without a choice the browser's language counts, and English where there is none of ours", () => {
  expect(language()).toBe("en");
});
