import { describe, expect, it } from "vitest";
import { printFlow } from "../print/print-flow.ts";
import { roundTrip } from "../round-trip.ts";
import { testRegistry } from "../testing/read.ts";
import { parseFlow } from "./parse-flow.ts";

const parse = (text: string, files: readonly string[] = ["scripts/step.mjs"]) =>
  parseFlow({ text, files: new Set(files), registry: testRegistry });
const codes = (text: string) =>
  parse(text).findings.map(({ code, node, field }) => `${code} ${node}.${field}`);

const FUNCTION = `const n = provide.json("N", { value: [1, 2] });
const step = tool.function("Step", { effects: true, n: n.value, unit: "km" }, file("scripts/step.mjs"));
const shown = display.code("Shown", { content: step.result });
export const run = flow("Run", step, shown);
`;
const WARM = `const loop = control.while("Count", { maxIterations: "5", timeout: "1m" }, file("scripts/step.mjs"), { warm: true });
export const run = flow("Run", loop);
`;

describe("functions in a flow file", () => {
  it("F-6, F-7: tool.function takes label, pins and a file; a wired input has the type of its source", () => {
    const { ir, findings } = parse(FUNCTION);
    expect(findings).toEqual([]);
    expect(ir?.nodes["step"]).toMatchObject({
      definition: "tool.function",
      script: null,
      scriptRef: "scripts/step.mjs",
      pins: { effects: { json: "true" }, unit: { text: "km" } },
      inputs: { n: "json", unit: "text" },
    });
  });

  it("F-11: a loop's script file is warm by an option, which is a pin", () => {
    const { ir, findings } = parse(WARM);
    expect(findings).toEqual([]);
    expect(ir?.nodes["loop"]).toMatchObject({
      scriptRef: "scripts/step.mjs",
      pins: { warm: { json: "true" } },
    });
    const asPin = WARM.replace(`timeout: "1m" }`, `timeout: "1m", warm: true }`).replace(
      ", { warm: true }",
      "",
    );
    expect(parse(asPin).ir).toEqual(ir);
  });

  it.each([
    ["a function", FUNCTION],
    ["a warm loop", WARM],
  ])("F-18: %s survives print and reading again", (_, text) => {
    const { ir } = parse(text);
    if (!ir) throw new Error("no IR");
    const printed = printFlow(ir, testRegistry);
    expect(parse(printed)).toMatchObject({ ir, findings: [] });
    expect(roundTrip(ir, testRegistry)).toEqual({ ok: true, text: printed });
  });

  it.each([
    ["a command", "`date`", "D06 step.null"],
    ["a string", '"scripts/step.mjs"', "D06 step.null"],
    ["a code", "() => 1", "D02 null.null"],
    ["a file that is not there", 'file("scripts/gone.mjs")', "D04 step.script"],
    ["a file outside the folder", 'file("../step.mjs")', "D04 step.script"],
  ])("D02, D04, D06: %s is no function", (_, argument, code) => {
    expect(codes(FUNCTION.replace('file("scripts/step.mjs")', argument))).toContain(code);
  });
});
