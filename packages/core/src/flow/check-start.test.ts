import { describe, expect, test } from "vitest";
import { node, referenceCall } from "../testing/build-ir.ts";
import { loopWith, registry } from "../testing/lint-case.ts";
import { checkLimits } from "./check-limits.ts";
import { checkInputs, inputText } from "./inputs.ts";

const caps = { maxIterations: 1000, maxTimeoutMs: 604_800_000 };
/** The loop of 2-flows 2.9 with its limits wired to provide nodes, and one node of each other kind. */
const ir = loopWith((draft) => {
  draft.node("loop").pins = {};
  draft.ir.nodes["limit"] = node("provide.str", { pins: { value: { text: "20" } } });
  draft.ir.nodes["clock"] = node("provide.text");
  draft.ir.nodes["flag"] = node("provide.bool");
  draft.ir.nodes["data"] = node("provide.file", { pins: { value: { file: "scripts/there.mjs" } } });
  draft.wire("limit.value > loop.maxIterations", "clock.value > loop.timeout");
});
const given = (inputs: Record<string, string>) => new Map(Object.entries(inputs));
const problems = (inputs: Record<string, string>) =>
  checkInputs(ir, registry, given(inputs)).map(({ code, node: id }) => [code, id]);
const limits = (inputs: Record<string, string>) =>
  checkLimits(ir, registry, given(inputs), caps).map(({ code, node: id }) => [code, id]);

describe("inputs of a run (2-flows 2.7)", () => {
  test("each provide node takes the JSON type of its kind", () => {
    expect(problems({ initial: '{"a":[1]}', clock: '"2m"', flag: "true", data: '"data/a.csv"' })).toEqual([]);
    for (const value of ["null", "1.0", '"text"', "[]"]) expect(problems({ initial: value })).toEqual([]);
  });

  test.each([
    ["clock", "5"],
    ["clock", "null"],
    ["clock", "{}"],
    ["flag", '"true"'],
    ["flag", "1"],
    ["data", "[]"],
    ["data", '"../secret"'],
    ["data", '"/etc/passwd"'],
  ])("%s: %s is not of the node's type: input_invalid", (id, value) => {
    expect(problems({ [id]: value })).toEqual([["input_invalid", id]]);
  });

  test.each(["{a:1}", ""])("%j is no JSON: request_invalid", (value) => {
    expect(problems({ initial: value })).toEqual([["request_invalid", "initial"]]);
  });

  test.each(["gone", "loop", "step", "toString", "__proto__", "bodyState"])(
    "%s is no provide node: input_unknown, naming those there are",
    (id) => {
      const [failure] = checkInputs(ir, registry, given({ [id]: "1" }));
      const proto = new Map([[id, "1"]]);
      expect(checkInputs(ir, registry, proto)).toMatchObject([{ code: "input_unknown", node: id }]);
      if (id !== "__proto__")
        expect(failure?.message).toContain("It takes initial, limit, clock, flag, data.");
    },
  );

  test("all problems are told at once", () => {
    expect(problems({ gone: "1", flag: "0", clock: '"1s"' })).toEqual([
      ["input_unknown", "gone"],
      ["input_invalid", "flag"],
    ]);
  });

  test.each([
    ['{"a":1,"a":2}', "duplicate_key"],
    ["9007199254740993", "number_not_exact"],
    [`${"[".repeat(513)}${"]".repeat(513)}`, "state_too_deep"],
    [`"${"x".repeat(1_048_575)}"`, "state_too_large"],
  ])("L-45, S-15: an input beyond the JSON policy is refused by its code (%#)", (value, code) => {
    expect(problems({ initial: value })).toEqual([[code, "initial"]]);
  });

  test("L-6: only the node that sets maxIterations takes a JSON number", () => {
    expect(problems({ limit: "5" })).toEqual([]);
    expect(limits({ limit: "5" })).toEqual([]);
    expect(problems({ clock: "5" })).toEqual([["input_invalid", "clock"]]);
  });

  test("F-21: an input becomes the text of its slot", () => {
    expect(inputText("provide.json", '{"b":-0,"a":"\\u0000"}')).toBe('{"b":-0,"a":"\\u0000"}');
    expect(inputText("provide.json", '"text"')).toBe('"text"');
    expect(inputText("provide.text", '"a\\n\\"b\\ud800"')).toBe('a\n"b\ud800');
    expect(inputText("provide.str", "5")).toBe("5");
    expect(inputText("provide.bool", "false")).toBe("false");
    expect(inputText("provide.file", '"data/a.csv"')).toBe("data/a.csv");
  });
});

describe("limits and states before a run starts (L-10)", () => {
  test("the flow's own values pass", () => {
    expect(limits({})).toEqual([]);
    expect(checkLimits(referenceCall(), registry, new Map(), caps)).toEqual([]);
  });

  test.each([
    ["limit", "1001", "config_invalid"],
    ["limit", '"1001"', "config_invalid"],
    ["limit", "-1", "config_invalid"],
    ["limit", "2.5", "config_invalid"],
    ["limit", "1e3", "config_invalid"],
    ["clock", '"8d"', "config_invalid"],
    ["clock", '"0"', "config_invalid"],
    ["initial", `"${"x".repeat(1_048_575)}"`, "state_too_large"],
    ["initial", "not-json", "state_invalid_json"],
  ])("L-7, L-8, L-9: %s %s is %s and names the loop", (id, value, code) => {
    const failures = checkLimits(ir, registry, given({ [id]: value }), caps);
    expect(failures).toMatchObject([{ code, node: "loop" }]);
    expect(failures[0]?.message).toMatch(/^Loop loop: /);
  });

  test("L-7: the message names value, cap and variable", () => {
    const [failure] = checkLimits(ir, registry, given({ limit: "1001" }), caps);
    expect(failure?.message).toMatch(/1001.*1000.*AGENTFLOW_MAX_ITERATIONS/);
  });

  test("AC-26: an initial state of exactly 1 MiB passes", () => {
    expect(limits({ initial: `"${"x".repeat(1_048_574)}"` })).toEqual([]);
  });

  test("L-6, L-8, L-9: blank inputs stand for the defaults", () => {
    expect(limits({ limit: '""', clock: '" "', initial: "null" })).toEqual([]);
  });

  test("L-10: a cap lowered after registration shows at the start", () => {
    const lower = checkLimits(ir, registry, new Map(), { maxIterations: 10, maxTimeoutMs: 1000 });
    expect(lower.map(({ code }) => code)).toEqual(["config_invalid"]);
  });

  test("all problems of all loops are told at once, and computed values wait for the run", () => {
    const two = loopWith((draft) => {
      draft.ir.nodes["second"] = node("control.while", {
        script: "true",
        pins: { maxIterations: { text: "x" }, timeout: { text: "y" }, state: { text: "{" } },
      });
      draft.ir.nodes["third"] = node("control.while", { script: "true" });
      draft.wire("loop.state > third.state", "loop.summary > third.maxIterations");
    });
    const failures = checkLimits(two, registry, new Map(), caps);
    expect(failures.map(({ code, node: id }) => [code, id])).toEqual([
      ["config_invalid", "second"],
      ["config_invalid", "second"],
      ["state_invalid_json", "second"],
    ]);
  });
});
