import { describe, expect, test } from "vitest";
import type { Failure } from "../errors.ts";
import { readScriptAnswer } from "./answer-script.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const read = (stdout: string, previous = '{"n":0}') => readScriptAnswer(encode(stdout), previous);

function refusal(stdout: string | Uint8Array): Failure {
  const result = readScriptAnswer(typeof stdout === "string" ? encode(stdout) : stdout, "null");
  if (result.ok) throw new Error("accepted");
  return result.failure;
}

describe("what is accepted", () => {
  test.each([
    ['{"decision":"continue","state":{"n":1}}', { decision: "continue", state: '{"n":1}', summary: "" }],
    ['{"decision":"wait","summary":"approve"}', { decision: "wait", state: '{"n":0}', summary: "approve" }],
    [
      '{"decision":"fail","state":{"n":9},"summary":"nope"}',
      { decision: "fail", state: '{"n":9}', summary: "nope" },
    ],
    ['{"decision":"done","summary":null}', { decision: "done", state: '{"n":0}', summary: "" }],
    ['{"decision":"done","summary":""}', { decision: "done", state: '{"n":0}', summary: "" }],
    ['{"d\\u0065cision":"\\u0064one"}', { decision: "done", state: '{"n":0}', summary: "" }],
  ])("L-27, L-30: %s", (stdout, answer) => {
    expect(read(stdout)).toEqual({ ok: true, answer });
  });

  test("AC-14, AC-15, P-45: an absent state is kept, null and {} replace it", () => {
    const stateOf = (stdout: string) => {
      const result = read(stdout);
      return result.ok && result.answer.state;
    };
    expect(stateOf('{"decision":"continue"}')).toBe('{"n":0}');
    expect(stateOf('{"decision":"continue","state":null}')).toBe("null");
    expect(stateOf('{"decision":"continue","state":{}}')).toBe("{}");
  });

  test("L-26: a byte-order mark and JSON white space around are fine", () => {
    expect(read('\ufeff \r\n\t{ "decision" : "done" }\n\n')).toMatchObject({
      ok: true,
      answer: { decision: "done" },
    });
  });

  test("L-46, AC-31: the state is the script's own tokens", () => {
    const state = '{"2":1.0,"1":-0,"__proto__":{"x":"\\u0000\\ud800"},"":1e2}';
    const spaced = state.replaceAll(":", " : ").replaceAll(",", " ,\n");
    expect(read(`{"decision":"continue","state": ${spaced} }`)).toMatchObject({
      ok: true,
      answer: { state },
    });
  });

  test("L-45: a state exactly 512 deep passes although the answer around it is one deeper", () => {
    const nested = (depth: number) => `{"decision":"done","state":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    expect(read(nested(512)).ok).toBe(true);
    expect(refusal(nested(513)).code).toBe("state_too_deep");
  });
});

describe("what is no single JSON object", () => {
  test.each([
    ["no output", "it is empty", ""],
    ["white space", "it is empty", " \n"],
    ["an array", "it is an array", "[]"],
    ["a string", "it is a string", '"done"'],
    ["null", "it is null", "null"],
    ["a boolean", "it is a boolean", "true"],
    ["a number", "it is a number", "3"],
    ["a number that is not exact", "9007199254740993", "9007199254740993"],
    ["100,000 brackets", "starts with", "[".repeat(100_000)],
    ["two objects on a line", "nothing after", '{"decision":"done"}{"decision":"done"}'],
    ["two objects on two lines", "line 2", '{"decision":"done"}\n{"decision":"done"}\n'],
    ["a log line first", "progress", 'progress\n{"decision":"done"}'],
    ["a log line last", "bye", '{"decision":"done"}\nbye'],
    [
      "NaN",
      "$.state.x: unexpected character (line 1, column 37)",
      '{"decision":"continue","state":{"x":NaN}}',
    ],
    ["single quotes", "column 2", "{'decision':'done'}"],
    ["a trailing comma", "column 20", '{"decision":"done",}'],
    ["a comment", "column 19", '{"decision":"done"/* x */}'],
    ["a cut object", "without an end", '{"decision":"do'],
    ["two byte-order marks", "unexpected character", '\ufeff\ufeff{"decision":"done"}'],
  ])("L-26, AC-21, AC-22, P-37, P-43: %s is refused, showing %s", (_, shown, stdout) => {
    const { code, message } = refusal(stdout);
    expect(code).toBe("stdout_not_json_object");
    expect(message).toContain(shown);
    expect(message).toContain("logs belong on stderr");
  });

  test("P-37: the message shows the start and the end, safe to store", () => {
    const { message } = refusal(`START\0${"\u{1f600}".repeat(500)}END`);
    expect(message).toMatch(/starts with "START\\u0000/);
    expect(message).toMatch(/END"; logs/);
    expect(message.length).toBeLessThan(500);
    expect(message).not.toMatch(/[\0\ud800-\udfff]/u);
  });

  test("L-26: bytes that are not UTF-8 are stdout_not_utf8", () => {
    expect(refusal(Uint8Array.from([0x7b, 0xff, 0x7d])).code).toBe("stdout_not_utf8");
  });
});

describe("what the fields may be", () => {
  test("AC-20, L-27: every unknown field is named", () => {
    const { code, message } = refusal(
      '{"decision":"nonsense","message":"x","State":1,"__proto__":2,"\\u0000":3}',
    );
    expect(code).toBe("stdout_unknown_field");
    expect(message).toContain('"message", "State", "__proto__", "\\u0000";');
  });

  test("L-27: a flood of unknown fields gives a bounded message", () => {
    const fields = Array.from({ length: 5000 }, (_, at) => `"f${at}":0`).join();
    expect(refusal(`{${fields}}`).message).toContain('"f99" and 4900 more');
  });

  test.each([
    ['{"decision":"DONE"}', '"DONE"'],
    ['{"decision":" done"}', '" done"'],
    ['{"decision":""}', '""'],
    ['{"decision":"maybe"}', '"maybe"'],
    ['{"decision":1}', "not text"],
    ['{"decision":null}', "not text"],
    ['{"decision":["done"]}', "not text"],
    ["{}", "missing"],
    ['{"state":1}', "missing"],
  ])("AC-11, AC-24, L-27: %s is decision_invalid", (stdout, shown) => {
    expect(refusal(stdout)).toMatchObject({
      code: "decision_invalid",
      message: expect.stringContaining(shown),
    });
  });

  test.each([["42"], ["false"], ["{}"], ['["x"]'], ['"a\\u0000b"'], ['"\\ud800"'], ['"\\udc00\\ud800"']])(
    "AC-24, P-46, L-30: summary %s is summary_invalid",
    (summary) => {
      expect(refusal(`{"decision":"done","summary":${summary}}`).code).toBe("summary_invalid");
    },
  );

  test.each([
    ["x", 4000],
    ["\u{1f600}", 2000],
    ["\\u00e9", 4000],
  ])("AC-25, L-30: %s %i times is a whole summary and once more is too long", (character, most) => {
    const summary = (times: number) => `{"decision":"done","summary":"${character.repeat(times)}"}`;
    const whole = read(summary(most));
    expect(whole.ok && whole.answer.summary.length).toBe(4000);
    expect(refusal(summary(most + 1)).code).toBe("summary_too_long");
  });

  test.each([
    ["duplicate_key", "$.decision", '{"decision":"wait","decision":"done"}'],
    ["duplicate_key", "$.state.a", '{"decision":"done","state":{"a":1,"\\u0061":1}}'],
    ["number_not_exact", "$.state[0]", '{"decision":"done","state":[9007199254740993]}'],
    ["state_too_deep", "$.state[0][0]", `{"decision":"done","state":${"[".repeat(100_000)}`],
  ])("L-45, P-48, P-50, P-52: stdout is refused as %s at %s", (code, path, stdout) => {
    expect(refusal(stdout)).toMatchObject({ code, message: expect.stringContaining(path) });
  });

  test("L-31: a state beyond 1 MiB is refused even if the reader of stdout let it through", () => {
    const stdout = (characters: number) => `{"decision":"done","state":"${"x".repeat(characters)}"}`;
    expect(read(stdout(1_048_574)).ok).toBe(true);
    expect(refusal(stdout(1_048_575)).code).toBe("state_too_large");
  });
});
