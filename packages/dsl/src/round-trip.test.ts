import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { removeOutput, renameOutput } from "@agentflow/core";
import type { Ir } from "@agentflow/core";
import { parseFlow } from "./parse/parse-flow.ts";
import { printFlow } from "./print/print-flow.ts";
import { roundTrip } from "./round-trip.ts";
import { CALL_EXAMPLE, LOOP_EXAMPLE } from "./testing/examples.ts";
import { writeFlow } from "./testing/random-flow.ts";
import { irOf, testRegistry } from "./testing/read.ts";

const files = { has: () => true };

/** Reads a text that must be clean. */
function parse(text: string): Ir {
  const { ir, findings } = parseFlow({ text, files, registry: testRegistry });
  expect(findings).toEqual([]);
  if (!ir) throw new Error("no IR");
  return ir;
}

/** Prints and reads again; the order of all keys counts. */
function expectRoundTrip(ir: Ir): void {
  const text = printFlow(ir, testRegistry);
  const again = parse(text);
  expect(JSON.stringify(again)).toBe(JSON.stringify(ir));
  expect(printFlow(again, testRegistry)).toBe(text);
  expect(roundTrip(ir, testRegistry)).toEqual({ ok: true, text });
}

describe("printing and reading again (F-18)", () => {
  it.each([
    ["the loop", LOOP_EXAMPLE],
    ["the call", CALL_EXAMPLE],
  ])(
    "AC-82: %s of the reference guide gives equal nodes, edges and subflows, and printing twice the same text",
    (_, text) => {
      expectRoundTrip(parse(text));
    },
  );

  it("F-18: any correct flow survives, hard texts included", () => {
    fc.assert(
      fc.property(fc.gen(), (draw) => expectRoundTrip(parse(writeFlow(draw)))),
      { numRuns: 150 },
    );
  }, 60_000);

  it("P-72: a flow of 300 nodes comes back whole", () => {
    const ids = Array.from({ length: 300 }, (_, index) => `n${index}`);
    const nodes = ids.map(
      (id, index) =>
        `const ${id} = tool.nodejs("${id}", { x: ${index === 0 ? '"0"' : `n${index - 1}.result`} }, "true");`,
    );
    expectRoundTrip(parse(`${nodes.join("\n")}\nexport const run = flow("Run", ${ids.join(", ")});`));
  });

  it("F-18: subflows keep their order, before what uses them and wherever their nodes stand", () => {
    const text = `const a = tool.nodejs("a"); const b = tool.nodejs("b");
      const s = flow.subflow("s", {}, flow(b), { o: b.result });
      const r = flow.subflow("r", {}, flow(late), {});
      const c = flow.call("c", r);
      const d = flow.call("d", s);
      const late = tool.nodejs("late");
      export const run = flow("Run", a, c, d);`;
    expectRoundTrip(parse(text));
  });
});

describe("edited flows (F-16)", () => {
  const summary = { subflow: "inspectTicket", output: "summary" };
  const text = CALL_EXAMPLE.replace(
    "const show =",
    'const loop = control.while("Loop", {}, `step ${callInspect.raw} ${callInspect.summary}`);\nconst show =',
  ).replace("callInspect, show", "callInspect, loop, show");

  it("P-71, F-18: a flow whose output was renamed is still a flow file", () => {
    const edited = renameOutput(parse(text), testRegistry, summary, "摘要");
    if (!edited.ok) throw new Error(edited.message);
    expectRoundTrip(edited.ir);
    expect(printFlow(edited.ir, testRegistry)).toContain("`step ${callInspect.raw} ${callInspect.摘要}`");
  });

  it("P-71, F-18: a flow whose output was removed is still a flow file", () => {
    const edited = removeOutput(parse(CALL_EXAMPLE), summary);
    if (!edited.ok) throw new Error(edited.message);
    expectRoundTrip(edited.ir);
  });
});

describe("what no text can say is noticed (F-18)", () => {
  const ir = irOf(
    'const a = tool.nodejs("a", { x: "1" }, "true"); const b = tool.nodejs("b"); export const run = flow(a);',
  );
  const b = { node: "b", slot: "prev" };
  const changed: readonly (readonly [what: string, broken: Ir, says: string])[] = [
    [
      "a step from a node that no chain reaches",
      { ...ir, edges: [{ from: { node: "b", slot: "next" }, to: { node: "a", slot: "prev" } }] },
      "The edge `b.next` → `a.prev`",
    ],
    [
      "an edge from a slot that is no identifier",
      { ...ir, edges: [{ from: { node: "a", slot: "x y" }, to: b }] },
      "The edge `a.x y` → `b.prev`",
    ],
    [
      "a subflow that says other members than its chain",
      { ...ir, subflows: { s: { label: "s", inputs: {}, outputs: {}, roots: ["b"], members: ["a", "b"] } } },
      "Subflow `s`",
    ],
    [
      "an unknown type",
      { ...ir, nodes: { ...ir.nodes, b: { ...ir.nodes["b"]!, definition: "x(); y" } } },
      "Node `b`",
    ],
    [
      "a JSON pin that is code",
      {
        ...ir,
        nodes: {
          ...ir.nodes,
          b: { ...ir.nodes["b"]!, pins: { x: { json: "process.exit()" } }, inputs: { x: "text" } },
        },
      },
      "Node `b`",
    ],
    [
      "a subflow name that is code",
      {
        ...ir,
        nodes: {
          ...ir.nodes,
          b: { ...ir.nodes["b"]!, definition: "flow.call", attributes: { subflow: "s); x(" } },
        },
      },
      "Node `b`",
    ],
  ];

  it.each(changed)("F-18: %s does not round-trip", (_, broken, says) => {
    expect(roundTrip(ir)).toMatchObject({ ok: true });
    expect(roundTrip(broken)).toMatchObject({
      ok: false,
      message: expect.stringContaining(`${says} cannot be written`),
    });
  });
});
