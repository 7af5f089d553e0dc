import { expect, test } from "vitest";
import { quote } from "../json/strings.ts";
import { resolveParameter } from "./parameter.ts";
import { loopNames, loopScope } from "./scope.ts";

const state =
  '{"n":1.0,"name":"Ada \\u0041","none":null,"list":[1e2,{"2":1,"1":-0}],"odd key":{"a-b":true},"__proto__":7,' +
  '"again":"{{state.n}}","path":"state.n","static":"static:x"}';
const moment = {
  state,
  input: '{"who":"you"}',
  iteration: 3,
  last: '{"ok":true}',
  itemVariable: "attempt",
};
const scope = loopScope(moment);

function resolved(json: string, used = scope): string {
  const result = resolveParameter(json, used);
  if (!result.ok) throw new Error(`${result.failure.code}: ${result.failure.message}`);
  return result.text;
}

const ofText = (text: string) => resolved(quote(text));

test.each([
  // static: the rest, whatever it looks like.
  ["static:state.n", '"state.n"'],
  ["static:{{state.n}}", '"{{state.n}}"'],
  ["static:", '""'],
  ["static:static:x", '"static:x"'],
  // Exact roots and paths, typed and spelled as they are.
  ["state.n", "1.0"],
  ["state.list", '[1e2,{"2":1,"1":-0}]'],
  ["state.list[1]", '{"2":1,"1":-0}'],
  ["state.list.1.2", "1"],
  ["state.list.length", "2"],
  ["state.name", '"Ada \\u0041"'],
  ["state.name.length", "5"],
  ['state["odd key"].a-b', "true"],
  ["state.__proto__", "7"],
  ["state", state],
  ["input.who", '"you"'],
  ["attempt.attemptNumber", "3"],
  ["attempt.totalAttempts", "2"],
  ["attempt", '{"attemptNumber":3,"totalAttempts":2}'],
  ["iteration", "3"],
  ["last.ok", "true"],
  ["state.none", "null"],
  ["state.missing", "null"],
  ["state.missing.deeper", "null"],
  ["state.none.deeper", "null"],
  ["state.toString", "null"],
  // Whole expressions, typed.
  ["{{state.n + 1}}", "2"],
  ["{{ state.n }}", "1.0"],
  ["{{state.list}}", '[1e2,{"2":1,"1":-0}]'],
  ["{{index}}", "2"],
  ["{{state.missing}}", "null"],
  ["{{state.list.map(x => x > 1)}}", "[true,false]"],
  ["{{'}}'}}", '"}}"'],
  ['{{"a\\"}}"}}', '"a\\"}}"'],
  // Embedded ones, as text.
  ["n={{state.n}}, {{state.name}}!", '"n=1.0, Ada A!"'],
  ["{{state.n}}{{iteration}}", '"1.03"'],
  [" {{state.n}}", '" 1.0"'],
  ["<{{state.none}}{{state.missing}}>", '"<>"'],
  ["{{state.list}}.", '"[1e2,{\\"2\\":1,\\"1\\":-0}]."'],
  ["{{'{{'}}x}}", '"{{x}}"'],
  // Everything else is literal.
  ["plain", '"plain"'],
  ["", '""'],
  ["state of the art", '"state of the art"'],
  ["state.", '"state."'],
  ["state..n", '"state..n"'],
  ["state[n]", '"state[n]"'],
  ["statement", '"statement"'],
  ["index", '"index"'],
  ["item.n", '"item.n"'],
  ["{{state.n", '"{{state.n"'],
  ["}} {{", '"}} {{"'],
  ["a { b } c", '"a { b } c"'],
])("OP-5: %j gives %s", (text, expected) => {
  expect(ofText(text)).toBe(expected);
});

test("OP-5: lists and objects are resolved inside, keys and other values are not", () => {
  const json = '{"state.n":["state.n",{"deep":"{{iteration}}"},1.50,null,true],"__proto__":"input.who"}';
  expect(resolved(json)).toBe('{"state.n":[1.0,{"deep":3},1.50,null,true],"__proto__":"you"}');
});

test("OP-5: what comes out of data is never resolved again", () => {
  expect(ofText("state.again")).toBe('"{{state.n}}"');
  expect(ofText("{{state.again}}")).toBe('"{{state.n}}"');
  expect(ofText("x {{state.again}} {{state.path}}")).toBe('"x {{state.n}} state.n"');
  expect(ofText("state.path")).toBe('"state.n"');
  expect(ofText("{{state.static}}")).toBe('"static:x"');
  expect(ofText("{{'{{'}}state.n{{'}}'}}")).toBe('"{{state.n}}"');
});

test("OP-5, O-5: the object with the counts goes by the name of the itemVariable only", () => {
  const renamed = loopScope({ ...moment, itemVariable: "round" });
  expect(resolved('"round.attemptNumber"', renamed)).toBe("3");
  expect(resolved('"attempt.attemptNumber"', renamed)).toBe('"attempt.attemptNumber"');
  expect([...loopNames("round")]).toEqual(["state", "input", "round", "iteration", "index", "last"]);
});

test("OP-6: expressions of a WhileOperation know the state as payload, and the count of successful passes", () => {
  const operation = loopScope({ ...moment, succeeded: 2 });
  expect(resolved('"{{payload.n + results.length}}"', operation)).toBe("3");
  expect(resolveParameter('"{{payload.n}}"', scope)).toMatchObject({ ok: false });
  expect(loopNames("attempt", true).has("results")).toBe(true);
});

test.each([
  ["{{state.missing.deeper}}", "state.missing is undefined, so it has no property deeper"],
  ["{{state.none.deeper}}", "state.none is null"],
  ["{{last.x.y}}", "last.x is undefined"],
  ["{{nobody}}", "nobody is not known"],
  ["{{}}", "the expression is blank"],
  ["a {{state.n = 1}} b", "assignment is not allowed"],
  ["{{1 / 0}}", "a number that is not finite"],
  ["{{[0 / 0]}}", "a number that is not finite"],
  ["{{9007199254740991 * 10}}", "is an integer beyond"],
])("OP-5, E-2: %j is condition_unevaluable, naming the expression and the reason", (text, expected) => {
  const result = resolveParameter(quote(text), scope);
  expect(result).toMatchObject({ ok: false, failure: { code: "condition_unevaluable" } });
  const message = result.ok ? "" : result.failure.message;
  expect(message).toContain(expected);
  expect(message).toContain(text.slice(text.indexOf("{{") + 2, text.indexOf("}}")));
});

test("OP-5: before the first pass `last` is null", () => {
  expect(resolved('["last","last.x","{{last}}"]', loopScope({ ...moment, last: null }))).toBe(
    "[null,null,null]",
  );
});

test("OP-5: exactly 1 MiB passes as a parameter, and templates cannot multiply data beyond it", () => {
  const fits = loopScope({ ...moment, state: quote("x".repeat(1_048_574)) });
  expect(resolved('"state"', fits)).toHaveLength(1_048_576);
  for (const json of ['["state"]', '"{{state}}{{state}}"', `[${'"state",'.repeat(2000)}1]`])
    expect(resolveParameter(json, fits)).toMatchObject({ ok: false, failure: { code: "state_too_large" } });
});
