import { describe, expect, it } from "vitest";
import { checkFixture, SUB } from "../testing/fixtures.ts";
import type { Fixture } from "../testing/fixtures.ts";
import { places, read } from "../testing/read.ts";

const fixtures: readonly Fixture[] = [
  [
    "D01 a syntax error",
    "Unexpected token",
    `const a = provide.text("a", {⟦D01⟧);`,
    `const a = provide.text("a", {});`,
  ],
  [
    "D01 a file that is no module",
    "ES2022 module",
    "const a = 1 ⟦D01⟧1;",
    `const a = provide.text("a", {});`,
  ],
  ["D02 for", "control.while", `\n  ⟦D02⟧for (;;) {}`, ""],
  ["D02 for of", "control.while", "⟦D02⟧for (const a of b) {}", ""],
  ["D02 for in", "control.while", "⟦D02⟧for (const a in b) {}", ""],
  ["D02 while", "control.while", "⟦D02⟧while (true) {}", ""],
  ["D02 do while", "control.while", "⟦D02⟧do {} while (true);", ""],
  ["D02 if", "control.if", "⟦D02⟧if (true) {}", ""],
  [
    "D02 a ternary in a pin",
    "ternary",
    `const a = provide.text("a", { value: ⟦D02⟧x ? "1" : "2" });`,
    `const a = provide.text("a", { value: "1" });`,
  ],
  [
    "D02 a ternary in a template",
    "ternary",
    'const a = tool.nodejs("a", {}, `${⟦D02⟧x ? 1 : 2}`);',
    'const a = tool.nodejs("a", {}, `12`);',
  ],
  ["D02 await", "await", `const a = ⟦D02⟧await provide.text("a", {});`, `const a = provide.text("a", {});`],
  [
    "D02 spread in pins",
    "spread",
    `const a = provide.text("a", { ⟦D02⟧...b });`,
    `const a = provide.text("a", {});`,
  ],
  [
    "D02 spread in a chain",
    "spread",
    `${SUB}export const run = flow("r", ⟦D02⟧...b);`,
    `${SUB}export const run = flow("r");`,
  ],
  [
    "D02 a rest name",
    "spread",
    `const a = agent.test("a", {}, "b");\nconst { ⟦D02⟧...rest } = a;`,
    `const a = agent.test("a", {}, "b");\nconst { rest } = a;`,
  ],
  ["D02 a function declaration", "scripts/", "⟦D02⟧function f() {}", ""],
  ["D02 an arrow function", "function", "const f = ⟦D02⟧() => 1;", ""],
  [
    "D02 a method in pins",
    "function",
    `const a = tool.nodejs("a", { b⟦D02⟧() {} }, "true");`,
    `const a = tool.nodejs("a", { b: 1 }, "true");`,
  ],
  ["D02 switch", "switch", "⟦D02⟧switch (1) {}", ""],
  ["D02 try", "try", "⟦D02⟧try {} finally {}", ""],
  ["D02 new", "new", "const a = ⟦D02⟧new Date();", ""],
  [
    "D03 computed access in a pin",
    "computed",
    `${SUB}const t = tool.nodejs("t", { x: ⟦D03⟧a["result"] }, "true");`,
    `${SUB}const t = tool.nodejs("t", { x: a.result }, "true");`,
  ],
  [
    "D03 a computed call",
    "computed",
    `const a = ⟦D03⟧provide["text"]("a", {});`,
    `const a = provide.text("a", {});`,
  ],
  [
    "D03 a computed key",
    "computed",
    `const a = provide.text("a", { ⟦D03⟧["value"]: "1" });`,
    `const a = provide.text("a", { value: "1" });`,
  ],
  [
    "D04 file() with a template expression",
    "literal",
    'const a = provide.file("a", { value: ⟦D04⟧file(`${x}.mjs`) });',
    `const a = provide.file("a", { value: file("scripts/step.mjs") });`,
    { node: "a", field: "value" },
  ],
  [
    "D04 a file that is missing",
    "scripts/gone.mjs",
    `const a = tool.nodejs("a", {}, ⟦D04⟧file("scripts/gone.mjs"));`,
    `const a = tool.nodejs("a", {}, file("./scripts/step.mjs"));`,
    { node: "a", field: "script" },
  ],
  [
    "D04 a path that leaves the folder",
    "inside the flow folder",
    `const a = tool.nodejs("a", {}, ⟦D04⟧file("../scripts/step.mjs"));`,
    `const a = tool.nodejs("a", {}, file("scripts/step.mjs"));`,
    { node: "a", field: "script" },
  ],
  [
    "D04 an absolute path",
    "inside the flow folder",
    `const a = provide.file("a", { value: ⟦D04⟧file("/etc/passwd") });`,
    `const a = provide.file("a", { value: file("scripts/step.mjs") });`,
    { node: "a", field: "value" },
  ],
  [
    "D05 an import from elsewhere",
    "agentflow/flow",
    `import { readFileSync } from ⟦D05⟧"node:fs";`,
    `import { flow } from "agentflow/flow";`,
  ],
  [
    "D05 an import of an unknown name",
    "`fetch`",
    `import { flow, ⟦D05⟧fetch } from "agentflow/flow";`,
    `import { flow, tool } from "agentflow/flow";`,
  ],
  [
    "D05 a default import",
    "named exports",
    `import ⟦D05⟧flow from "agentflow/flow";`,
    `import { flow } from "agentflow/flow";`,
  ],
];

describe("findings about syntax, files and imports (2-flows 2.5)", () => {
  it.each(fixtures)("%s is reported at its place, and its mended twin is clean", (...fixture) =>
    checkFixture(fixture),
  );

  it("D01: a missing file is one finding without a place", () => {
    const { ir, findings } = read(null);
    expect(ir).toBeNull();
    expect(findings).toMatchObject([
      {
        code: "D01",
        line: null,
        column: null,
        message: expect.stringContaining("workspace.flow.js is missing"),
      },
    ]);
  });

  it("F-5: all findings come at once, by place", () => {
    const text = [
      `import x from "y";`,
      `for (;;) { if (a[b]) new C(); }`,
      `const t = nope.x("t");`,
      `const u = provide.nope("u", { a: ...b, c: d });`,
    ].join("\n");
    expect(places(read(text).findings)).toEqual(["D01 4:34"]);
    const mended = text.replace("a: ...b", "...b");
    expect(places(read(mended).findings)).toEqual([
      "D05 1:15",
      "D02 2:1",
      "D02 2:12",
      "D03 2:16",
      "D02 2:22",
      "D06 3:11",
      "D07 4:11",
      "D02 4:31",
      "D06 4:40",
    ]);
  });

  it("F-5: a statement with banned syntax is reported for that alone, one beside it for itself", () => {
    expect(places(read(`const a = (() => 1)();\nconst b = 1 + 1;`).findings)).toEqual([
      "D02 1:12",
      "D06 2:7",
    ]);
  });

  it("F-5: columns count UTF-16 units from 1 and lines end as JavaScript's do", () => {
    expect(places(read(`/* 😀 */ x();\r\n\u2028  y();`).findings)).toEqual(["D06 1:10", "D06 3:3"]);
  });
});
