import { describe, expect, it } from "vitest";
import { irOf } from "../testing/read.ts";

/** Members of every subflow of a flow. */
function members(text: string) {
  return Object.fromEntries(
    Object.entries(irOf(text).subflows).map(([id, subflow]) => [id, subflow.members]),
  );
}

const tool = (id: string, pins = "{}") => `const ${id} = tool.nodejs("${id}", ${pins}, "true");\n`;

describe("members of a subflow (F-13)", () => {
  it("F-13: the chain with forks and branches, and the bound inputs, are members", () => {
    const text = `const i = flow.input("i");\n${["a", "b", "c", "d", "e"].map((id) => tool(id)).join("")}
      const inner = control.if("inner", { prediction: true }, flow(d));
      const outer = control.if("outer", { prediction: true }, flow(inner), flow(e));
      export const s = flow.subflow("s", { i }, flow(flow.fork(flow(a), flow(b)), outer), {});
      export const run = flow("Run", c);`;
    expect(members(text)).toEqual({ s: ["a", "b", "d", "e", "i", "inner", "outer"] });
  });

  it("F-13: what only members read from is a member, over any number of wires", () => {
    const text = `const p = provide.text("p", { value: "1" });
      const q = control.parseJson("q", { value: p.value });
      ${tool("a", "{ x: q.result }")}
      export const s = flow.subflow("s", {}, flow(a), {});`;
    expect(members(text)).toEqual({ s: ["a", "p", "q"] });
  });

  it("D23: what the parent reads as well stays outside, with all it reads from", () => {
    const text = `const p = provide.text("p", { value: "1" });
      const q = control.parseJson("q", { value: p.value });
      ${tool("a", "{ x: q.result }")}${tool("b", "{ x: q.result }")}
      export const s = flow.subflow("s", {}, flow(a), {});
      export const run = flow("Run", b);`;
    expect(members(text)).toEqual({ s: ["a"] });
  });

  it("D23: what two subflows read from, or bind as an output, belongs to neither", () => {
    const text = `const p = provide.text("p", { value: "1" });
      const q = provide.text("q", { value: "1" });
      ${tool("a", "{ x: p.value }")}${tool("b", "{ x: p.value }")}
      export const s = flow.subflow("s", {}, flow(a), { out: q.value });
      export const t = flow.subflow("t", {}, flow(b), { out: q.value });`;
    expect(members(text)).toEqual({ s: ["a"], t: ["b"] });
  });

  it("D22: a node of another chain is no member because an output names it", () => {
    const text = `${tool("a")}${tool("b")}
      export const s = flow.subflow("s", {}, flow(a), { out: b.result });
      export const run = flow("Run", b);`;
    expect(members(text)).toEqual({ s: ["a"] });
  });

  it("D23: a node in a branch belongs where its if is, whoever reads from it", () => {
    const text = `${tool("a")}${tool("b", "{ x: a.result }")}
      const lonely = control.if("lonely", { prediction: true }, flow(a));
      export const s = flow.subflow("s", {}, flow(b), {});`;
    expect(members(text)).toEqual({ s: ["b"] });
  });

  it("D21: a node in two chains is a member of both", () => {
    const text = `${tool("a")}${tool("b")}${tool("c")}
      export const s = flow.subflow("s", {}, flow(a, b), {});
      export const t = flow.subflow("t", {}, flow(b, c), {});`;
    expect(members(text)).toEqual({ s: ["a", "b"], t: ["b", "c"] });
  });

  it("D15: a circle of wires does not keep the members from being found", () => {
    const text = `const p = control.parseJson("p", { value: q.result });
      const q = control.parseJson("q", { value: p.result });
      ${tool("a", "{ x: q.result }")}
      export const s = flow.subflow("s", {}, flow(a), {});`;
    expect(members(text)).toEqual({ s: ["a", "p", "q"] });
  });
});
