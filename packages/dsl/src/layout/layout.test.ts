import { describe, expect, it } from "vitest";
import { CALL_EXAMPLE, LOOP_EXAMPLE } from "../testing/examples.ts";
import { middle, overlaps } from "../testing/layout.ts";
import { irOf, testRegistry } from "../testing/read.ts";
import { layoutFlow } from "./layout.ts";

const lay = (text: string) => layoutFlow(irOf(text, ["scripts/summarize.mjs"]), testRegistry).layout;
const commands = (...ids: string[]) =>
  ids.map((id) => `const ${id} = tool.nodejs("${id}", "true");`).join("\n");

describe("where things stand (F-20)", () => {
  it("AC-83: the reference loop: chain on one axis from left to right, its data above, its display below, subflows beneath", () => {
    const layout = lay(LOOP_EXAMPLE);
    const { loop, summarize, report, initial, judge, step, next } = layout.nodes;
    expect(middle(layout, "loop")).toBe(middle(layout, "summarize"));
    expect(loop!.x).toBeLessThan(summarize!.x);
    expect(summarize!.x).toBeLessThan(report!.x);
    expect(initial!.x).toBeLessThan(loop!.x);
    expect(initial!.y + initial!.height).toBeLessThan(loop!.y);
    expect(report!.y).toBeGreaterThan(loop!.y + loop!.height);
    expect(judge!.y).toBeGreaterThan(report!.y + report!.height);
    expect(step!.y).toBeGreaterThan(judge!.y + judge!.height);
    expect(middle(layout, "step")).toBe(middle(layout, "next"));
    expect(next!.x).toBeGreaterThan(step!.x);
    expect(overlaps(layout)).toEqual([]);
  });

  it("F-20: a chain with branches, forks and late data stays on its axis, and what follows an if is right of its branches", () => {
    const layout = lay(`${commands("a", "t1", "t2", "e1", "f1", "f2", "z")}
      const i = control.if("i", { prediction: a.result }, flow(t1, t2), flow(e1));
      const late = tool.nodejs("late", { x: t2.result, y: a.result }, "true");
      export const run = flow("Run", a, i, late, flow.fork(flow(f1), flow(f2)), z);`);
    const axis = ["a", "i", "late", "f1", "z"];
    expect(new Set(axis.map((id) => middle(layout, id))).size).toBe(1);
    expect(layout.nodes["late"]!.x).toBeGreaterThan(layout.nodes["t2"]!.x + layout.nodes["t2"]!.width);
    expect(new Set(["t1", "e1", "i"].map((id) => middle(layout, id))).size).toBe(3);
    expect(layout.nodes["f1"]!.x).toBe(layout.nodes["f2"]!.x);
  });

  it("F-20: a data source stands one column before its first reader", () => {
    const layout = lay(`const p = provide.text("p", { value: "x" }); ${commands("a", "b")}
      const c = tool.nodejs("c", { x: p.value }, "true");
      export const run = flow("Run", a, b, c);`);
    expect(layout.nodes["p"]!.x).toBe(layout.nodes["b"]!.x);
  });

  it("F-20: a card is as high as its slots need", () => {
    const layout = lay(CALL_EXAMPLE);
    expect(layout.nodes["callInspect"]!.height).toBe(layout.nodes["pending"]!.height + 24);
  });

  it("F-20: a flow of thousands of nodes is laid out, however deep", () => {
    const ids = Array.from({ length: 3000 }, (_, index) => `n${index}`);
    const layout = lay(`${commands(...ids)}\nexport const run = flow("Run", ${ids.join(", ")});`);
    expect(new Set(ids.map((id) => middle(layout, id)))).toEqual(new Set([middle(layout, "n0")]));
    expect(layout.nodes["n2999"]!.x).toBe(2999 * (layout.nodes["n1"]!.x - layout.nodes["n0"]!.x));
  });

  it("F-20: an empty flow has an empty layout", () => {
    expect(layoutFlow(irOf(""))).toEqual({ layout: { nodes: {} }, placed: [], removed: [] });
  });

  it("D15: a flow with a cycle is refused", () => {
    const ir = irOf(`${commands("a", "b")} export const run = flow("Run", a, b);`);
    ir.edges.push({ from: { node: "b", slot: "next" }, to: { node: "a", slot: "prev" } });
    expect(() => layoutFlow(ir)).toThrow("a → b");
  });
});

describe("what stands already (F-20)", () => {
  const text = `${commands("a", "b", "c")}\nexport const run = flow("Run", a, b, c);`;
  const ir = irOf(text);
  const { layout } = layoutFlow(ir);

  it("AC-83: a node moved and resized by hand keeps its place and size, and the file has no node that is gone", () => {
    const moved = { x: 13.5, y: -700, width: 300, height: 99 };
    const kept = { nodes: { ...layout.nodes, b: moved, gone: moved } };
    const next = layoutFlow(ir, testRegistry, { kept });
    expect(next).toEqual({ layout: { nodes: { ...layout.nodes, b: moved } }, placed: [], removed: ["gone"] });
    expect(layoutFlow(ir, testRegistry, { kept, all: true }).layout).toEqual(layout);
  });

  it("F-20: a new node goes where its neighbours were moved to", () => {
    const by = (x: number, y: number, id: "a" | "c") => ({
      ...layout.nodes[id]!,
      x: layout.nodes[id]!.x + x,
      y: layout.nodes[id]!.y + y,
    });
    const kept = { nodes: { a: by(1000, 500, "a"), c: by(1000, 500, "c") } };
    const { b } = layoutFlow(ir, testRegistry, { kept }).layout.nodes;
    expect(b).toEqual({
      ...layout.nodes["b"],
      x: layout.nodes["b"]!.x + 1000,
      y: layout.nodes["b"]!.y + 500,
    });
  });
});
