import { irSchema } from "@agentflow/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { read } from "../testing/read.ts";

describe("hostile files", () => {
  it("AC-80, F-3: a for, a ternary, a function, new and a[b] are each reported, and nothing of the file is executed", () => {
    const text = [
      `globalThis.trace = "ran";`,
      `for (const x of [globalThis.trace = "loop"]) globalThis.trace = x;`,
      `const a = true ? provide.text("a", {}) : null;`,
      `function f() { globalThis.trace = "function"; }`,
      `const b = new (class { constructor() { globalThis.trace = "new"; } })();`,
      `const c = tool.nodejs("c", { x: a[globalThis.trace = "computed"] }, \`\${globalThis.trace = "template"}\`);`,
    ].join("\n");
    const { findings } = read(text);
    const lines = (code: string) =>
      new Set(findings.filter((finding) => finding.code === code).map(({ line }) => line));
    expect(lines("D02")).toEqual(new Set([2, 3, 4, 5]));
    expect(lines("D03")).toEqual(new Set([6]));
    expect(lines("D06")).toEqual(new Set([1, 6]));
    expect(globalThis).not.toHaveProperty("trace");
  });

  it.each([
    ["arrays", (n: number) => `const a = provide.json("a", { value: ${"[".repeat(n)}${"]".repeat(n)} });`],
    ["parentheses", (n: number) => `const a = ${"(".repeat(n)}1${")".repeat(n)};`],
    ["blocks", (n: number) => `${"{".repeat(n)}${"}".repeat(n)}`],
    ["chains", (n: number) => `export const run = ${"flow(".repeat(n)}${")".repeat(n)};`],
    ["templates", (n: number) => `const a = tool.nodejs("a", {}, ${"`${".repeat(n)}1${"}`".repeat(n)});`],
  ])("D01: absurdly nested %s are a finding, not a crash", (_, text) => {
    expect(read(text(100_000)).findings).toMatchObject([{ code: "D01", severity: "error" }]);
  });

  it("F-5: long member chains, which parse without recursion, are a finding as well", () => {
    expect(
      read(`const a = tool.nodejs("a", { x: b${".c".repeat(200_000)} }, "true");`).findings,
    ).toMatchObject([{ code: "D06" }]);
    expect(read(`const a = b${".c()".repeat(50_000)};`).findings).toMatchObject([{ code: "D06" }]);
  });

  it("F-17: names that JavaScript objects treat specially are ordinary ids, or refused", () => {
    const { ir, findings } = read(`const constructor = provide.text("a", {});
      const toString = tool.nodejs("t", { hasOwnProperty: constructor.value, valueOf: "v" }, \`\${hasOwnProperty}\`);
      export const run = flow("Run", toString);`);
    expect(findings).toEqual([]);
    expect(Object.keys(ir?.nodes ?? {})).toEqual(["constructor", "toString"]);
    expect(ir?.nodes["toString"]?.inputs).toEqual({ hasOwnProperty: "text", valueOf: "text" });
    expect(read(`const __proto__ = provide.text("a", {});`).findings).toMatchObject([
      { code: "D06", column: 7 },
    ]);
    expect(read(`const a = tool.nodejs("a", { "__proto__": "x" }, "true");`).findings).toMatchObject([
      { code: "D06", column: 30 },
    ]);
  });

  it("F-5: statements put together at random give findings or a valid IR, never an exception", () => {
    const name = fc.constantFrom("a", "b", "run", "s", "flow", "tool");
    const value = fc.oneof(
      name,
      fc
        .tuple(name, fc.constantFrom("result", "value", "next", "out"))
        .map(([node, slot]) => `${node}.${slot}`),
      fc.constantFrom(
        '"text"',
        "1",
        "null",
        "[a]",
        "{ x: 1 }",
        "`${a.result} ${cwd}`",
        'file("x")',
        "flow(a, b)",
        "flow.fork(flow(b))",
      ),
      fc.constantFrom(
        "a[0]",
        "() => 1",
        "...b",
        "a ? b : c",
        "new A()",
        "-1",
        "/x/",
        "1n",
        "a?.b",
        "a`b`",
        "{ prev: a.next }",
      ),
    );
    const callee = fc.constantFrom(
      ..."flow flow.fork flow.input flow.subflow flow.call control.if control.while tool.nodejs provide.text agent.test nope.x".split(
        " ",
      ),
    );
    const call = fc
      .tuple(callee, fc.array(value, { maxLength: 5 }))
      .map(([called, values]) => `${called}(${values.join(", ")})`);
    const statement = fc.oneof(
      fc
        .tuple(fc.constantFrom("const", "export const"), name, call)
        .map(([kind, id, init]) => `${kind} ${id} = ${init};`),
      fc.tuple(name, name).map(([output, node]) => `const { ${output} } = ${node};`),
      fc.constantFrom(
        "for (;;) {}",
        "let q;",
        'import { flow } from "agentflow/flow";',
        "a.b();",
        "export { a };",
      ),
    );
    fc.assert(
      fc.property(fc.array(statement, { maxLength: 8 }), (statements) => {
        const { ir, findings } = read(statements.join("\n"));
        expect(ir === null).toBe(findings.some(({ code }) => code === "D01"));
        if (ir) expect(irSchema.safeParse(ir).error).toBeUndefined();
      }),
      { numRuns: 1000 },
    );
  }, 60_000);
});
