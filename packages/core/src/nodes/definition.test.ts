import { describe, expect, test } from "vitest";
import { z } from "zod";
import { lint } from "../flow/lint/lint.ts";
import { flow, node } from "../testing/build-ir.ts";
import { defineNode, output, pinProblem } from "./definition.ts";
import { builtInNodes, createRegistry } from "./registry.ts";

const card = { title: "", icon: "", tone: "" };
const calls: string[] = [];
const repeat = defineNode({
  type: "tool.repeat",
  inputs: { text: { type: "text" }, times: { type: "text" } },
  pins: z.object({
    text: z.string("is needed"),
    times: z.stringFormat("digit", /^[1-9]$/, "is 1 to 9").optional(),
  }),
  outputs: { result: { type: "text" } },
  card,
  run: ({ id, inputs }) => {
    calls.push(id);
    return output("result", (inputs.get("text") ?? "").repeat(Number(inputs.get("times") || 1)));
  },
});
const answer = (inputs: Record<string, string>) =>
  repeat.run({ id: "n", node: node("tool.repeat"), inputs: new Map(Object.entries(inputs)) });

describe("rules of pins (F-25)", () => {
  test("F-25: run is called with what the rules allow", () => {
    expect(answer({ text: "ab", times: "2" })).toEqual({
      kind: "outputs",
      outputs: new Map([["result", "abab"]]),
    });
  });

  test.each([
    [{ text: "ab", times: "0" }, "times is refused: is 1 to 9"],
    [{ times: "2" }, "text is refused: is needed"],
    [{ text: " \n", times: "2" }, "text is refused: is needed"],
  ])("F-25, F-21: %j is config_invalid, and run is not called", (inputs, message) => {
    calls.length = 0;
    expect(answer(inputs)).toMatchObject({
      kind: "failed",
      failure: { code: "config_invalid", message: expect.stringContaining(message) },
    });
    expect(calls).toEqual([]);
  });

  test("F-21: blank text is no value, so what is optional may be blank", () => {
    expect(answer({ text: "ab", times: "" })).toMatchObject({ kind: "outputs" });
    expect(pinProblem(z.string().optional(), " ")).toBeNull();
    expect(pinProblem(z.string("is needed"), undefined)).toBe("is needed");
  });

  test("D13: lint holds written pins to them and leaves wired ones to the run", () => {
    const registry = createRegistry([...builtInNodes, repeat]);
    const found = (pins: Record<string, { text: string } | { json: string }>, ...wires: string[]) => {
      const nodes = {
        given: node("provide.text", { pins: { value: { text: "x" } } }),
        n: node("tool.repeat", { pins }),
        seen: node("display.code"),
      };
      const ir = flow(nodes, ["n > seen", "n.result > seen.content", ...wires], ["n"]);
      return lint(ir, { registry, caps: { maxIterations: 1, maxTimeoutMs: 1 } })
        .filter(({ severity }) => severity === "error")
        .map(({ code, field, message }) => `${code} ${field} ${/: (.*)\. Correct/.exec(message)?.[1]}`);
    };
    const text = { text: "ab" };
    expect(found({ text, times: { text: "12" } })).toEqual(["D13 times is 1 to 9"]);
    expect(found({ text, times: { json: "3" } })).toEqual([]);
    expect(found({ text, times: { json: "null" } })).toEqual([]);
    expect(found({})).toEqual(["D13 text is needed"]);
    expect(found({ times: { text: "1" } }, "given.value > n.text")).toEqual([]);
  });
});
