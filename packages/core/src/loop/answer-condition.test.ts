import { describe, expect, test } from "vitest";
import { readBodyAnswer } from "./answer-body.ts";
import { readConditionAnswer } from "./answer-condition.ts";

describe("the Condition", () => {
  test.each([
    ["continue", "continue"],
    [" Wait\n", "wait"],
    ["DONE", "done"],
    ["\tFail ", "fail"],
  ])("L-16: %j is the decision %s", (decision, word) => {
    expect(readConditionAnswer({ decision })).toEqual({
      ok: true,
      answer: { decision: word, summary: "" },
    });
  });

  test.each([[""], ["  "], ["maybe"], ["done."], ['"done"'], ["do ne"], ["true"], ["constructor"]])(
    "AC-12, L-16: %j is decision_invalid, there is no default",
    (decision) => {
      const result = readConditionAnswer({ decision });
      expect(result).toMatchObject({ ok: false, failure: { code: "decision_invalid" } });
    },
  );

  test("L-16: the message about a decision is short however long the answer was", () => {
    const result = readConditionAnswer({ decision: "x".repeat(1_000_000) });
    expect(!result.ok && result.failure.message.length).toBeLessThan(200);
  });

  test("L-30: the summary is kept as it stands, a blank one is empty", () => {
    expect(readConditionAnswer({ decision: "wait", summary: " two\nlines " })).toMatchObject({
      answer: { summary: " two\nlines " },
    });
    expect(readConditionAnswer({ decision: "wait", summary: "  " })).toMatchObject({
      answer: { summary: "" },
    });
    expect(readConditionAnswer({ decision: "wait", summary: "x".repeat(4000) }).ok).toBe(true);
  });

  test.each([
    ["4001 letters", "summary_too_long", "x".repeat(4001)],
    ["2001 emoji", "summary_too_long", "\u{1f600}".repeat(2001)],
    ["a NUL", "summary_invalid", "a\0b"],
    ["a lone surrogate", "summary_invalid", "\ud800"],
  ])("AC-25, L-30: a summary of %s is %s, never cut", (_, code, summary) => {
    expect(readConditionAnswer({ decision: "done", summary })).toMatchObject({
      ok: false,
      failure: { code },
    });
  });
});

describe("the Body", () => {
  test.each([[""], [" "], ["\n"]])("L-17: state %j is body_state_missing", (state) => {
    expect(readBodyAnswer({ state }, "")).toMatchObject({
      ok: false,
      failure: { code: "body_state_missing" },
    });
  });

  test("AC-16, L-17, L-46: the state is what the Body gave, whole and token for token; null is one", () => {
    expect(readBodyAnswer({ state: ' { "m" : 1.0 } ' }, "")).toEqual({
      ok: true,
      answer: { state: '{"m":1.0}', summary: "" },
    });
    expect(readBodyAnswer({ state: "null" }, "")).toMatchObject({
      ok: true,
      answer: { state: "null" },
    });
  });

  test.each([
    ["that is no JSON", "state_invalid_json", "plain words"],
    ["of two objects", "state_invalid_json", '{"a":1}{"a":1}'],
    ["with an infinite number", "number_not_exact", "[1e400]"],
    ["with a key twice", "duplicate_key", '{"a":1,"a":1}'],
    ["nested 100,000 deep", "state_too_deep", "[".repeat(100_000)],
    ["nested 513 deep", "state_too_deep", `${"[".repeat(513)}${"]".repeat(513)}`],
    ["of 1 MiB and one byte", "state_too_large", JSON.stringify("x".repeat(1_048_575))],
  ])("AC-26, AC-32, L-17, L-45: a state %s is %s", (_, code, state) => {
    expect(readBodyAnswer({ state }, "")).toMatchObject({ ok: false, failure: { code } });
  });

  test("AC-26, L-31, L-45: a state of exactly 1 MiB passes, and so does one of exactly 512 levels", () => {
    expect(readBodyAnswer({ state: JSON.stringify("x".repeat(1_048_574)) }, "").ok).toBe(true);
    expect(readBodyAnswer({ state: `${"[".repeat(512)}${"]".repeat(512)}` }, "").ok).toBe(true);
  });

  test.each([
    ["mine", "theirs", "mine"],
    ["", "theirs", "theirs"],
    [" \n", "theirs", "theirs"],
    [undefined, "theirs", "theirs"],
    [undefined, "", ""],
  ])("L-18: of the summaries %j and %j the round gets %j", (summary, condition, wanted) => {
    expect(readBodyAnswer({ state: "1", summary }, condition)).toMatchObject({
      answer: { summary: wanted },
    });
  });

  test("L-30: a Body's summary is held to the same limits", () => {
    const most = "x".repeat(4000);
    expect(readBodyAnswer({ state: "1", summary: most }, "")).toMatchObject({ answer: { summary: most } });
    expect(readBodyAnswer({ state: "1", summary: "x".repeat(4001) }, "")).toMatchObject({
      failure: { code: "summary_too_long" },
    });
  });
});
