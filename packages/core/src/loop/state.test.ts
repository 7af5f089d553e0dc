import { expect, test } from "vitest";
import { readInitialState, readState } from "./state.ts";

test("AC-18, L-9: a blank initial state is null, any JSON value is one, other text is none", () => {
  for (const blank of ["", " ", "\n\t"]) {
    expect(readInitialState(blank)).toEqual({ ok: true, text: "null", bytes: 4 });
  }
  for (const text of ["[1,2]", '"x"', "3", "null", '{"n":0}']) {
    expect(readInitialState(` ${text} `)).toEqual({ ok: true, text, bytes: text.length });
  }
  expect(readInitialState("not-json")).toMatchObject({
    ok: false,
    failure: { code: "state_invalid_json" },
  });
});

test("L-42: a blank state that should be there is not JSON", () => {
  expect(readState("  ")).toMatchObject({ ok: false, failure: { code: "state_invalid_json" } });
});

test("AC-26, L-31: exactly 1,048,576 bytes pass and one more is state_too_large", () => {
  const exact = JSON.stringify("x".repeat(1_048_574));
  expect(readState(` ${exact}\n`)).toEqual({ ok: true, text: exact, bytes: 1_048_576 });
  const over = readState(JSON.stringify("x".repeat(1_048_575)));
  expect(over).toMatchObject({ ok: false, failure: { code: "state_too_large" } });
  expect(!over.ok && over.failure.message).toContain("1048577");
});

test("AC-26, L-31: 349,525 three-byte characters and their quotes are one byte too many", () => {
  expect(readState(JSON.stringify("漢".repeat(349_525)))).toMatchObject({
    failure: { code: "state_too_large" },
  });
  expect(readState(JSON.stringify("漢".repeat(349_524)))).toMatchObject({
    ok: true,
    bytes: 1_048_574,
  });
});

test.each([
  ["number_not_exact", "$.id", '{"id":9007199254740993}'],
  ["number_not_exact", "$.x[1]", '{"x":[1,1e400]}'],
  ["duplicate_key", "$.a.b", '{"a":{"b":1,"b":2}}'],
  ["state_too_deep", "$[0]", "[".repeat(100_000)],
  ["state_invalid_json", "$.a[0]", '{"a":[NaN]}'],
])("L-45: a state is refused as %s at %s", (code, path, text) => {
  const result = readState(text);
  expect(result).toMatchObject({ ok: false, failure: { code, node: null, iteration: null } });
  expect(!result.ok && result.failure.message).toContain(path);
});
