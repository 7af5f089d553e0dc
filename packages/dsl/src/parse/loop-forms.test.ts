import { describe, expect, it, test } from "vitest";
import { checkFixture } from "../testing/fixtures.ts";
import type { Fixture } from "../testing/fixtures.ts";
import { nodeOf, read } from "../testing/read.ts";

const SUBFLOWS = `const a = tool.nodejs("a", {}, "true");
export const check = flow.subflow("check", {}, flow(a), { decision: a.result });
const b = tool.nodejs("b", {}, "true");
export const work = flow.subflow("work", {}, flow(b), { state: b.result });
const p = provide.text("p", { value: "5" });
`;

const loop = (call: string) => nodeOf("l", `${SUBFLOWS}const l = ${call};`);

describe("the fourth argument decides", () => {
  it("a subflow variable is the Body", () => {
    expect(loop('control.while("l", {}, check, work)').attributes).toEqual({
      condition: "check",
      body: "work",
    });
  });

  it("an object holds options, whatever stands before it", () => {
    const pins = { delayMs: { json: "500" }, onExhausted: { text: "stop" } };
    const options = '{ delayMs: 500, onExhausted: "stop" }';
    expect(loop(`control.while("l", {}, check, work, ${options})`)).toMatchObject({
      attributes: { condition: "check", body: "work" },
      pins,
    });
    expect(loop(`control.while("l", {}, "node step.mjs", ${options})`)).toMatchObject({
      script: "node step.mjs",
      attributes: {},
      pins,
    });
    expect(loop(`control.while("l", check, work, ${options})`).pins).toEqual(pins);
  });

  it("options may be wired, and stand beside pins", () => {
    const node = loop(
      'control.while("l", { timeout: "1m" }, "x", { delayMs: p.value, retries: { max: 2 } })',
    );
    expect(node.pins).toEqual({ retries: { json: '{"max":2}' }, timeout: { text: "1m" } });
  });

  test("OP-2: a call of action makes the third argument the expression", () => {
    const node = loop(
      'control.while("l", { maxIterations: "5" }, "state.n < 3", action(work, { n: "state.n", deep: [1.50] }))',
    );
    expect(node).toMatchObject({ script: null, pins: { maxIterations: { text: "5" } } });
    expect(node.attributes).toEqual({
      expression: "state.n < 3",
      operation: '{"action":"work","params":{"n":"state.n","deep":[1.50]}}',
    });
  });

  test("OP-2: a node type is named by its text, and parameters may be left out", () => {
    expect(loop('control.while("l", {}, `true`, action("provide.json"), { delayMs: 5 })')).toMatchObject({
      attributes: { expression: "true", operation: '{"action":"provide.json","params":{}}' },
      pins: { delayMs: { json: "5" } },
    });
  });

  test("OP-2: prompt and subAgent with everything they take", () => {
    expect(loop('control.while("l", {}, "true", prompt("ask", { who: "input.who" }))').attributes).toEqual({
      expression: "true",
      operation: '{"prompt":"ask","templateParameters":{"who":"input.who"}}',
    });
    const turn =
      'subAgent("critic", "Judge {{state.text}}", { context: ["notes"], templateParameters: { a: 1 } })';
    expect(loop(`control.while("l", {}, "true", ${turn})`).attributes["operation"]).toBe(
      '{"subAgent":"critic","message":"Judge {{state.text}}","templateParameters":{"a":1},"context":["notes"]}',
    );
  });

  test("R-1: control.repeat takes a child, then options; other pins are the parent's values", () => {
    expect(
      loop('control.repeat("l", { n: p.value, target: 3 }, work, { maxIterations: 5, stateKey: "s" })'),
    ).toMatchObject({
      attributes: { child: "work" },
      pins: { target: { json: "3" }, maxIterations: { json: "5" }, stateKey: { text: "s" } },
      inputs: { n: "text", target: "text" },
    });
    expect(loop("control.repeat(work)")).toMatchObject({ label: "l", attributes: { child: "work" } });
  });

  test("R-6: outputs of a repeat go by its outputKey", () => {
    const { findings } = read(
      `${SUBFLOWS}const l = control.repeat("l", {}, work, { maxIterations: 5, outputKey: "sum" });
       const shown = display.code("s", { content: l.sum_state });`,
    );
    expect(findings).toEqual([]);
  });
});

const fixtures: readonly Fixture[] = [
  [
    "D30 two operations",
    "body_not_one",
    `${SUBFLOWS}const l = control.while("l", {}, "true", action(work), ⟦D30⟧prompt("ask"));`,
    `${SUBFLOWS}const l = control.while("l", {}, "true", action(work));`,
    { node: "l", field: "operation" },
  ],
  [
    "D06 an option that is a pin too",
    "twice",
    `const l = control.while("l", { delayMs: 5 }, "x", { ⟦D06⟧delayMs: 6 });`,
    `const l = control.while("l", { delayMs: 5 }, "x");`,
    { node: "l", field: "delayMs" },
  ],
  [
    "D09 an option that comes later (OP-7)",
    "no option of control.repeat",
    `${SUBFLOWS}const l = control.repeat("l", {}, work, { maxIterations: 5, ⟦D09⟧turbo: true });`,
    `${SUBFLOWS}const l = control.repeat("l", {}, work, { maxIterations: 5 });`,
    { node: "l", field: "turbo" },
  ],
  [
    "D06 an operation without a name",
    "name of this prompt",
    `const l = control.while("l", {}, "true", ⟦D06⟧prompt());`,
    `const l = control.while("l", {}, "true", prompt("ask"));`,
    { node: "l", field: "operation" },
  ],
  [
    "D06 an action that is a node",
    "name of this action",
    `${SUBFLOWS}const l = control.while("l", {}, "true", action(⟦D06⟧a));`,
    `${SUBFLOWS}const l = control.while("l", {}, "true", action(work));`,
    { node: "l", field: "operation" },
  ],
  [
    "D06 a wire among parameters",
    "not a literal",
    `${SUBFLOWS}const l = control.while("l", {}, "true", action(work, { n: ⟦D06⟧p.value }));`,
    `${SUBFLOWS}const l = control.while("l", {}, "true", action(work, { n: "state.n" }));`,
    { node: "l", field: "operation" },
  ],
  [
    "D06 parameters that are no object",
    "params of action is not an object",
    `${SUBFLOWS}const l = control.while("l", {}, "true", ⟦D06⟧action(work, "state"));`,
    `${SUBFLOWS}const l = control.while("l", {}, "true", action(work, { n: "state" }));`,
    { node: "l", field: "operation" },
  ],
  [
    "D06 a context with an object (OP-2)",
    "could carry credentials",
    `const l = control.while("l", {}, "true", ⟦D06⟧subAgent("a", "m", { context: [{ url: "x" }] }));`,
    `const l = control.while("l", {}, "true", subAgent("a", "m", { context: ["x"] }));`,
    { node: "l", field: "operation" },
  ],
  [
    "D06 an unknown member of subAgent",
    "subAgent has no",
    `const l = control.while("l", {}, "true", ⟦D06⟧subAgent("a", "m", { model: "x" }));`,
    `const l = control.while("l", {}, "true", subAgent("a", "m", {}));`,
    { node: "l", field: "operation" },
  ],
  [
    "D06 an expression that is a file",
    "(label, pins, expression, operation)",
    `const l = control.while("l", {}, ⟦D06⟧file("scripts/step.mjs"), prompt("ask"));`,
    `const l = control.while("l", {}, "true", prompt("ask"));`,
    { node: "l" },
  ],
  [
    "D06 an argument too many",
    "takes no such argument",
    `const l = control.while("l", {}, "true", prompt("ask", {}, ⟦D06⟧{}));`,
    `const l = control.while("l", {}, "true", prompt("ask", {}));`,
    { node: "l", field: "operation" },
  ],
  [
    "D06 an action declared later",
    "above",
    `const l = control.while("l", {}, "true", action(⟦D06⟧work));\n${SUBFLOWS}`,
    `${SUBFLOWS}const l = control.while("l", {}, "true", action(work));`,
    { node: "l", field: "operation" },
  ],
  [
    "D06 a child declared later",
    "above",
    `const l = control.repeat("l", {}, ⟦D06⟧work);\n${SUBFLOWS}`,
    `${SUBFLOWS}const l = control.repeat("l", {}, work);`,
    { node: "l", field: "child" },
  ],
  [
    "D06 a repeat of a script",
    "(label, pins, child, options)",
    `const l = control.repeat("l", {}, ⟦D06⟧"node step.mjs");`,
    `${SUBFLOWS}const l = control.repeat("l", {}, work);`,
    { node: "l" },
  ],
];

describe("mistakes in the other forms of a loop", () => {
  it.each(fixtures)("%s", (...fixture) => {
    checkFixture(fixture);
  });
});
