import * as fc from "fast-check";
import { expect, test } from "vitest";
import { evaluate } from "./evaluate.ts";
import { parseExpression } from "./parse.ts";

/** An expression, and the same for JavaScript itself, whose `==` converts where ours does not. */
type Pair = { readonly ours: string; readonly theirs: string };

const same = (text: string): Pair => ({ ours: text, theirs: text });
const build = (parts: readonly Pair[], write: (...texts: string[]) => string): Pair => ({
  ours: write(...parts.map(({ ours }) => ours)),
  theirs: write(...parts.map(({ theirs }) => theirs)),
});

const keys = fc.constantFrom("a", "b", "n", "items", "length", "odd key", "0");
const texts = fc.oneof(
  fc.string({ maxLength: 5 }),
  fc.constantFrom("", "a", "10", " 7 ", "-1", "[1]", '{"a":1}', "ß", "𝒳", "NaN"),
);
const constants = fc
  .oneof(
    texts,
    fc.integer({ min: 0, max: 20 }),
    fc.constantFrom(0.5, 1e21, 1e-7),
    fc.boolean(),
    fc.constant(null),
  )
  .map((value) => same(JSON.stringify(value)));

const names = ["state", "xs", "t", "p", "q"] as const;

const OPERATORS = ["===", "!==", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "&&", "||", "??"] as const;
const FUNCTIONS = [
  "Number",
  "String",
  "Boolean",
  "Array.isArray",
  "Math.floor",
  "Math.abs",
  "Math.sign",
] as const;

type Grammar = { expression: Pair; leaf: Pair; two: [Pair, Pair]; list: Pair; text: Pair };

/** `list` and `text` are of that kind mostly, so that most receivers of methods fit and some do not. */
const { expression } = fc.letrec<Grammar>((tie) => ({
  leaf: fc.oneof(constants, fc.constantFrom(...names, "undefined", "Math.PI").map(same)),
  two: fc.tuple(tie("expression"), tie("expression")),
  list: fc.oneof(
    { maxDepth: 3, depthSize: "small", withCrossShrink: true },
    { weight: 3, arbitrary: fc.constant(same("xs")) },
    {
      weight: 3,
      arbitrary: several(tie("expression"), 3).map((items) => build(items, (...all) => `[${all.join()}]`)),
    },
    { weight: 2, arbitrary: each(tie, fc.constantFrom("filter", "map")) },
    {
      weight: 1,
      arbitrary: of(
        tie("expression"),
        (a, name) => `Object.${name}(${a})`,
        fc.constantFrom("keys", "values", "entries"),
      ),
    },
    { weight: 1, arbitrary: called(tie("list"), tie("leaf"), fc.constant("slice")) },
    { weight: 1, arbitrary: tie("leaf") },
  ),
  text: fc.oneof(
    { maxDepth: 3, depthSize: "small", withCrossShrink: true },
    {
      weight: 3,
      arbitrary: fc.oneof(
        texts.map((text) => same(JSON.stringify(text))),
        fc.constant(same("t")),
      ),
    },
    {
      weight: 1,
      arbitrary: of(
        tie("expression"),
        (a, name) => `${name}(${a})`,
        fc.constantFrom("String", "JSON.stringify"),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(tie("text"), tie("leaf")).map((two) => build(two, (a, b) => `(${a} + ${b})`)),
    },
    {
      weight: 1,
      arbitrary: of(
        tie("text"),
        (a, name) => `(${a}).${name}()`,
        fc.constantFrom("trim", "trimStart", "trimEnd", "toLowerCase", "toUpperCase"),
      ),
    },
    { weight: 1, arbitrary: tie("leaf") },
  ),
  expression: fc.oneof(
    { maxDepth: 4, depthSize: "small", withCrossShrink: true },
    tie("leaf"),
    tie("list"),
    tie("text"),
    fc
      .tuple(tie("two"), fc.constantFrom(...OPERATORS))
      .map(([two, name]) => build(two, (a, b) => `(${a} ${name} ${b})`)),
    tie("two").map(([a, b]) => ({
      ours: `(${a.ours} == ${b.ours})`,
      theirs: `equal(${a.theirs}, ${b.theirs})`,
    })),
    fc
      .tuple(tie("expression"), tie("two"))
      .map(([test, two]) => build([test, ...two], (a, b, c) => `(${a} ? ${b} : ${c})`)),
    of(tie("expression"), (a, name) => `(${name} ${a})`, fc.constantFrom("!", "-")),
    of(tie("expression"), (a, key) => `(${a})?.[${JSON.stringify(key)}]`, keys),
    of(tie("list"), (a, key) => `(${a})[${JSON.stringify(key)}]`, keys),
    of(tie("expression"), (a, key) => `(${a})?.a[${JSON.stringify(key)}]`, keys),
    each(tie, fc.constantFrom("some", "every", "find")),
    fc
      .tuple(tie("list"), tie("expression"), tie("leaf"), fc.boolean())
      .map(([object, body, first, has]) =>
        build([object, body, first], (a, b, c) => `(${a}).reduce((p, q) => ${b}${has ? `, ${c}` : ""})`),
      ),
    called(
      tie("text"),
      tie("text"),
      fc.constantFrom("includes", "startsWith", "endsWith", "indexOf", "lastIndexOf"),
    ),
    called(tie("text"), tie("leaf"), fc.constant("slice")),
    called(tie("list"), tie("expression"), fc.constantFrom("includes", "indexOf", "lastIndexOf")),
    of(tie("text"), (a, name) => `${name}(${a})`, fc.constantFrom("Number", "JSON.parse")),
    of(tie("expression"), (a, name) => `${name}(${a})`, fc.constantFrom(...FUNCTIONS)),
    tie("two").map((two) => build(two, (a, b) => `Math.max(${a}, ${b})`)),
  ),
}));

function several(one: fc.Arbitrary<Pair>, maxLength: number, minLength = 0): fc.Arbitrary<Pair[]> {
  return fc.array(one, { minLength, maxLength });
}

function of(
  one: fc.Arbitrary<Pair>,
  write: (text: string, name: string) => string,
  name: fc.Arbitrary<string>,
): fc.Arbitrary<Pair> {
  return fc.tuple(one, name).map(([pair, text]) => build([pair], (a = "") => write(a, text)));
}

function each(tie: fc.LetrecTypedTie<Grammar>, method: fc.Arbitrary<string>): fc.Arbitrary<Pair> {
  return fc
    .tuple(tie("list"), method, tie("expression"))
    .map(([object, name, body]) => build([object, body], (a, b) => `(${a}).${name}((p, q) => ${b})`));
}

function called(
  object: fc.Arbitrary<Pair>,
  arg: fc.Arbitrary<Pair>,
  method: fc.Arbitrary<string>,
): fc.Arbitrary<Pair> {
  return fc
    .tuple(object, method, several(arg, 2, 1))
    .map(([one, name, args]) => build([one, ...args], (a, ...rest) => `(${a}).${name}(${rest.join()})`));
}

const dataKeys = fc.oneof(
  keys,
  fc.constantFrom("toString", "valueOf", "toJSON", "__proto__", "constructor", ""),
);
const { data } = fc.letrec<{ data: unknown }>((tie) => ({
  data: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.constant(null),
    fc.boolean(),
    fc.integer({ min: -20, max: 20 }),
    texts,
    fc.array(tie("data"), { maxLength: 4 }),
    fc.array(fc.tuple(dataKeys, tie("data")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
}));
const lists = fc.array(data, { maxLength: 4 });
const scopes = fc
  .record({ state: data, xs: lists, t: texts, p: data, q: fc.integer() })
  .map((values) => new Map(names.map((name) => [name, JSON.stringify(values[name])])));

function equal(left: unknown, right: unknown): boolean {
  return (left ?? null) === null ? (right ?? null) === null : left === right;
}

/** What JavaScript itself makes of it, with every value frozen all the way down. */
function reference(text: string, scope: ReadonlyMap<string, string>): { value: unknown } | null {
  const parameters = ["equal", ...names];
  const values = names.map((name) => frozen(JSON.parse(scope.get(name) ?? "null")));
  try {
    // The reference that the interpreter is held against; nothing but generated text gets here.
    // oxlint-disable-next-line no-new-func, typescript/no-implied-eval
    const run = new Function(...parameters, `"use strict"; return (${text});`) as (
      ...all: unknown[]
    ) => unknown;
    return { value: run(equal, ...values) };
  } catch (caught) {
    if (caught instanceof TypeError || caught instanceof SyntaxError) return null;
    throw caught;
  }
}

function frozen(value: unknown): unknown {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(frozen);
    Object.freeze(value);
  }
  return value;
}

/** A value with all that JSON hides: undefined, NaN, infinities, −0 and the order of keys. */
function shown(value: unknown): string {
  if (Object.is(value, -0)) return "-0";
  if (Array.isArray(value)) return `[${value.map(shown).join()}]`;
  if (typeof value !== "object" || value === null)
    return typeof value === "string" ? JSON.stringify(value) : String(value);
  const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${shown(item)}`);
  return `{${entries.join()}}`;
}

test("E-1: the allowed grammar gives what JavaScript gives, and is unevaluable where JavaScript throws", () => {
  fc.assert(
    fc.property(expression, scopes, ({ ours, theirs }, scope) => {
      fc.pre(ours.length <= 1000);
      const parsed = parseExpression(ours);
      if (!parsed.ok) throw new Error(`${ours}: ${parsed.problem.message}`);
      const result = evaluate(parsed.expression, scope, { maxSteps: 10_000_000 });
      const wanted = reference(theirs, scope);
      if (result.ok) expect(shown(result.value)).toBe(wanted === null ? "it throws" : shown(wanted.value));
      // JSON.parse alone is stricter: it keeps to the JSON policy (L-45).
      else if (!result.reason.startsWith("JSON.parse was given"))
        expect([result.reason, wanted]).toEqual([result.reason, null]);
    }),
    { numRuns: 200 },
  );
});

function hasFunction(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some(hasFunction);
  return typeof value === "function";
}

const pieces = fc.constantFrom(
  ..."()[]{}.,:;?!+-*/%<>=&|^~\"'`\\#@$ \n01aux",
  ..."state xs t constructor __proto__ prototype this new Function eval import async await yield => ... ?. ?? ** in".split(
    " ",
  ),
  ..."Math.max JSON.parse Object.keys .map( .some( .reduce( x=> \\u0063 'a' \"b\" 1e9 true null undefined typeof void".split(
    " ",
  ),
);

/** Heaps of tokens, hardly ever an expression, and expressions with something put into them, often one. */
const damaged = fc.oneof(
  fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join("")),
  fc.tuple(expression, fc.nat(), fc.nat({ max: 2 }), pieces).map(([{ ours }, where, cut, piece]) => {
    const at = where % (ours.length + 1);
    return ours.slice(0, at) + piece + ours.slice(at + cut);
  }),
);
const FORBIDDEN_INSIDE = /"(?:key|name|method)":"(?:constructor|__proto__|prototype)"/;

test("E-1, E-2: whatever the text, parsing and evaluating end as values, without functions, and change nothing", () => {
  fc.assert(
    fc.property(damaged, scopes, (text, scope) => {
      const before = [...scope];
      const parsed = parseExpression(text);
      if (!parsed.ok) {
        expect(parsed.problem.message).not.toBe("");
        expect(parsed.problem.offset).toBeLessThanOrEqual(text.length);
        return;
      }
      expect(JSON.stringify(parsed.expression)).not.toMatch(FORBIDDEN_INSIDE);
      const result = evaluate(parsed.expression, scope, { maxSteps: 10_000 });
      if (result.ok) expect(hasFunction(result.value)).toBe(false);
      expect([...scope]).toEqual(before);
    }),
    { numRuns: 200 },
  );
});
