import { expect, test } from "vitest";
import { jsonValue } from "../json/value.ts";
import { evaluateText } from "../testing/evaluate-text.ts";
import { evaluate } from "./evaluate.ts";
import { parseExpression } from "./parse.ts";

function value(text: string, values: Readonly<Record<string, unknown>> = {}): unknown {
  const result = evaluateText(text, values);
  if (!result.ok) throw new Error(result.reason);
  return result.value;
}

function reason(text: string, values: Readonly<Record<string, unknown>> = {}): string | null {
  const result = evaluateText(text, values);
  return result.ok ? null : result.reason;
}

const state = {
  n: 3,
  name: "Ada",
  nothing: null,
  items: [
    { id: 1, tags: ["a", "b"], done: false },
    { id: 2, tags: [], done: true },
  ],
  "odd key": { "0": "zero" },
};

test.each<[string, unknown]>([
  ["state.n + 1", 4],
  ["state.items.length", 2],
  ["state.items[1].id", 2],
  ["state['odd key']['0']", "zero"],
  ["state['odd key'][0]", "zero"],
  ["state.missing", undefined],
  ["state.missing?.deeper.still", undefined],
  ["state.nothing?.deeper", undefined],
  ["state.name?.length", 3],
  ["state.name[0]", "A"],
  ["state.n.anything", undefined],
  ["state.items.some(item => !item.done)", true],
  ["state.items.every(item => item.done)", false],
  ["state.items.find(item => item.id === 2).done", true],
  ["state.items.find(item => item.id === 3)", undefined],
  ["state.items.filter((item, at) => at > 0).map(item => item.id)", [2]],
  ["state.items.map(item => item.tags.length).reduce((sum, n) => sum + n, 0)", 2],
  ["state.items.reduce((best, item) => item.id > best.id ? item : best).id", 2],
  ["state.items.some(item => item.tags.some(tag => tag === 'b' && item.id === 1))", true],
  [
    "state.items.map((n, at) => state.items.map((n) => n.id + at))",
    [
      [1, 2],
      [2, 3],
    ],
  ],
  ["state.items.map((item, at, all) => all.length)", [2, 2]],
  ["[3, 1].includes(1) && [3, 1].indexOf(1) === 1 && [1, 2, 1].lastIndexOf(1) === 2", true],
  ["[1, 2, 1].lastIndexOf(1, undefined)", 0],
  ["[1, 2, 3].slice(-2)", [2, 3]],
  ["' Ada '.trim().toUpperCase()", "ADA"],
  ["JSON.parse('{\"a\":[1]}').a[0]", 1],
  ["JSON.stringify(state.items[1])", '{"id":2,"tags":[],"done":true}'],
  ["Object.keys(state['odd key'])", ["0"]],
  [
    "Object.entries(state.items[1])",
    [
      ["id", 2],
      ["tags", []],
      ["done", true],
    ],
  ],
  ["Array.isArray(state.items) && !Array.isArray(state)", true],
  ["Number('12') + Number() + Number(true)", 13],
  ["String(null) + String() + String([1, [2, null]])", "null1,2,"],
  ["Math.max(1, '7', state.n) + Math.round(Math.PI)", 10],
  ["state.nothing ?? 'default'", "default"],
  ["0 || '' || 'last'", "last"],
  ["1 && 0", 0],
  ["state.n > 2 ? 'many' : 'few'", "many"],
])("E-1: %s", (text, expected) => {
  expect(value(text, { state })).toEqual(expected);
});

test.each([
  ["null == undefined", true],
  ["state.missing == null", true],
  ["null != 0", true],
  ["1 == '1'", false],
  ["0 == ''", false],
  ["0 == false", false],
  ["[] == ''", false],
  ["'a' == 'a'", true],
  ["null === undefined", false],
  ["state.items == state.items", true],
  ["[1] == [1]", false],
])("E-1: == is === except that null equals undefined: %s is %s", (text, expected) => {
  expect(value(text, { state })).toBe(expected);
});

test.each([
  ["state.missing.deeper", "state.missing is undefined, so it has no property deeper"],
  ["state.nothing.deeper", "state.nothing is null, so it has no property deeper"],
  ["(state.nothing?.deeper).still", "state.nothing?.deeper is undefined, so it has no property still"],
  ["state.missing.includes('a')", "state.missing is undefined, which has no method includes"],
  ["state.items.trim()", "state.items is a list, which has no method trim"],
  ["state.includes('a')", "state is an object, which has no method includes"],
  ["state.name.map(x => x)", "state.name is a text, which has no method map"],
  ["state.items.filter(item => item.id > 5).reduce((a, b) => a)", "is empty, so reduce needs a first value"],
  ["Object.keys(null)", "Object.keys was given null"],
  ["JSON.parse('{')", 'JSON.parse was given "{"'],
  ['JSON.parse(\'{"a":1,"a":2}\')', "the key stands twice"],
  ["JSON.parse('9007199254740993')", "9007199254740993"],
  ["stat.n", "stat is not known; known are state"],
])("E-2: %s cannot be evaluated, and the reason says why", (text, expected) => {
  expect(reason(text, { state })).toContain(expected);
});

test("E-2: only own properties are seen, also where a prototype has more", () => {
  for (const name of ["toString", "valueOf", "hasOwnProperty", "__defineGetter__", "isPrototypeOf"])
    expect(value(`state.${name}`, { state: {} })).toBeUndefined();
  expect(value("t.trim", { t: "a" })).toBeUndefined();
  expect(value("xs.map", { xs: [] })).toBeUndefined();
  expect(value("xs.push ?? 'none'", { xs: [] })).toBe("none");
});

test("E-2, L-46: keys like __proto__ in the data are plain data and reach no prototype", () => {
  const parsed = parseExpression("Object.entries(JSON.parse(JSON.stringify(state)))");
  const scope = new Map([["state", '{"__proto__":{"polluted":1},"constructor":2}']]);
  const result = parsed.ok ? evaluate(parsed.expression, scope) : null;
  expect(result).toEqual({
    ok: true,
    value: [
      ["__proto__", { polluted: 1 }],
      ["constructor", 2],
    ],
  });
  expect(value("state.polluted", { state: jsonValue('{"__proto__":{"polluted":1}}') })).toBeUndefined();
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
});

test("E-2: data that pretends to be convertible is never called", () => {
  expect(reason("'' + state", { state: { toString: "x" } })).toContain("has no text");
  expect(value("state + ''", { state: { valueOf: 1 } })).toBe("[object Object]");
  expect(value("JSON.stringify(state)", { state: { toJSON: 1 } })).toBe('{"toJSON":1}');
  expect(value("[].includes(1, state)", { state: { toString: "x" } })).toBe(false);
  expect(value("xs + ''", { xs: [1, [2, { join: 1 }]] })).toBe("1,2,[object Object]");
});

test("E-2: nothing that an expression returns is the scope's own value", () => {
  const parsed = parseExpression("state");
  const scope = new Map([["state", '{"a":[1]}']]);
  const once = parsed.ok ? evaluate(parsed.expression, scope) : null;
  const again = parsed.ok ? evaluate(parsed.expression, scope) : null;
  expect(once).toEqual({ ok: true, value: { a: [1] } });
  expect(once?.ok === true && again?.ok === true && once.value !== again.value).toBe(true);
  expect(scope.get("state")).toBe('{"a":[1]}');
});

const many = Array.from({ length: 2000 }, (_, at) => at);
const long = "x".repeat(100_000);

test.each<[string, string, Record<string, unknown>]>([
  ["spins over pairs", "xs.some(a => xs.some(b => xs.some(c => a + b + c < 0)))", { xs: many }],
  ["doubles a text", "xs.reduce((text, x) => text + text, 'x')", { xs: many }],
  ["doubles a list", "xs.reduce((list, x) => [list, list], [])", { xs: many.slice(0, 60) }],
  ["nests a list", "xs.reduce((list, x) => [list], [])", { xs: many }],
  ["nests a list and writes it as text", "'' + xs.reduce((list, x) => [list], [])", { xs: many }],
  [
    "writes a doubled list",
    "JSON.stringify(xs.reduce((list, x) => [list, list], []))",
    { xs: many.slice(0, 60) },
  ],
  ["joins a doubled list", "String(xs.reduce((list, x) => [list, list], []))", { xs: many.slice(0, 60) }],
  ["writes a long text often", "JSON.stringify(xs.map(x => t))", { xs: many, t: long }],
  ["returns a long text often", "xs.map(x => t)", { xs: many, t: long }],
  ["compares long texts often", "xs.some(x => t === u)", { xs: many, t: `${long}a`, u: `${long}b` }],
  ["searches long texts often", "xs.map(x => t).includes(u)", { xs: many, t: long, u: `${long.slice(1)}y` }],
  ["searches badly", "t.includes('y' + t.slice(50000))", { t: long }],
  ["changes case often", "xs.every(x => t.toUpperCase().length > x)", { xs: many, t: long }],
  ["cuts often", "xs.every(x => t.slice(1).length > x)", { xs: many, t: long }],
  ["reads numbers out of long texts", "xs.every(x => t * 1 !== 0)", { xs: many, t: "1".repeat(100_000) }],
  ["orders long texts", "xs.every(x => t <= t)", { xs: many, t: long }],
  ["lists keys often", "xs.every(x => Object.keys(xs).length > 0)", { xs: many }],
  ["splits a text into values often", "xs.every(x => Object.values(t).length > 0)", { xs: many, t: long }],
  ["parses often", "xs.every(x => JSON.parse(t).length > 0)", { xs: many, t: JSON.stringify(many) }],
])("E-2: an expression that %s is stopped soon", (_what, text, values) => {
  expect(reason(text, values)).toMatch(/it takes more than 2000000 steps|nested deeper than 512 levels/);
});

test("E-2: the budget is exact to a step, so an expression costs the same everywhere", () => {
  const cost = (text: string) => {
    let steps = 1;
    while (!evaluateText(text, { t: "abc" }, { maxSteps: steps }).ok) steps += 1;
    return steps;
  };
  expect(cost("1")).toBe(1);
  expect(cost("1 + 1")).toBe(3);
  expect(cost("[1, 2].map(x => x)")).toBe(3 + 1 + 2 * 3);
  expect(cost("t + t")).toBe(3 + 6);
});

test("E-2: a state of 1 MiB can be searched and written out once", () => {
  const items = Array.from({ length: 40_000 }, (_, id) => ({ id, ok: true }));
  expect(value("state.every(item => item.ok)", { state: items })).toBe(true);
  expect(value("JSON.stringify(state).length > 900000", { state: items })).toBe(true);
});
