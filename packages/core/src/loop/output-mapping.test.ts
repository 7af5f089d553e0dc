import { expect, test } from "vitest";
import { applyOutputMapping, readOperationResult } from "./apply-output.ts";
import { readOutputMapping } from "./output-mapping.ts";
import type { OutputMapping } from "./output-mapping.ts";

function mapping(text: string): OutputMapping | null {
  const read = readOutputMapping(text);
  if (!read.ok) throw new Error(read.failure.message);
  return read.mapping;
}

function apply(map: Readonly<Record<string, string>>, result: string, state: string): string {
  const applied = applyOutputMapping(mapping(JSON.stringify(map)), result, state);
  if (!applied.ok) throw new Error(applied.failure.message);
  expect(applied.warnings).toEqual([]);
  return applied.state;
}

test.each<[string, Readonly<Record<string, string>>, string, string, string]>([
  ["a field", { total: "sum" }, '{"total":1.50}', '{"a":1}', '{"a":1,"sum":1.50}'],
  ["a field over another", { total: "a" }, '{"total":[1]}', '{"a":1,"b":2}', '{"a":[1],"b":2}'],
  ["a dotted source", { "order.total": "sum" }, '{"order":{"total":3}}', "{}", '{"sum":3}'],
  [
    "letters of another case at every level",
    { "ORDER.total": "sum" },
    '{"order":{"Total":3}}',
    "{}",
    '{"sum":3}',
  ],
  ["the exact spelling first", { total: "sum" }, '{"TOTAL":1,"total":2}', "{}", '{"sum":2}'],
  ["an item of a list", { "items.1.id": "second" }, '{"items":[{},{"id":7}]}', "{}", '{"second":7}'],
  ["a null", { gone: "a" }, '{"gone":null}', '{"a":1}', '{"a":null}'],
  ["the whole result", { "*": "answer" }, '{"x":1}', '{"a":1}', '{"a":1,"answer":{"x":1}}'],
  ["a whole result that is text", { "*": "answer" }, '"hi"', "{}", '{"answer":"hi"}'],
  ["objects made on the way", { x: "a.b.c" }, '{"x":1}', '{"z":0}', '{"z":0,"a":{"b":{"c":1}}}'],
  ["objects there on the way", { x: "a.c" }, '{"x":1}', '{"a":{"b":0},"z":0}', '{"a":{"b":0,"c":1},"z":0}'],
  ["a way through null", { x: "a.b" }, '{"x":1}', '{"a":null}', '{"a":{"b":1}}'],
  ["a state of null", { x: "a" }, '{"x":1}', "null", '{"a":1}'],
  ["an append", { x: "list[]" }, '{"x":[2]}', '{"list":[1.0]}', '{"list":[1.0,[2]]}'],
  ["an append to nothing yet", { x: "deep.list[]" }, '{"x":1}', "{}", '{"deep":{"list":[1]}}'],
  ["an append to null", { x: "list[]" }, '{"x":1}', '{"list":null}', '{"list":[1]}'],
  ["entries in their order", { a: "list[]", b: "list[]" }, '{"b":2,"a":1}', "{}", '{"list":[1,2]}'],
  ["keys that look dangerous", { a: "__proto__.x" }, '{"a":1}', "{}", '{"__proto__":{"x":1}}'],
  ["nothing at all", {}, '{"a":1}', '{"b":1}', '{"b":1}'],
])("OP-4: %s", (_what, map, result, state, expected) => {
  expect(apply(map, result, state)).toBe(expected);
});

test("OP-4, L-46: what no entry touches keeps its spelling, and so does what is taken over", () => {
  const state = '{"2":1,"1":-0,"\\u0061":1.0,"t":"\\u00e4\\ud800","o":{"e":1E2},"__proto__":0}';
  const result = '{"v":{"10":1.50,"9":"\\/"}}';
  expect(apply({ v: "o.new" }, result, state)).toBe(
    '{"2":1,"1":-0,"\\u0061":1.0,"t":"\\u00e4\\ud800","o":{"e":1E2,"new":{"10":1.50,"9":"\\/"}},"__proto__":0}',
  );
});

test("OP-4: a missing source leaves the state alone and warns with the keys that came", () => {
  const map = mapping('{"order.sum":"a","total":"b"}');
  const applied = applyOutputMapping(map, '{"order":{"Amount":1},"total":5}', '{"a":0}');
  expect(applied).toEqual({
    ok: true,
    state: '{"a":0,"b":5}',
    warnings: [
      'outputMapping: there is no "order.sum"; the result has the keys "order", "total", its "order" has the keys "Amount"',
    ],
  });
  expect(applyOutputMapping(map, '"text"', "{}")).toMatchObject({
    state: "{}",
    warnings: [expect.stringContaining('the result is "\\"text\\""'), expect.stringContaining("total")],
  });
  expect(applyOutputMapping(map, "{}", "{}")).toMatchObject({
    warnings: [expect.stringContaining("the result has no keys"), expect.any(String)],
  });
});

test("OP-4: a warning stays short however many and long the keys are", () => {
  const fields = Array.from({ length: 5000 }, (_, at) => `"${"k".repeat(100)}${at}":1`);
  const applied = applyOutputMapping(mapping('{"a":"b"}'), `{${fields.join()}}`, "{}");
  const [warning = ""] = applied.ok ? applied.warnings : [];
  expect(warning).toContain("and 4980 more");
  expect(warning.length).toBeLessThan(2000);
});

test.each([
  [{ x: "a[]" }, '{"a":{}}', `the state's "a" is not a list`],
  [{ x: "a[]" }, '{"a":"text"}', `the state's "a" is not a list`],
  [{ x: "a.b.c" }, '{"a":{"b":5}}', `the state's "a.b" is not an object`],
  [{ x: "a.0" }, '{"a":[]}', `the state's "a" is not an object`],
  [{ x: "a" }, "[]", "the state is not an object"],
  [{ x: "a" }, "5", "the state is not an object"],
])("OP-4: %j on %s errors the iteration", (map, state, expected) => {
  const applied = applyOutputMapping(mapping(JSON.stringify(map)), '{"x":1}', state);
  expect(applied).toMatchObject({ ok: false, failure: { code: "node_failed" } });
  expect(applied.ok ? "" : applied.failure.message).toContain(expected);
});

test("OP-4: without a mapping an object replaces the fields of the same name, anything else leaves the state", () => {
  const merged = (result: string, state: string) => applyOutputMapping(null, result, state);
  expect(merged('{"b":{"c":1},"d":2.0}', '{"a":1.0,"b":{"x":1}}')).toEqual({
    ok: true,
    state: '{"a":1.0,"b":{"c":1},"d":2.0}',
    warnings: [],
  });
  expect(merged('{"a":1}', "null")).toMatchObject({ state: '{"a":1}' });
  for (const result of ['"text"', "[1]", "5", "true", "null", "{}"])
    expect(merged(result, '{"a":1}')).toEqual({ ok: true, state: '{"a":1}', warnings: [] });
  expect(merged('{"a":1}', "[1]")).toMatchObject({ ok: false, failure: { code: "node_failed" } });
});

test("OP-4: large objects merge in linear time", () => {
  const fields = (from: number) => Array.from({ length: 40_000 }, (_, at) => `"k${from + at}":${at}`).join();
  const applied = applyOutputMapping(null, `{${fields(20_000)}}`, `{${fields(0)}}`);
  expect(applied.ok && Object.keys(JSON.parse(applied.state)).length).toBe(60_000);
});

test("OP-4, L-31: exactly 1 MiB of state passes, one byte more and entries that add up are state_too_large", () => {
  const text = (bytes: number) => `"${"x".repeat(bytes - 2)}"`;
  const room = 1_048_576 - '{"a":}'.length;
  expect(applyOutputMapping(mapping('{"*":"a"}'), text(room), "null")).toMatchObject({ ok: true });
  const tooLarge = { ok: false, failure: { code: "state_too_large" } };
  expect(applyOutputMapping(mapping('{"*":"a"}'), text(room + 1), "null")).toMatchObject(tooLarge);
  const many = Object.fromEntries(
    Array.from({ length: 200 }, (_, at) => [at === 0 ? "*" : `k${at}`, "list[]"]),
  );
  const result = `{${Array.from({ length: 200 }, (_, at) => `"k${at}":${text(100_000)}`).join()}}`;
  expect(applyOutputMapping(mapping(JSON.stringify(many)), result, "null")).toMatchObject(tooLarge);
});

test("OP-4: a mapping is an object or its JSON text, and blank means none", () => {
  const wanted = [{ source: "a.b", from: ["a", "b"], target: "c.d[]", to: ["c", "d"], append: true }];
  expect(mapping('{"a.b":"c.d[]"}')).toEqual(wanted);
  expect(mapping(JSON.stringify('{ "a.b": "c.d[]" }'))).toEqual(wanted);
  expect(mapping('{"*":"x"}')).toMatchObject([{ from: null, to: ["x"], append: false }]);
  expect(mapping("  ")).toBeNull();
  expect(mapping('""')).toBeNull();
});

test.each([
  ["{", "it is not JSON"],
  ["a: b", "it is not JSON"],
  ["[]", "it is JSON but array"],
  ["null", "it is JSON but null"],
  ["$mapping", '"$mapping" is not known'],
  ['"$mapping"', '"$mapping" is not known'],
  ['{"$name":"a"}', '"$name" is not known'],
  ['{"a":"$name.b"}', '"$name.b" is not known'],
  ['{"a":1}', 'the target of "a" is not text'],
  ['{"a":null}', 'the target of "a" is not text'],
  ['{"a":{"b":"c"}}', 'the target of "a" is not text'],
  ['{"":"a"}', 'the source "" is not a path'],
  ['{"a..b":"c"}', 'the source "a..b" is not a path'],
  ['{"a":""}', 'the target "" is not a path'],
  ['{"a":"b."}', 'the target "b." is not a path'],
  ['{"a":"[]"}', 'the target "[]" is not a path'],
  ['{"a":"b[].c"}', 'the target "b[].c" is not a path'],
  ['{"a":"b[][]"}', 'the target "b[][]" is not a path'],
  ['{"a":"*"}', 'the target "*" is not a path'],
  ['{"a":"b","a":"c"}', "it is not JSON"],
  ['"\\"{}\\""', "it is JSON but string"],
])("OP-4: the mapping %s is a definition error", (text, expected) => {
  const read = readOutputMapping(text);
  expect(read).toMatchObject({ ok: false, failure: { code: "config_invalid" } });
  expect(read.ok ? "" : read.failure.message).toContain(expected);
});

test.each([
  [' { "a": 1.0 } ', '{"a":1.0}'],
  ["42", "42"],
  ["true", "true"],
  ['"quoted"', '"quoted"'],
  ["plain words", '"plain words"'],
  ["{not json", '"{not json"'],
  ["12345678901234567890", '"12345678901234567890"'],
  ["  \n", "null"],
])("OP-2: the answer %j becomes %s", (answer, expected) => {
  expect(readOperationResult(answer)).toEqual({ ok: true, text: expected });
});

test("OP-2, L-45: an answer that is JSON but against the policy fails with its code", () => {
  for (const [answer, code] of [
    ['{"a":1,"a":2}', "duplicate_key"],
    ["[12345678901234567890]", "number_not_exact"],
    ["[".repeat(513) + "]".repeat(513), "state_too_deep"],
  ] as const)
    expect(readOperationResult(answer)).toMatchObject({ ok: false, failure: { code } });
});
