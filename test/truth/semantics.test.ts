import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ERRORS } from "@agentflow/core";
import { describe, expect, test } from "vitest";

const own = fileURLToPath(import.meta.url);
const root = fileURLToPath(new URL("../../", import.meta.url));
const doc = readFileSync(`${root}docs/semantics.md`, "utf8");
const [promised = "", listed = ""] = doc.split("## Rules by number");

/** Numbered paragraphs, each on one line. */
const promises = promised
  .split(/^(?=\d+\. )/m)
  .slice(1)
  .map((text) => (text.split(/\n\n|\n(?=#)/)[0] ?? "").replaceAll(/\s+/g, " ").trim());

const sequence = (prefix: string, last: number): string[] =>
  Array.from({ length: last }, (_, index) => `${prefix}${index + 1}`);
const rules = [
  ...sequence("L-", 52),
  ...sequence("F-", 30),
  ...sequence("S-", 29),
  ...sequence("O-", 6),
  ...sequence("R-", 9),
  ...sequence("OP-", 7),
  ...sequence("E-", 3),
];

const cases = (prefix: string, numbers: string): string[] =>
  numbers.split(" ").map((number) => `${prefix}-${number}`);
const byExample = cases(
  "AC",
  "01 02 03 04 06 07 08 09 11 12 14 15 16 18 19 20 21 22 24 25 26 28 29 31 32 34 35 36 37 38 40 42 44 45 47 48 49 51 53 54 57 58 59 60 62 63 65 66 68 70 71 72 74 75 77 79 80 82 83 84 87",
);
const seenElsewhere = cases(
  "P",
  "01 02 03 06 07 08 11 12 14 15 16 17 19 21 22 24 25 27 28 30 31 32 33 35 37 39 40 41 43 45 46 48 49 50 51 52 55 56 58 59 60 61 63 64 66 68 69 71 72 74 76 82 83",
);

/** Numbers of parts that are not there yet; each leaves with its part. */
const NOT_YET: Readonly<Record<string, string>> = {
  "P-77": "how the console shows big outputs",
  "P-78": "how the console follows a run",
  "P-85": "editing on the canvas",
};

function* testFiles(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !["node_modules", "dist"].includes(entry.name)) yield* testFiles(path);
    else if (/\.test\.tsx?$|\/testing\/suites\//.test(path) && path !== own) yield path;
  }
}

/** Every text of a test file in which a number stands: titles, and rows of tables that become titles. Comments do not count. */
function numbersInTitles(): ReadonlySet<string> {
  const found = new Set<string>();
  for (const path of ["packages", "apps", "test"].flatMap((name) => [...testFiles(join(root, name))])) {
    const code = readFileSync(path, "utf8").replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");
    for (const [, text = ""] of code.matchAll(/["'`]([^\n]*)/g))
      for (const [number] of text.matchAll(/\b(?:L|F|S|O|R|OP|E|AC|P)-\d+\b/g)) found.add(number);
  }
  return found;
}

const proved = numbersInTitles();
const unproved = (numbers: readonly string[]): readonly string[] =>
  numbers.filter((number) => !proved.has(number));

describe("docs/semantics.md", () => {
  test("numbers its promises without gaps", () => {
    expect(promises.map((text) => Number.parseInt(text))).toEqual(promises.map((_, index) => index + 1));
    expect(promises.length).toBeGreaterThan(20);
  });

  test.each(promises)("promise %s", (promise) => {
    const [, numbers = ""] = /\(([^()]*)\)$/.exec(promise) ?? [];
    const named = numbers.split(", ");
    for (const number of named) expect(number).toMatch(/^(?:L|F|S|O|R|OP|E|AC|P)-\d+$/);
    expect(unproved(named), "no test names").toEqual([]);
  });

  test("lists every rule once, in order", () => {
    const found = [...listed.matchAll(/^- ((?:[LFSORE]|OP)-\d+): \S/gm)].map(([, number]) => number);
    expect(found).toEqual(rules);
  });

  test("links codes that exist", () => {
    const links = [...doc.matchAll(/\[`(\w+)`\]\(errors\.md#(\w+)\)/g)];
    expect(links.length).toBeGreaterThan(10);
    for (const [, code = "", anchor] of links) {
      expect(anchor).toBe(code);
      expect(Object.keys(ERRORS)).toContain(code);
    }
  });
});

test("every rule and every case is named by a test", () => {
  const numbers = [...rules, ...byExample, ...seenElsewhere];
  expect(unproved(numbers.filter((number) => !(number in NOT_YET)))).toEqual([]);
});
