import { describe, it } from "vitest";
import { checkFixture, SUB } from "../testing/fixtures.ts";
import type { Fixture } from "../testing/fixtures.ts";

const fixtures: readonly Fixture[] = [
  [
    "D06 a renamed import",
    "its own name",
    `import { ⟦D06⟧flow as f } from "agentflow/flow";`,
    `import { flow } from "agentflow/flow";`,
  ],
  [
    "D06 a bare call",
    "give a call a name",
    `⟦D06⟧provide.text("a", {});`,
    `const a = provide.text("a", {});`,
  ],
  ["D06 let", "const", `⟦D06⟧let a = provide.text("a", {});`, `const a = provide.text("a", {});`],
  [
    "D06 a value that is no call",
    "write the value into a pin",
    "const ⟦D06⟧a = 5;",
    `const a = provide.text("a", { value: 5 });`,
  ],
  [
    "D06 an export list",
    "export",
    `const a = provide.text("a", {});\n⟦D06⟧export { a };`,
    `export const a = provide.text("a", {});`,
  ],
  ["D06 a default export", "export", "⟦D06⟧export default flow();", "export const run = flow();"],
  ["D06 a class", "has no place", "⟦D06⟧class A {}", ""],
  ["D06 a call of something else", "`fetch`", `const a = ⟦D06⟧fetch("https://example.org");`, ""],
  [
    "D06 a name declared twice",
    "declared twice",
    `const a = provide.text("a", {});\nconst ⟦D06⟧a = provide.text("b", {});`,
    `const a = provide.text("a", {});\nconst b = provide.text("b", {});`,
  ],
  [
    "D06 a name of the language declared anew",
    "name of the language",
    `const ⟦D06⟧tool = provide.text("a", {});`,
    `const tools = provide.text("a", {});`,
  ],
  [
    "D06 a template slot that clashes with a written pin",
    "`a`",
    `${SUB}const t = tool.nodejs("t", { a: "1" }, \`\${⟦D06⟧a.result}\`);`,
    `${SUB}const t = tool.nodejs("t", { b: "1" }, \`\${a.result}\`);`,
    { node: "t", field: "script" },
  ],
  [
    "D06 a template slot that clashes with a slot of the type",
    "`state`",
    `const state = provide.json("s", { value: 1 });\nconst l = control.while("l", {}, \`\${⟦D06⟧state.value}\`);`,
    `const state = provide.json("s", { value: 1 });\nconst l = control.while("l", { state: state.value }, \`\${state}\`);`,
    { node: "l", field: "script" },
  ],
  [
    "D06 a node instead of its output",
    "a.slot",
    `${SUB}const t = tool.nodejs("t", { x: ⟦D06⟧a }, "true");`,
    `${SUB}const t = tool.nodejs("t", { x: a.result }, "true");`,
    { node: "t", field: "x" },
  ],
  [
    "D06 a subflow in a pin",
    "flow.call",
    `${SUB}const t = tool.nodejs("t", { x: ⟦D06⟧s }, "true");`,
    `${SUB}const t = tool.nodejs("t", { x: 1 }, "true");`,
    { node: "t", field: "x" },
  ],
  [
    "D06 a slot of a subflow",
    "not a node",
    `${SUB}const t = tool.nodejs("t", { x: ⟦D06⟧s.out }, "true");`,
    `${SUB}const c = flow.call("c", s, {});
const t = tool.nodejs("t", { x: c.out }, "true");`,
    { node: "t", field: "x" },
  ],
  [
    "D06 an unknown variable in a pin",
    "not declared",
    `const t = tool.nodejs("t", { x: ⟦D06⟧y }, "true");`,
    `const t = tool.nodejs("t", { x: "y" }, "true");`,
    { node: "t", field: "x" },
  ],
  [
    "D06 a variable inside a JSON literal",
    "`y`",
    `const t = provide.json("t", { value: [1, { k: ⟦D06⟧y }] });`,
    `const t = provide.json("t", { value: [1, { k: "y" }] });`,
    { node: "t", field: "value" },
  ],
  [
    "D06 a key that stands twice in a JSON literal (P-52)",
    "twice",
    `const t = provide.json("t", { value: { k: 1, ⟦D06⟧k: 2 } });`,
    `const t = provide.json("t", { value: { k: 1, l: 2 } });`,
    { node: "t", field: "value" },
  ],
  [
    "D06 an array with holes",
    "null",
    `const t = provide.json("t", { value: ⟦D06⟧[1, , 2] });`,
    `const t = provide.json("t", { value: [1, null, 2] });`,
    { node: "t", field: "value" },
  ],
  [
    "D06 a number that is no JSON number",
    "literal",
    `const t = provide.json("t", { value: ⟦D06⟧10n });`,
    `const t = provide.json("t", { value: 10 });`,
    { node: "t", field: "value" },
  ],
  [
    "D06 a regular expression",
    "literal",
    `const t = provide.json("t", { value: ⟦D06⟧/a/ });`,
    `const t = provide.json("t", { value: "a" });`,
    { node: "t", field: "value" },
  ],
  [
    "D06 a template with placeholders in a pin",
    "placeholders",
    'const t = provide.text("t", { value: ⟦D06⟧`${flowDir}/x` });',
    'const t = provide.text("t", { value: `x` });',
    { node: "t", field: "value" },
  ],
  [
    "D06 an inline call in a pin",
    "declared with const",
    `const t = tool.nodejs("t", { x: ⟦D06⟧provide.text("a", {}) }, "true");`,
    `const t = tool.nodejs("t", { x: "a" }, "true");`,
    { node: "t", field: "x" },
  ],
  [
    "D06 a pin written twice",
    "twice",
    `const t = tool.nodejs("t", { x: 1, ⟦D06⟧x: 2 }, "true");`,
    `const t = tool.nodejs("t", { x: 1, y: 2 }, "true");`,
    { node: "t", field: "x" },
  ],
  [
    "D06 control as a pin",
    "flow(...)",
    `${SUB}const t = tool.nodejs("t", { ⟦D06⟧prev: a.next }, "true");`,
    `${SUB}const t = tool.nodejs("t", {}, "true");`,
    { node: "t", field: "prev" },
  ],
];

describe("findings about names, pins and templates (2-flows 2.5)", () => {
  it.each(fixtures)("%s is reported at its place, and its mended twin is clean", (...fixture) =>
    checkFixture(fixture),
  );
});
