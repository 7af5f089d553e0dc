import { describe, expect, test } from "vitest";
import { node } from "../testing/build-ir.ts";
import { readMaxIterations } from "./config.ts";
import { loopForm } from "./form.ts";
import { operationText, promptFile, readOperation } from "./operation.ts";
import { inputReserved, readRepeatKeys, repeatOutputTypes, reservedKeys } from "./repeat-keys.ts";
import type { RepeatKeys } from "./repeat-keys.ts";

const loop = (attributes: Record<string, string>, script: string | null = null) =>
  loopForm(node("control.while", { attributes, script }));

describe("the one source of decisions (L-5)", () => {
  test("each form is read from its attributes and texts", () => {
    expect(loop({ condition: "a", body: "b" })).toEqual({
      ok: true,
      form: { kind: "subflows", condition: "a", body: "b" },
    });
    expect(loop({}, "true")).toEqual({ ok: true, form: { kind: "script" } });
    expect(loopForm(node("control.while", { scriptRef: "s.mjs" }))).toMatchObject({
      form: { kind: "script" },
    });
    expect(loop({ expression: "state", operation: '{"prompt":"ask"}' })).toEqual({
      ok: true,
      form: {
        kind: "operation",
        expression: "state",
        operation: { kind: "prompt", name: "ask", templateParameters: "{}" },
      },
    });
    expect(loopForm(node("control.repeat", { attributes: { child: "c" } }))).toEqual({
      ok: true,
      form: { kind: "repeat", child: "c" },
    });
  });

  test.each<
    [what: string, attributes: Record<string, string>, script: string | null, code: string, says: string]
  >([
    ["nothing", {}, " ", "config_invalid", "nothing to decide"],
    ["two of them", { condition: "a", body: "b" }, "true", "config_invalid", "subflows and a script"],
    ["a Condition alone", { condition: "a" }, null, "config_invalid", "both a Condition and a Body"],
    ["an operation alone", { operation: '{"prompt":"ask"}' }, null, "config_invalid", "no expression"],
    ["an expression alone", { expression: "true" }, null, "body_not_one", "it has none"],
    ["an empty operation", { expression: "true", operation: "{}" }, null, "body_not_one", "it has none"],
    [
      "two operations",
      { expression: "true", operation: '{"prompt":"a","action":"b"}' },
      null,
      "body_not_one",
      "action and prompt",
    ],
  ])("%s is refused", (_, attributes, script, code, says) => {
    expect(loop(attributes, script)).toMatchObject({
      ok: false,
      failure: { code, message: expect.stringContaining(says) },
    });
  });

  test("a script beside a script file, and a repeat without child", () => {
    expect(loopForm(node("control.while", { script: "x", scriptRef: "y" }))).toMatchObject({ ok: false });
    expect(loopForm(node("control.repeat"))).toMatchObject({
      ok: false,
      failure: { code: "config_invalid" },
    });
  });
});

describe("operations (OP-2)", () => {
  test("an operation's own text is read as the same operation, exact texts inside", () => {
    for (const text of [
      '{"action":"a b","params":{"2":1.50,"1":-0,"__proto__":[]}}',
      '{"prompt":"ask","templateParameters":{"x":"{{state.n}}"}}',
      '{"subAgent":"critic","message":"say \\u0041","templateParameters":{},"context":["a","b"]}',
    ]) {
      const read = readOperation(text);
      expect(read.ok && operationText(read.operation)).toBe(text);
    }
    expect(promptFile("mail/ask")).toBe("prompts/mail/ask.md");
  });

  test.each([
    ["[]", "a JSON array"],
    ["nope", "not JSON"],
    ['{"action":5}', "name of action"],
    ['{"action":" "}', "name of action"],
    ['{"action":"a","params":[]}', "params of action is not an object"],
    ['{"action":"a","message":"m"}', 'action has no "message"'],
    ['{"prompt":"a","templateParameters":"x"}', "templateParameters of prompt"],
    ['{"subAgent":"a","message":5}', "message of subAgent"],
    ['{"subAgent":"a","context":"notes"}', "not a list of names"],
    ['{"subAgent":"a","context":["notes",{"token":"x"}]}', "could carry credentials"],
  ])("OP-2: %s is config_invalid", (text, says) => {
    expect(readOperation(text)).toMatchObject({
      ok: false,
      failure: { code: "config_invalid", message: expect.stringContaining(says) },
    });
  });
});

describe("keys of a repeat (R-2, R-3, R-6)", () => {
  const keys = (given: Partial<RepeatKeys>) => readRepeatKeys(new Map(Object.entries(given)));

  test("R-2: the defaults, and keys that are given", () => {
    expect(keys({})).toEqual({
      ok: true,
      keys: {
        stateKey: "repeat_state",
        nextStateKey: "repeat_next_state",
        untilKey: "repeat_done",
        iterationKey: "repeat_iteration",
        outputKey: "repeat_result",
      },
    });
    expect(keys({ untilKey: "finished" })).toMatchObject({ ok: true, keys: { untilKey: "finished" } });
  });

  test("R-2: the first four are pairwise distinct, outputKey may be any of them; the message names the options", () => {
    const four = ["stateKey", "nextStateKey", "untilKey", "iterationKey"] as const;
    for (const a of four)
      for (const b of four) {
        const read = keys({ [a]: "same", [b]: "same" });
        if (a === b) expect(read.ok).toBe(true);
        else expect(read).toMatchObject({ ok: false, failure: { code: "config_invalid" } });
        if (!read.ok) for (const option of [a, b]) expect(read.failure.message).toContain(option);
      }
    expect(keys({ outputKey: "repeat_state" }).ok).toBe(true);
    expect(keys({ stateKey: "repeat_done" })).toMatchObject({
      failure: { message: expect.stringContaining("stateKey and untilKey") },
    });
  });

  test.each(["stateKey", "nextStateKey", "untilKey", "iterationKey", "outputKey"] as const)(
    "R-2: a blank %s is refused by its name",
    (option) => {
      expect(keys({ [option]: " " })).toMatchObject({
        ok: false,
        option,
        failure: { code: "config_invalid", message: expect.stringContaining(option) },
      });
    },
  );

  test("R-3: the input may set the state and nothing else that the loop writes", () => {
    const read = keys({ untilKey: "finished" });
    if (!read.ok) throw new Error(read.failure.message);
    expect(inputReserved(read.keys, ["repeat_state", "repeat_done", "target"])).toBeNull();
    expect(inputReserved(read.keys, ["finished", "repeat_iteration"])).toMatchObject({
      code: "input_reserved",
      message: expect.stringMatching(/"finished" \(untilKey\) and "repeat_iteration" \(iterationKey\)/),
    });
    expect(reservedKeys(read.keys)).toEqual(["repeat_next_state", "finished", "repeat_iteration"]);
  });

  test("R-6: outputs by outputKey with their types", () => {
    expect(repeatOutputTypes("sum")).toEqual({
      sum: "json",
      sum_state: "json",
      sum_iterations: "text",
      sum_completed: "bool",
      sum_flow: "text",
    });
    expect(Object.keys(repeatOutputTypes(" "))[0]).toBe("repeat_result");
  });
});

test("R-1, OP-3, L-6: maxIterations by form", () => {
  const caps = { maxIterations: 1000, maxTimeoutMs: 1 };
  const value = (form: Parameters<typeof readMaxIterations>[0], text: string, given = caps) => {
    const read = readMaxIterations(form, text, given);
    return read.ok ? read.value : read.message;
  };
  expect([value("subflows", ""), value("script", ""), value("operation", "")]).toEqual([20, 20, 100]);
  expect([value("operation", "0"), value("script", "0")]).toEqual([0, 0]);
  expect(value("repeat", "")).toContain("required");
  expect(value("repeat", "0")).toContain("at least once");
  expect(value("repeat", "128")).toBe(128);
  expect(value("repeat", "129")).toContain("cap of 128 (AGENTFLOW_MAX_REPEAT_ITERATIONS)");
  expect(value("repeat", "129", { ...caps, maxRepeatIterations: 200 } as typeof caps)).toBe(129);
  expect(value("operation", "", { ...caps, maxIterations: 50 })).toBe(50);
});
