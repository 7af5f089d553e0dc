import { describe, expect, test } from "vitest";
import { defaultRegistry } from "../nodes/registry.ts";
import { flow, node, referenceCall, referenceLoop, subflow } from "../testing/build-ir.ts";
import { pinText } from "./pins.ts";
import { inputType, outputType } from "./slots.ts";

const loop = referenceLoop();
const call = referenceCall();

describe("types of slots (F-7)", () => {
  test.each([
    ["loop", "state", "json"],
    ["loop", "maxIterations", "text"],
    ["loop", "context", "context"],
    ["loop", "prev", "node"],
    ["step", "idempotencyKey", "text"],
    ["step", "context", "context"],
    ["initial", "prev", null],
    ["initial", "value", "json"],
    ["loop", "next", null],
    ["step", "gone", null],
    ["gone", "value", null],
    ["step", "constructor", null],
    ["toString", "value", null],
  ])("input %s.%s is %s", (id, slot, type) => {
    expect(inputType(loop, defaultRegistry, id, slot)).toBe(type);
  });

  test.each([
    ["loop", "next", "node"],
    ["loop", "history", "json"],
    ["step", "result", "text"],
    ["bodyState", "value", "json"],
    ["bodyContext", "value", "context"],
    ["initial", "next", null],
    ["step", "constructor", null],
    ["__proto__", "value", null],
  ])("output %s.%s is %s", (id, slot, type) => {
    expect(outputType(loop, defaultRegistry, id, slot)).toBe(type);
  });

  test("a call has the types of its subflow's contract, through any number of calls", () => {
    expect(inputType(call, defaultRegistry, "callInspect", "ticket")).toBe("text");
    expect(inputType(call, defaultRegistry, "callInspect", "constructor")).toBe(null);
    expect(outputType(call, defaultRegistry, "callInspect", "summary")).toBe("text");
    expect(outputType(call, defaultRegistry, "callInspect", "gone")).toBe(null);
    const count = 4_000;
    const nodes = Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        `c${at}`,
        node("flow.call", { attributes: { subflow: `s${at + 1}` } }),
      ]),
    );
    const subflows = Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        `s${at}`,
        subflow([`c${at}`], [`c${at}`], {}, { out: `c${at}.out` }),
      ]),
    );
    const deep = flow({ ...nodes, end: node("provide.json") }, [], [], {
      ...subflows,
      [`s${count}`]: subflow(["end"], ["end"], {}, { out: "end.value" }),
    });
    expect(outputType(deep, defaultRegistry, "c0", "out")).toBe("json");
  });

  test("P-69: a call of itself has no type instead of no end", () => {
    const ir = flow({ again: node("flow.call", { attributes: { subflow: "a" } }) }, [], [], {
      a: subflow(["again"], ["again"], {}, { out: "again.out" }),
    });
    expect(outputType(ir, defaultRegistry, "again", "out")).toBe(null);
  });
});

describe("text of written pins (F-7, F-21)", () => {
  test.each([
    ["text", { text: ' "as is" ' }, ' "as is" '],
    ["json", { text: "{ }" }, "{ }"],
    ["json", { json: '{"b":1.0,"a":-0}' }, '{"b":1.0,"a":-0}'],
    ["json", { json: "null" }, "null"],
    ["json", { json: '"text"' }, '"text"'],
    ["text", { json: '"a\\nb"' }, "a\nb"],
    ["text", { json: "null" }, ""],
    ["text", { json: "20" }, "20"],
    ["bool", { json: "true" }, "true"],
    ["text", { json: "[1]" }, "[1]"],
    ["any", { json: '"x"' }, "x"],
    ["file", { file: "data/a.csv" }, "data/a.csv"],
    ["text", { json: "{broken" }, "{broken"],
  ] as const)("on a %s slot %j is %j", (slot, pin, text) => {
    expect(pinText(slot, pin)).toBe(text);
  });
});
