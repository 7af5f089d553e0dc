import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultRegistry } from "../../nodes/registry.ts";
import { edges, flow, node, referenceCall, referenceLoop, subflow } from "../../testing/build-ir.ts";
import { irSchema, slotTypes } from "../ir.ts";
import type { Ir } from "../ir.ts";
import { lint } from "./lint.ts";
import { sortFindings } from "./report.ts";

const caps = { maxIterations: 1000, maxTimeoutMs: 604_800_000 };
const run = (ir: Ir) => lint(ir, { registry: defaultRegistry, caps });
const codes = (ir: Ir, code: string) => run(ir).filter((finding) => finding.code === code);
const call = (name: string) => node("flow.call", { attributes: { subflow: name } });
const loop = (condition: string, body: string) =>
  node("control.while", {
    attributes: { condition, body },
    pins: { maxIterations: { text: "1" }, timeout: { text: "1" } },
  });

describe("P-69: subflows that contain themselves", () => {
  test.each<[what: string, ir: Ir, chain: string]>([
    [
      "a call of itself",
      flow({ again: call("a") }, [], [], { a: subflow(["again"], ["again"], {}, {}) }),
      "`a` → `a`",
    ],
    [
      "two that call each other",
      flow({ toB: call("b"), toA: call("a") }, [], [], {
        a: subflow(["toB"], ["toB"], {}, {}),
        b: subflow(["toA"], ["toA"], {}, {}),
      }),
      "`a` → `b` → `a`",
    ],
    [
      "a loop whose Body calls its own parent",
      flow({ inner: loop("c", "b"), up: call("a") }, [], [], {
        a: subflow(["inner"], ["inner"], {}, {}),
        b: subflow(["up"], ["up"], {}, {}),
        c: subflow([], [], {}, {}),
      }),
      "`a` → `b` → `a`",
    ],
  ])("%s is refused with the way round (D24)", (_what, ir, chain) => {
    const [finding, ...more] = codes(ir, "D24");
    expect(finding?.message).toContain(`: ${chain}.`);
    expect(finding?.severity).toBe("error");
    expect(more).toEqual([]);
  });

  test("a subflow that is used twice without a way round is fine", () => {
    const ir = flow({ one: call("a"), two: call("a"), step: call("b") }, ["one > two"], ["one"], {
      a: subflow(["step"], ["step"], {}, {}),
      b: subflow([], [], {}, {}),
    });
    expect(codes(ir, "D24")).toEqual([]);
  });
});

describe("P-69: an IR from outside", { timeout: 60_000 }, () => {
  const names = ["a", "b", "c", "loop", "constructor", "toString", "__proto__", "hasOwnProperty"];
  const slots = [
    "prev",
    "next",
    "value",
    "state",
    "then",
    "result",
    "content",
    "constructor",
    "__proto__",
    "context",
    "maxIterations",
    "1 x",
  ];
  const id = fc.constantFrom(...names);
  const slot = fc.constantFrom(...slots);
  const text = fc.oneof(
    fc.constantFrom(
      "",
      "null",
      "{",
      "[1]",
      '"\\ud800"',
      "1e999",
      "echo ${a} $(${b}",
      "`",
      "../x",
      "20",
      "\0",
    ),
    fc.string(),
  );
  const definition = fc.constantFrom(
    ...defaultRegistry.all.map(({ type }) => type),
    "gone",
    "constructor",
    "__proto__",
  );
  const optional = fc.option(text, { nil: null });
  const reference = fc.record({ node: id, slot });
  const anyNode = fc.record({
    definition,
    label: text,
    script: optional,
    scriptRef: optional,
    body: optional,
    bodyRef: optional,
    pins: fc.dictionary(
      slot,
      fc.oneof(fc.record({ text }), fc.record({ json: text }), fc.record({ file: text })),
    ),
    inputs: fc.dictionary(slot, fc.constantFrom(...slotTypes)),
    outputs: fc.dictionary(slot, fc.constantFrom(...slotTypes)),
    attributes: fc.dictionary(
      fc.constantFrom("subflow", "condition", "body", "name", "type"),
      fc.oneof(id, fc.constantFrom(...slotTypes)),
    ),
  });
  const anySubflow = fc.record({
    label: text,
    inputs: fc.dictionary(slot, id),
    outputs: fc.dictionary(slot, reference),
    roots: fc.array(id),
    members: fc.array(id),
  });
  const anyIr = fc.record({
    schema: fc.constant(1 as const),
    nodes: fc.dictionary(id, anyNode, { maxKeys: 6 }),
    edges: fc.array(fc.record({ from: reference, to: reference }), { maxLength: 12 }),
    subflows: fc.dictionary(id, anySubflow, { maxKeys: 4 }),
    run: fc.option(fc.record({ id, label: text, roots: fc.array(id) }), { nil: null }),
  });

  test("2.5: whatever an IR refers to, lint answers with findings that say something", () => {
    fc.assert(
      fc.property(anyIr, (made) => {
        const ir = irSchema.parse(made);
        const found = run(ir);
        for (const { code, message } of found) {
          expect(code).toMatch(/^D\d\d$/);
          expect(message.length).toBeGreaterThan(20);
          // A node type is called so; anything else of that name is a value that was printed by mistake.
          expect(message.replaceAll("tool.function", "")).not.toMatch(/undefined|\[object|function/);
        }
        expect(sortFindings(found)).toEqual(found);
      }),
      { numRuns: 150 },
    );
  });

  test("a chain of 4 000 subflows, each calling the next, is judged without recursion and in linear time", () => {
    const size = 4_000;
    const nodes: Ir["nodes"] = {};
    const subflows: Ir["subflows"] = {};
    for (let at = 0; at < size; at += 1) {
      nodes[`call${at}`] = call(`flow${at + 1 === size ? 0 : at + 1}`);
      subflows[`flow${at}`] = subflow([`call${at}`], [`call${at}`], {}, { out: `call${at}.out` });
    }
    const found = run({ schema: 1, nodes, edges: [], subflows, run: null });
    expect(found.filter(({ severity }) => severity === "error").map(({ code }) => code)).toEqual(["D24"]);
    expect(found[0]?.message.length).toBeLessThan(1000);
  });

  test("4 000 ifs, each in the branch of the one before, keep their order", () => {
    const size = 4_000;
    const nodes: Ir["nodes"] = {};
    const wires: string[] = [];
    for (let at = 0; at < size; at += 1) {
      nodes[`choose${at}`] = node("control.if", { pins: { prediction: { text: "yes" } } });
      nodes[`after${at}`] = node("tool.nodejs", { script: "true" });
      wires.push(`choose${at} > after${at}`);
      if (at > 0) wires.push(`choose${at - 1}.then > choose${at}.prev`);
    }
    const ir = flow(nodes, wires, ["choose0"]);
    expect(run(ir).filter(({ severity }) => severity === "error")).toEqual([]);
  });
});

describe("findings", () => {
  test("2.5: stand where the node or subflow stands and come in the order of the text", () => {
    const ir = referenceLoop();
    ir.nodes["report"]!.pins["colour"] = { text: "red" };
    ir.nodes["step"]!.pins["speed"] = { text: "fast" };
    ir.subflows["advance"]!.outputs = {};
    ir.run = null;
    const positions = new Map([
      ["report", { line: 40, column: 3 }],
      ["step", { line: 12, column: 1 }],
      ["advance", { line: 20, column: 14 }],
    ]);
    const found = lint(ir, { registry: defaultRegistry, caps, positions });
    expect(found.map(({ code, node: at, line, column }) => [code, at, line, column])).toEqual([
      ["D09", "step", 12, 1],
      ["D35", "advance", 20, 14],
      ["D09", "report", 40, 3],
      ["D60", null, null, null],
    ]);
  });

  test("2.5: the same finding from parser and lint is shown once", () => {
    const ir = referenceCall();
    ir.edges.push(...edges("gone.value > show.content"));
    const found = run(ir);
    expect(sortFindings([...found, ...found])).toEqual(found);
  });
});
