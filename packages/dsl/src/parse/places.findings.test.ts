import { describe, it } from "vitest";
import { checkFixture, SUB } from "../testing/fixtures.ts";
import type { Fixture } from "../testing/fixtures.ts";

const fixtures: readonly Fixture[] = [
  [
    "D06 a second run entry",
    "`one`",
    `export const one = flow();\nexport const ⟦D06⟧two = flow();`,
    "export const one = flow();",
    { node: "two" },
  ],
  [
    "D06 a run entry that is not exported",
    "export it",
    "const ⟦D06⟧run = flow();",
    "export const run = flow();",
    { node: "run" },
  ],
  [
    "D06 a subflow used before its declaration",
    "above",
    `const c = flow.call("c", ⟦D06⟧s, {});
${SUB}`,
    `${SUB}const c = flow.call("c", s, {});`,
    { node: "c", field: "subflow" },
  ],
  [
    "D06 a loop before its Condition",
    "above",
    `const l = control.while("l", {}, ⟦D06⟧s, t);
${SUB}`,
    `${SUB}const l = control.while("l", {}, s, t);`,
    { node: "l", field: "condition" },
  ],
  [
    "D06 the run entry in a pin",
    "run entry",
    `export const run = flow();\nconst t = tool.nodejs("t", { x: ⟦D06⟧run }, "true");`,
    `export const run = flow();\nconst t = tool.nodejs("t", {}, "true");`,
    { node: "t", field: "x" },
  ],
  [
    "D06 a script for a node without one",
    "(label, pins)",
    `const t = provide.text("t", {}, ⟦D06⟧"script");`,
    `const t = provide.text("t", {});`,
    { node: "t" },
  ],
  [
    "D06 two scripts",
    "no such argument",
    `const t = tool.nodejs("t", {}, "a", ⟦D06⟧"b");`,
    `const t = tool.nodejs("t", {}, "a");`,
    { node: "t" },
  ],
  [
    "D06 an argument too many for control.if",
    "flow(then), flow(else)",
    `const i = control.if("i", { prediction: true }, flow(), flow(), ⟦D06⟧flow());`,
    `const i = control.if("i", { prediction: true }, flow(), flow());`,
    { node: "i" },
  ],
  [
    "D06 a branch that is no flow",
    "flow(then)",
    `${SUB}const i = control.if("i", { prediction: true }, ⟦D06⟧a);`,
    `${SUB}const i = control.if("i", { prediction: true }, flow(a));`,
    { node: "i" },
  ],
  [
    "D06 a call inside a chain",
    "declare the node",
    `export const run = flow("r", ⟦D06⟧tool.nodejs("t", {}, "true"));`,
    `const t = tool.nodejs("t", {}, "true");\nexport const run = flow("r", t);`,
    { node: "run" },
  ],
  [
    "D06 an unknown node in a chain",
    "`nope`",
    `export const run = flow("r", ⟦D06⟧nope);`,
    `export const run = flow("r");`,
    { node: "run" },
  ],
  [
    "D06 a subflow in a chain",
    "flow.call",
    `${SUB}export const run = flow("r", ⟦D06⟧s);`,
    `${SUB}const c = flow.call("c", s);
export const run = flow("r", c);`,
    { node: "run" },
  ],
  [
    "D06 a fork of bare nodes",
    "wrap it",
    `${SUB}export const run = flow("r", flow.fork(⟦D06⟧a));`,
    `${SUB}export const run = flow("r", flow.fork(flow(a)));`,
    { node: "run" },
  ],
  [
    "D06 an empty fork branch",
    "empty",
    `${SUB}export const run = flow("r", flow.fork(flow(a), ⟦D06⟧flow()));`,
    `${SUB}export const run = flow("r", flow.fork(flow(a)));`,
    { node: "run" },
  ],
  ["D06 a fork with a name", "where it is used", "const f = ⟦D06⟧flow.fork(flow());", ""],
  [
    "D06 a contract input that is no variable",
    "flow.input",
    `const s = flow.subflow("s", { a: ⟦D06⟧"x" }, flow(), {});`,
    `const a = flow.input("a");\nconst s = flow.subflow("s", { a }, flow(), {});`,
    { node: "s", field: "a" },
  ],
  [
    "D06 a contract output that is no slot",
    "node.slot",
    `const s = flow.subflow("s", {}, flow(), { a: ⟦D06⟧"x" });`,
    SUB,
    { node: "s", field: "a" },
  ],
  [
    "D06 a contract name that is no identifier (F-16)",
    "plain identifier",
    `const a = flow.input("a");\nconst s = flow.subflow("s", { ⟦D06⟧"a b": a }, flow(), {});`,
    `const a = flow.input("a");\nconst s = flow.subflow("s", { a_b: a }, flow(), {});`,
    { node: "s" },
  ],
  [
    "D06 a flow.input without a name",
    "needs a name",
    "const a = ⟦D06⟧flow.input();",
    `const a = flow.input("a");`,
    { node: "a" },
  ],
  [
    "D06 a flow.input type that is no string",
    "both as strings",
    `const a = flow.input("a", ⟦D06⟧json);`,
    `const a = flow.input("a", "json");`,
    { node: "a" },
  ],
  [
    "D06 destructuring of something that is no node",
    "`nope`",
    "const { a } = ⟦D06⟧nope;",
    `const nope = agent.test("n", {}, "x");\nconst { a } = nope;`,
  ],
  [
    "D06 destructuring a call directly",
    "declare the node with const first",
    `const ⟦D06⟧{ a } = agent.test("n", {}, "x");`,
    `const n = agent.test("n", {}, "x");\nconst { a } = n;`,
  ],
  [
    "D06 a default in destructuring",
    "Only names",
    `const n = agent.test("n", {}, "x");\nconst { ⟦D06⟧a = 1 } = n;`,
    `const n = agent.test("n", {}, "x");\nconst { a } = n;`,
  ],
  [
    "D07 an unknown node type",
    "provide.nope",
    `const a = ⟦D07⟧provide.nope("a", {});`,
    `const a = provide.text("a", {});`,
    { node: "a" },
  ],
  [
    "D07 a node type that is known to the language only",
    "`prompt`",
    `const a = ⟦D07⟧prompt("a", {});`,
    `const a = agent.test("a", {});`,
    { node: "a" },
  ],
  [
    "D10 a free output that is not declared",
    "const { title } = n;",
    `const n = agent.test("n", {}, "x");\nconst t = tool.nodejs("t", { x: ⟦D10⟧n.title }, "true");`,
    `const n = agent.test("n", {}, "x");\nconst { title } = n;\nconst t = tool.nodejs("t", { x: n.title, y: title, z: n.result }, "true");`,
    { node: "t", field: "x" },
  ],
  [
    "D11 an edge from a node that is not declared",
    "`nope`",
    `const t = tool.nodejs("t", { x: ⟦D11⟧nope.value }, "true");`,
    `const nope = provide.text("n", {});\nconst t = tool.nodejs("t", { x: nope.value }, "true");`,
    { node: "t", field: "x" },
  ],
  [
    "D11 an edge from a node that is not declared, in a template",
    "`nope`",
    'const t = tool.nodejs("t", {}, `${⟦D11⟧nope.value}`);',
    'const nope = provide.text("n", {});\nconst t = tool.nodejs("t", {}, `${nope.value}`);',
    { node: "t", field: "nope" },
  ],
];

describe("findings about calls, chains and contracts (2-flows 2.5)", () => {
  it.each(fixtures)("%s is reported at its place, and its mended twin is clean", (...fixture) =>
    checkFixture(fixture),
  );
});
