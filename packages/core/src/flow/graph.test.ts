import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultRegistry } from "../nodes/registry.ts";
import { flow, node, referenceCall, referenceLoop, subflow } from "../testing/build-ir.ts";
import { parentGraph, parentMembers, subflowGraph } from "./graph.ts";
import type { Graph } from "./graph.ts";
import type { Ir, IrNode } from "./ir.ts";

const command = () => node("tool.nodejs", { script: "true", inputs: { a: "text", b: "text" } });
const nodes = (...ids: string[]): Record<string, IrNode> =>
  Object.fromEntries(ids.map((id) => [id, id.startsWith("if") ? node("control.if") : command()]));

function ordered(ir: Ir): Graph {
  const graph = parentGraph(ir, defaultRegistry);
  if ("cycle" in graph) throw new Error(`cycle ${graph.cycle.join()}`);
  return graph;
}

describe("execution order (F-9)", () => {
  test("topological by control and data, ties by source order", () => {
    const ir = flow(nodes("d", "c", "b", "a"), ["a > b", "b.result > c.a"], ["a"]);
    expect(ordered(ir).order).toEqual(["d", "a", "b", "c"]);
  });

  test("without edges the order is that of the source", () => {
    expect(ordered(flow(nodes("z", "y", "x"), [], [])).order).toEqual(["z", "y", "x"]);
  });

  test("a node after an if runs when the taken branch has ended, however long the branch", () => {
    const ir = flow(
      nodes("after", "if1", "then2", "then1", "else1"),
      ["if1 > after", "if1.then > then1.prev", "then1 > then2", "if1.else > else1.prev"],
      ["if1"],
    );
    expect(ordered(ir).order).toEqual(["if1", "then1", "then2", "else1", "after"]);
  });

  test("an if inside a branch delays what follows the outer one, up to its own follower", () => {
    const ir = flow(
      nodes("last", "if1", "inner", "if2", "deep"),
      ["if1 > last", "if1.then > if2.prev", "if2 > inner", "if2.then > deep.prev"],
      ["if1"],
    );
    expect(ordered(ir).order).toEqual(["if1", "if2", "deep", "inner", "last"]);
  });

  test("nodes of a subflow are ordered by themselves, and not part of the parent graph", () => {
    const ir = referenceLoop();
    const inside = subflowGraph(ir, defaultRegistry, "advance") as Graph;
    expect(inside.order).toEqual(["bodyState", "bodyContext", "bodyIteration", "bodyKey", "step", "next"]);
    expect(inside.roots).toEqual(["step"]);
    expect(parentMembers(ir)).toEqual(["initial", "loop", "report"]);
    expect(ordered(ir).order).toEqual(["initial", "loop", "report"]);
  });

  test("data sources and control entries are told apart by the slot they come from", () => {
    const graph = ordered(referenceCall());
    expect(graph.sources.get("show")).toEqual(
      new Map([["content", { node: "callInspect", slot: "summary" }]]),
    );
    expect(graph.entries.get("show")).toEqual([{ node: "callInspect", slot: "next" }]);
    expect(graph.roots).toEqual(["callInspect"]);
  });

  test("a subflow that does not exist is an error, also under the name of what every object has", () => {
    for (const id of ["gone", "constructor"]) {
      expect(() => subflowGraph(referenceCall(), defaultRegistry, id)).toThrow(`no subflow ${id}`);
    }
  });

  test("every order respects every edge, and repeating it changes nothing", () => {
    const ids = ["a", "b", "c", "d", "e", "f"];
    const pair = fc.tuple(fc.constantFrom(...ids), fc.constantFrom(...ids));
    fc.assert(
      fc.property(
        fc.array(pair, { maxLength: 12 }),
        fc.shuffledSubarray(ids, { minLength: 6 }),
        (pairs, source) => {
          const forward = pairs.filter(([from, to]) => from < to);
          const ir = flow(
            nodes(...source),
            forward.map(([from, to]) => `${from} > ${to}`),
            [],
          );
          const { order } = ordered(ir);
          expect(order.toSorted()).toEqual(ids);
          for (const [from, to] of forward) expect(order.indexOf(from)).toBeLessThan(order.indexOf(to));
          for (const [at, id] of order.entries()) {
            const earlier = source.filter(
              (other) => source.indexOf(other) < source.indexOf(id) && order.indexOf(other) > at,
            );
            for (const late of earlier) {
              const waits = forward.some(([from, to]) => to === late && order.indexOf(from) >= at);
              expect(waits).toBe(true);
            }
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("cycles (D15)", () => {
  test.each<[string, string[], string[]]>([
    ["of control", ["a > b", "b > c", "c > a"], ["a", "b", "c"]],
    ["of data", ["b.result > c.a", "c.result > b.a"], ["b", "c"]],
    ["of both", ["a > b", "b.result > a.a"], ["a", "b"]],
    ["of one node", ["c.result > c.a"], ["c"]],
    ["behind nodes that have an order", ["a > b", "b > c", "c.result > b.a"], ["b", "c"]],
  ])("%s are named from the first node in source order", (_what, wires, cycle) => {
    expect(parentGraph(flow(nodes("a", "b", "c"), wires, []), defaultRegistry)).toEqual({ cycle });
  });

  test("a node cannot stand in a branch and follow the if", () => {
    const ir = flow(nodes("if1", "a", "b"), ["if1.then > a.prev", "a > b", "if1 > b"], ["if1"]);
    expect(parentGraph(ir, defaultRegistry)).toHaveProperty("cycle");
  });

  test("a branch that needs a value of what follows the if is a cycle", () => {
    const ir = flow(nodes("if1", "a", "b"), ["if1.then > a.prev", "if1 > b", "b.result > a.a"], ["if1"]);
    const graph = parentGraph(ir, defaultRegistry);
    expect("cycle" in graph && graph.cycle.toSorted()).toEqual(["a", "b"]);
  });

  test("edges across a boundary belong to no graph", () => {
    const ir = flow(nodes("a", "b"), ["a > b", "b > a"], ["a"], { inner: subflow(["b"], ["b"], {}, {}) });
    expect(ordered(ir).order).toEqual(["a"]);
  });
});
