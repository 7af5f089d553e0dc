import { lint, mergeFindings } from "@agentflow/core";
import { describe, expect, it } from "vitest";
import { CALL_EXAMPLE, LOOP_EXAMPLE } from "../testing/examples.ts";
import { read, testRegistry } from "../testing/read.ts";

/** Everything that is said about a flow file, by the parser and by lint, as `severity code line node.field`. */
function check(text: string): readonly string[] {
  const { ir, findings, positions, fields } = read(text, ["scripts/summarize.mjs"]);
  const caps = { maxIterations: 1000, maxTimeoutMs: 604_800_000 };
  const linted = ir ? lint(ir, { registry: testRegistry, caps, positions }) : [];
  return mergeFindings(findings, linted, fields).map(
    ({ severity, code, line, node, field }) =>
      `${severity} ${code} ${line} ${node}${field === null ? "" : `.${field}`}`,
  );
}

describe("flow files under lint", () => {
  it("AC-71, F-12: both examples of the reference guide are clean", () => {
    expect(check(LOOP_EXAMPLE)).toEqual([]);
    expect(check(CALL_EXAMPLE)).toEqual([]);
  });

  it("AC-79: a provide node in a chain is D12", () => {
    expect(check(LOOP_EXAMPLE.replace('flow("Run", loop', 'flow("Run", initial, loop'))).toContainEqual(
      expect.stringMatching(/^error D12 \d+ initial/),
    );
  });

  it("AC-77: text wired to a loop's state is D13, at the line of the pin", () => {
    const text = LOOP_EXAMPLE.replace("provide.json", "provide.str").replace(
      "{ state: initial",
      "{\n  state: initial",
    );
    expect(check(text)).toEqual(["error D13 16 loop.state"]);
  });

  it("P-69: a subflow that calls itself is told with the circle, though the file could not be placed either", () => {
    const found = check(`const inner = flow.call("c", s, {});
export const s = flow.subflow("s", {}, flow(inner), {});
const outer = flow.call("o", s, {});
export const run = flow("Run", outer);`);
    expect(found).toContainEqual("error D06 1 inner.subflow");
    expect(found).toContainEqual(expect.stringMatching(/^error D24/));
  });

  it("2.5: what the parser has said about a node is not said again by lint", () => {
    expect(
      check(
        `const a = provide.nope("a", {});\nconst b = tool.nodejs("b", { x: gone.value }, file("gone.mjs"));`,
      ),
    ).toEqual([
      "warning D60 1 a",
      "error D07 1 a",
      "error D11 2 b.x",
      "error D04 2 b.script",
      "warning D60 null null",
    ]);
  });
});
