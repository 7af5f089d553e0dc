import { describe, expect, it } from "vitest";
import { irOf, nodeOf, read, wires } from "../testing/read.ts";

const A = `const a = tool.nodejs("a", {}, "true");\n`;
const TOOLS = ["a", "b", "c", "d", "e"]
  .map((id) => `const ${id} = tool.nodejs("${id}", {}, "true");\n`)
  .join("");

describe("what stands at top level (F-4)", () => {
  const rest = `${A}const { result } = a;
    const show = display.code("show", { content: result });
    export const run = flow("Run", a, show);`;

  it("F-4: calls, exported or not, destructuring and the run entry; imports of known names change nothing", () => {
    const names = "flow, agent, tool, control, provide, display, context, file, action, prompt, subAgent";
    const without = irOf(rest);
    expect(Object.keys(without.nodes)).toEqual(["a", "show"]);
    expect(without.run).toMatchObject({ id: "run", roots: ["a"] });
    expect(
      irOf(`import { ${names} } from "agentflow/flow";\n${rest.replace("const a", "export const a")}`),
    ).toEqual(without);
  });

  it.each(["let b = 1;", "a.result;", "export { a };", "export default a;", "const b = a;", "class B {}"])(
    "F-4, F-5: %s is reported with its line and column",
    (statement) => {
      const { findings } = read(`${rest}\n  ${statement}`);
      expect(findings.length).toBeGreaterThan(0);
      for (const finding of findings) {
        expect(finding).toMatchObject({ severity: "error", line: 5 });
        expect(finding.column).toBeGreaterThan(2);
      }
    },
  );
});

describe("calls become nodes (F-6, F-7)", () => {
  it("F-6: the variable is the id, the first string the label, an alias becomes the type's own name", () => {
    const ir = irOf(
      `export const x = provide.str('a/"#é', { value: "v" }), y = provide.json({ value: null });`,
    );
    expect(Object.keys(ir.nodes)).toEqual(["x", "y"]);
    expect(ir.nodes["x"]).toMatchObject({
      definition: "provide.text",
      label: 'a/"#é',
      pins: { value: { text: "v" } },
    });
    expect(ir.nodes["y"]).toMatchObject({ definition: "provide.json", label: "y" });
  });

  it("F-6: the text of a command is a string, a template or a script file, that of a prompt its body", () => {
    expect(nodeOf("t", 'const t = tool.nodejs("l", "echo ${x} $$");')).toMatchObject({
      script: "echo ${x} $$",
      scriptRef: null,
    });
    expect(nodeOf("t", 'const t = tool.nodejs("l", {}, file("./s.sh"));', ["s.sh"])).toMatchObject({
      script: null,
      scriptRef: "s.sh",
    });
    expect(nodeOf("t", 'const t = agent.test("l", {}, "Do it.");')).toMatchObject({
      body: "Do it.",
      script: null,
    });
    expect(nodeOf("t", 'const t = agent.test("l", {}, file("p.md"));', ["p.md"])).toMatchObject({
      body: null,
      bodyRef: "p.md",
    });
  });

  it("F-7: every kind of pin value", () => {
    const text = `${A}const { result: r } = a;
      const t = tool.nodejs("t", { s: "s", u: \`two
lines\`, n: -1.50, b: true, z: null, l: [1, { "k": 'v' }], f: file("x"), w: a.result, d: r }, "true");`;
    const ir = irOf(text, ["x"]);
    expect(ir.nodes["t"]?.pins).toEqual({
      s: { text: "s" },
      u: { text: "two\nlines" },
      n: { json: "-1.50" },
      b: { json: "true" },
      z: { json: "null" },
      l: { json: '[1,{"k":"v"}]' },
      f: { file: "x" },
    });
    expect(wires(ir)).toEqual(["a.result → t.d", "a.result → t.w"]);
  });

  it("F-7: a free input has the type of its source, else text; slots of the definition are not free", () => {
    const ir = irOf(
      `const j = provide.json("j", { value: 1 });
      const k = context.test("k");
      const g = agent.test("g", { context: k, j: j.value, c: k.context, t: "t", n: 5, l: [1], f: file("x") }, "p");`,
      ["x"],
    );
    expect(ir.nodes["g"]?.inputs).toEqual({
      c: "context",
      f: "file",
      j: "json",
      l: "json",
      n: "text",
      t: "text",
    });
  });

  it("F-7: the type of a free input comes through calls and flow.input, wherever they are declared", () => {
    const ir = irOf(`const t = tool.nodejs("t", { x: c.out }, "true");
      const i = flow.input("i", "json");
      const d = display.code("d", { content: i.value });
      const p = tool.nodejs("p", { v: i.value }, "true");
      const s = flow.subflow("s", { i }, flow(d, p), { out: i.value });
      const c = flow.call("c", s, { i: "1" });`);
    expect(ir.nodes["t"]?.inputs).toEqual({ x: "json" });
    expect(ir.nodes["p"]?.inputs).toEqual({ v: "json" });
    expect(ir.nodes["c"]).toMatchObject({
      attributes: { subflow: "s" },
      inputs: {},
      pins: { i: { text: "1" } },
    });
  });

  it("F-6: free outputs are declared by destructuring, under any variable name", () => {
    const ir = irOf(`const n = agent.test("n", {}, "x"); const { title, tags: t2, result } = n;
      const m = display.markdown("m", { content: t2 });`);
    expect(ir.nodes["n"]?.outputs).toEqual({ title: "text", tags: "text" });
    expect(wires(ir)).toEqual(["n.tags → m.content"]);
  });

  it("F-10: flow.input keeps its name and type, text when it says none", () => {
    expect(nodeOf("i", 'const i = flow.input("n", "bool");')).toMatchObject({
      label: "n",
      attributes: { name: "n", type: "bool" },
    });
    expect(nodeOf("i", 'const i = flow.input("n");').attributes).toEqual({ name: "n", type: "text" });
  });

  it("F-11: a loop has Condition and Body, or a script, or a script file; what contradicts itself is kept for lint (D30, D31, D37)", () => {
    const sub = `${A}const s = flow.subflow("s", {}, flow(a), {});\n`;
    const loop = (args: string) =>
      nodeOf("l", `${sub}const l = control.while("l", { maxIterations: "3" }${args});`, ["w.mjs"]);
    expect(loop(", s, s")).toMatchObject({ attributes: { condition: "s", body: "s" }, script: null });
    expect(loop(', "true"')).toMatchObject({ attributes: {}, script: "true" });
    expect(loop(', file("w.mjs")')).toMatchObject({ attributes: {}, script: null, scriptRef: "w.mjs" });
    expect(loop(", s")).toMatchObject({ attributes: { condition: "s" } });
    expect(loop(", null, s")).toMatchObject({ attributes: { body: "s" } });
    expect(loop(', s, s, "true"')).toMatchObject({
      attributes: { condition: "s", body: "s" },
      script: "true",
    });
    expect(loop(", nowhere, s")).toMatchObject({ attributes: { condition: "nowhere", body: "s" } });
    expect(loop("")).toMatchObject({ attributes: {}, script: null, scriptRef: null });
  });
});

describe("chains become control edges (F-9)", () => {
  const run = (chain: string) => {
    const ir = irOf(`${TOOLS}export const main = flow("Main", ${chain});`);
    return {
      roots: ir.run?.roots,
      edges: wires(ir).map((edge) => edge.replace(".next", "").replace(".prev", "")),
    };
  };

  it("F-9: nodes follow each other in argument order, whatever the exported flow is called", () => {
    expect(run("b, a, c")).toEqual({ roots: ["b"], edges: ["a → c", "b → a"] });
    expect(irOf(`${A}export const main = flow("Main", a);`).run).toEqual({
      id: "main",
      label: "Main",
      roots: ["a"],
    });
    expect(irOf(`export const main = flow();`).run).toEqual({ id: "main", label: "main", roots: [] });
  });

  it("F-9: a fork fans out and meets again in what follows", () => {
    expect(run("a, flow.fork(flow(b), flow(c, d)), e")).toEqual({
      roots: ["a"],
      edges: ["a → b", "a → c", "b → e", "c → d", "d → e"],
    });
    expect(run("flow.fork(flow(a), flow(b)), flow.fork(flow(c), flow(d))")).toEqual({
      roots: ["a", "b"],
      edges: ["a → c", "a → d", "b → c", "b → d"],
    });
    expect(run("flow(a, b), flow.fork(flow(c))")).toEqual({ roots: ["a"], edges: ["a → b", "b → c"] });
  });

  it("F-9: an edge that is written twice is one edge", () => {
    expect(run("flow.fork(flow(a, b), flow(a, b, c))")).toEqual({ roots: ["a"], edges: ["a → b", "b → c"] });
  });

  it("F-9: branches hang on then and else, what follows the if on its own next", () => {
    const ir = irOf(`${TOOLS}const p = provide.bool("p", { value: true });
      const i = control.if("i", { prediction: p.value }, flow(a, b), flow(flow.fork(flow(c), flow(d))));
      export const run = flow("Run", i, e);`);
    expect(wires(ir)).toEqual([
      "a.next → b.prev",
      "i.else → c.prev",
      "i.else → d.prev",
      "i.next → e.prev",
      "i.then → a.prev",
      "p.value → i.prediction",
    ]);
    expect(ir.run?.roots).toEqual(["i"]);
  });

  it("D06: two forks in a row cannot make millions of edges", () => {
    const nodes = Array.from({ length: 400 }, (_, index) => `n${index}`);
    const fork = `flow.fork(${nodes.map((id) => `flow(${id})`).join(", ")})`;
    const text = `${nodes.map((id) => `const ${id} = tool.nodejs("x");\n`).join("")}export const run = flow("Run", ${fork}, ${fork});`;
    expect(read(text).findings).toMatchObject([{ code: "D06", node: "run", line: 401, column: 14 }]);
  });
});

describe("where things stand", () => {
  it("positions say where nodes, subflows and the run entry are declared, fields where their parts are", () => {
    const { positions, fields } = read(`const i = flow.input("i");
const t = tool.nodejs("t", {
  x: i.value,
}, "true");
export const s = flow.subflow("s", { i }, flow(t), {});
const { result } = t;
export const run = flow();`);
    expect([...positions]).toEqual([
      ["i", { line: 1, column: 7 }],
      ["t", { line: 2, column: 7 }],
      ["s", { line: 5, column: 14 }],
      ["run", { line: 7, column: 14 }],
    ]);
    expect([...(fields.get("t") ?? [])]).toEqual([
      ["x", { line: 3, column: 3 }],
      ["script", { line: 4, column: 4 }],
    ]);
    expect(fields.get("s")?.get("i")).toEqual({ line: 5, column: 38 });
  });
});
