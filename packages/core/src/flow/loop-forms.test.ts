import { describe, expect, test } from "vitest";
import { flow, node, subflow } from "../testing/build-ir.ts";
import { registry } from "../testing/lint-case.ts";
import { checkLimits } from "./check-limits.ts";
import { removeOutput, renameOutput } from "./edit/outputs.ts";
import { checkInputs } from "./inputs.ts";
import { plannedLoops } from "./planned-loops.ts";
import { outputType } from "./slots.ts";

const caps = { maxIterations: 1000, maxTimeoutMs: 604_800_000 };

/** A repeat whose limit, pause and input come from the run, and a loop of an operation. */
const ir = flow(
  {
    work: node("tool.nodejs", { script: "echo 1" }),
    next: node("control.parseJson"),
    limit: node("provide.text", { pins: { value: { text: "5" } } }),
    pause: node("provide.text", { pins: { value: { text: "0" } } }),
    given: node("provide.json", { pins: { value: { json: '{"n":1}' } } }),
    repeat: node("control.repeat", {
      label: "Repeat",
      pins: { outputKey: { text: "state" } },
      attributes: { child: "child" },
    }),
    loop: node("control.while", {
      attributes: { expression: "true", operation: '{"action":"child","params":{}}' },
    }),
  },
  [
    "work > next",
    "work.result > next.value",
    "limit.value > repeat.maxIterations",
    "pause.value > repeat.delayMs",
    "given.value > repeat.input",
    "repeat > loop",
  ],
  ["repeat"],
  {
    child: subflow(
      ["work"],
      ["next", "work"],
      {},
      { repeat_done: "next.result", repeat_next_state: "next.result", note: "work.result" },
    ),
  },
);

const problems = (inputs: Record<string, string>) =>
  checkLimits(ir, registry, new Map(Object.entries(inputs)), caps).map(({ code, node: id }) => [code, id]);

describe("settings that a run's inputs give (L-10)", () => {
  test("O-1, R-1, R-3: what is wrong with them shows before anything runs, by the code a run would fail with", () => {
    expect(problems({})).toEqual([]);
    expect(problems({ limit: '"0"' })).toEqual([["config_invalid", "repeat"]]);
    expect(problems({ limit: '"129"' })).toEqual([["config_invalid", "repeat"]]);
    expect(problems({ pause: '"-5"' })).toEqual([["delay_invalid", "repeat"]]);
    expect(problems({ given: '{"repeat_done":true}' })).toEqual([["input_reserved", "repeat"]]);
    expect(problems({ given: "[]" })).toEqual([["config_invalid", "repeat"]]);
  });

  test("L-6: the API takes a JSON integer for the limit of a repeat too", () => {
    expect(checkInputs(ir, registry, new Map([["limit", "7"]]))).toEqual([]);
  });

  test("R-1, OP-3: loops of both forms are planned with their own defaults", () => {
    expect(plannedLoops(ir, registry, new Map([["limit", '"7"']]))).toEqual([
      { node: "repeat", label: "Repeat", state: null, maxIterations: 7, timeoutMs: 1_800_000 },
      { node: "loop", label: "loop", state: "null", maxIterations: 100, timeoutMs: 1_800_000 },
    ]);
  });
});

describe("outputs of a repeat (R-6, O-6)", () => {
  test.each([
    ["state", "json"],
    ["state_state", "json"],
    ["state_iterations", "text"],
    ["state_completed", "bool"],
    ["state_flow", "text"],
    ["completed", "bool"],
    ["succeeded", "text"],
    ["errors", "json"],
    ["repeat_result", null],
    ["next", "node"],
  ])("%s is %s", (slot, type) => {
    expect(outputType(ir, registry, "repeat", slot)).toBe(type);
  });

  test("O-6: a While has the counts, but nothing that goes by an outputKey", () => {
    expect(outputType(ir, registry, "loop", "failed")).toBe("text");
    expect(outputType(ir, registry, "loop", "state_flow")).toBeNull();
  });
});

describe("outputs of a child (F-16)", () => {
  test("R-4: what the repeat reads by name keeps it, the rest is free", () => {
    for (const output of ["repeat_done", "repeat_next_state"]) {
      expect(removeOutput(ir, { subflow: "child", output })).toMatchObject({
        ok: false,
        message: expect.stringContaining("it is the child of loop `repeat`"),
      });
      expect(renameOutput(ir, registry, { subflow: "child", output }, "other")).toMatchObject({ ok: false });
    }
    expect(removeOutput(ir, { subflow: "child", output: "note" })).toMatchObject({ ok: true });
    expect(renameOutput(ir, registry, { subflow: "child", output: "note" }, "other")).toMatchObject({
      ok: true,
    });
  });
});
