import { expect, test } from "vitest";
import { findings } from "../testing/lint-case.ts";
import { irSchema, ownEntry } from "./ir.ts";
import type { Ir } from "./ir.ts";
import { readWhileOperation } from "./while-operation.ts";

function read(value: unknown): Ir {
  const found = readWhileOperation(typeof value === "string" ? value : JSON.stringify(value));
  if (!found.ok) throw new Error(found.failure.message);
  return found.ir;
}

const action = { name: "provide.json", params: { value: { n: "{{payload.n + 1}}" } } };
const operation = {
  condition: "payload.n < 3 && results.length < 10",
  action,
  maxIterations: 5,
  delayBetweenIterationsMs: 250,
  continueOnError: true,
  itemVariable: "turn",
};

test("OP-6: an operation becomes the nodes state and loop, and lint finds nothing wrong with them", () => {
  const ir = read(operation);
  expect(irSchema.parse(ir)).toEqual(ir);
  expect(Object.entries(ir.nodes).map(([id, { definition }]) => [id, definition])).toEqual([
    ["state", "provide.json"],
    ["loop", "control.while"],
  ]);
  expect(ir.nodes["loop"]).toMatchObject({
    attributes: {
      expression: operation.condition,
      operation: '{"action":"provide.json","params":{"value":{"n":"{{payload.n + 1}}"}}}',
    },
    pins: {
      maxIterations: { json: "5" },
      delayMs: { json: "250" },
      continueOnError: { json: "true" },
      itemVariable: { text: "turn" },
    },
  });
  expect(ir.edges).toEqual([{ from: { node: "state", slot: "value" }, to: { node: "loop", slot: "state" } }]);
  expect(findings(ir).filter(({ severity }) => severity === "error")).toEqual([]);
});

test("OP-6: every kind of operation, and members that are null are not there", () => {
  const of = (given: object) => ownEntry(read({ condition: "true", ...given }).nodes, "loop");
  expect(of({ action: "provide.json", prompt: null, maxIterations: null })).toMatchObject({
    attributes: { operation: '{"action":"provide.json","params":{}}' },
    pins: {},
  });
  expect(of({ prompt: { name: "ask", templateParameters: { a: 1 } } })?.attributes["operation"]).toBe(
    '{"prompt":"ask","templateParameters":{"a":1}}',
  );
  const subAgent = { name: "critic", message: "{{payload.text}}", context: ["notes"] };
  expect(of({ subAgent })?.attributes["operation"]).toBe(
    '{"subAgent":"critic","message":"{{payload.text}}","templateParameters":{},"context":["notes"]}',
  );
});

test("OP-4, OP-6: an output mapping is an object or its text, beside the operation or in it", () => {
  const mapping = (given: object) =>
    read({ condition: "true", ...given }).nodes["loop"]?.pins["outputMapping"];
  expect(mapping({ action, outputMapping: { "a.b": "c" } })).toEqual({ json: '{"a.b":"c"}' });
  expect(mapping({ action: { ...action, outputMapping: '{"*":"all"}' } })).toEqual({ text: '{"*":"all"}' });
});

test("OP-6, L-46: numbers and keys of parameters keep their spelling", () => {
  const text =
    '{"condition":"true","action":{"name":"provide.json","params":{"value":{"b":1.50,"2":1e2,"1":-0}}}}';
  expect(read(text).nodes["loop"]?.attributes["operation"]).toBe(
    '{"action":"provide.json","params":{"value":{"b":1.50,"2":1e2,"1":-0}}}',
  );
});

test.each<[what: string, given: unknown, code: string, says: string]>([
  ["none", {}, "body_not_one", "it has none"],
  ["nulls only", { action: null, prompt: null }, "body_not_one", "it has none"],
  ["two", { action, prompt: { name: "ask" } }, "body_not_one", "it has action and prompt"],
  ["an unknown member", { action, turbo: 5 }, "config_invalid", 'it has no "turbo"'],
  [
    "an unknown member of the action",
    { action: { ...action, retries: 1 } },
    "config_invalid",
    'action has no "retries"',
  ],
  ["no name", { action: { params: {} } }, "config_invalid", "the name of action is not a non-empty text"],
  ["a number as prompt", { prompt: 5 }, "config_invalid", "the name of prompt"],
  [
    "parameters that are a list",
    { action: { name: "x", params: [] } },
    "config_invalid",
    "params of action is not an object",
  ],
  [
    "a context with an object",
    { subAgent: { name: "a", context: [{ key: "x" }] } },
    "config_invalid",
    "could carry credentials",
  ],
  [
    "two mappings",
    { action: { ...action, outputMapping: {} }, outputMapping: {} },
    "config_invalid",
    "give it once",
  ],
])("OP-2, OP-6: %s is refused", (_, given, code, says) => {
  const found = readWhileOperation(JSON.stringify({ condition: "true", ...(given as object) }));
  expect(found).toMatchObject({ ok: false, failure: { code, message: expect.stringContaining(says) } });
});

test.each([
  ["[]", "it is a JSON array"],
  ["{", "it is not JSON"],
  ['{"condition":5,"prompt":"a"}', "its condition is not a text"],
  ['{"prompt":"a"}', "its condition is not a text"],
])("OP-6: %s is no operation: config_invalid", (text, says) => {
  expect(readWhileOperation(text)).toMatchObject({
    ok: false,
    failure: { code: "config_invalid", message: expect.stringContaining(says) },
  });
});

test("OP-6, D62: what its expressions say is found by lint", () => {
  const found = findings(read({ ...operation, condition: "payload.n = 3" }));
  expect(found.filter(({ severity }) => severity === "error")).toMatchObject([
    { code: "D62", node: "loop", field: "expression" },
  ]);
});
