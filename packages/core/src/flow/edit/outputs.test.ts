import { describe, expect, test } from "vitest";
import { edges, node, subflow } from "../../testing/build-ir.ts";
import { callWith, findings, loopWith, registry } from "../../testing/lint-case.ts";
import type { Draft } from "../../testing/lint-case.ts";
import { compareEdges } from "../ir.ts";
import type { Ir } from "../ir.ts";
import { removeOutput, renameOutput } from "./outputs.ts";

const summary = { subflow: "inspectTicket", output: "summary" };
const wires = (ir: Ir): readonly string[] =>
  ir.edges.map(({ from, to }) => `${from.node}.${from.slot} > ${to.node}.${to.slot}`);
const errors = (ir: Ir) => findings(ir).filter(({ severity }) => severity === "error");

/** Adds a second and a third call, one inside another subflow that passes the output on and is called itself. */
function addCalls({ ir, wire }: Draft): void {
  const call = (of: string, ticket = "T") =>
    node("flow.call", { attributes: { subflow: of }, pins: ticket ? { ticket: { text: ticket } } : {} });
  ir.nodes["second"] = call("inspectTicket");
  ir.nodes["inner"] = call("inspectTicket");
  ir.nodes["outer"] = call("wrap", "");
  ir.nodes["reader"] = node("tool.nodejs", {
    script: "printf %s ${second_summary} ${wrapped}",
    inputs: { second_summary: "text", wrapped: "text", raw: "text" },
  });
  ir.subflows["wrap"] = subflow(["inner"], ["inner"], {}, { summary: "inner.summary", raw: "inner.raw" });
  wire(
    "callInspect > second",
    "second > outer",
    "outer > reader",
    "second.summary > reader.second_summary",
    "second.raw > reader.raw",
    "outer.summary > reader.wrapped",
  );
  ir.edges.sort(compareEdges);
}

function renamed(ir: Ir, to: string, of = summary): Ir {
  const edited = renameOutput(ir, registry, of, to);
  if (!edited.ok) throw new Error(edited.message);
  return edited.ir;
}

function removed(ir: Ir, of = summary): Ir {
  const edited = removeOutput(ir, of);
  if (!edited.ok) throw new Error(edited.message);
  return edited.ir;
}

describe("renaming an output (F-16, P-71)", () => {
  test.each(["digest", "摘要", "$", "constructor"])(
    "P-71: three calls follow to %s, edges and passed on outputs alike, and lint is as clean as before",
    (to) => {
      const before = callWith(addCalls);
      expect(errors(before)).toEqual([]);
      const text = JSON.stringify(before);
      const after = renamed(before, to);
      expect(wires(after).toSorted()).toEqual(
        wires(before)
          .map((wire) => wire.replace(/^(callInspect|second|inner)\.summary/, (_, call) => `${call}.${to}`))
          .toSorted(),
      );
      expect(after.edges).toEqual(after.edges.toSorted(compareEdges));
      expect(Object.keys(after.subflows["inspectTicket"]!.outputs)).toEqual([to, "raw"]);
      expect(after.subflows["wrap"]!.outputs["summary"]).toEqual({ node: "inner", slot: to });
      expect(after.nodes).toEqual(before.nodes);
      expect(errors(after)).toEqual([]);
      expect(JSON.stringify(before)).toBe(text);
      expect(renamed(after, "summary", { ...summary, output: to })).toEqual(before);
    },
  );

  test("F-16: only calls of that subflow follow", () => {
    const before = callWith(addCalls);
    const after = renamed(before, "digest", { subflow: "wrap", output: "summary" });
    expect(wires(after).filter((wire) => wire.includes("digest"))).toEqual(["outer.digest > reader.wrapped"]);
    expect(errors(after)).toEqual([]);
  });

  test("F-8: a slot that a loop's script was given by ${call.output} follows with its placeholder", () => {
    const script = "step ${callInspect_summary} $${callInspect_summary}";
    const after = renamed(
      callWith(({ ir, wire }) => {
        ir.nodes["loop"] = node("control.while", { script, inputs: { callInspect_summary: "text" } });
        wire("callInspect.summary > loop.callInspect_summary");
      }),
      "digest",
    );
    expect(after.nodes["loop"]).toMatchObject({
      script: "step ${callInspect_digest} $${callInspect_summary}",
      inputs: { callInspect_digest: "text" },
    });
    expect(wires(after)).toContain("callInspect.digest > loop.callInspect_digest");
  });

  test.each([
    [`摘要's "x"\\`, "cannot name an output"],
    ["", "cannot name an output"],
    ["1st", "cannot name an output"],
    ["a b", "cannot name an output"],
    ["__proto__", "cannot name an output"],
    ["next", "control slot"],
    ["raw", "has an output `raw` already"],
  ])("F-16, P-71: the name %j is refused", (to, message) => {
    expect(renameOutput(callWith(), registry, summary, to)).toEqual({
      ok: false,
      message: expect.stringContaining(message),
    });
  });

  test("F-16: its own name changes nothing", () => {
    const ir = callWith();
    expect(renameOutput(ir, registry, summary, "summary")).toEqual({ ok: true, ir });
  });

  test.each([
    [{ subflow: "gone", output: "x" }, "no subflow `gone`"],
    [{ subflow: "constructor", output: "x" }, "no subflow `constructor`"],
    [{ subflow: "inspectTicket", output: "gone" }, "no output `gone`"],
  ])("F-16: %j is not there", (of, message) => {
    for (const edited of [renameOutput(callWith(), registry, of, "other"), removeOutput(callWith(), of)])
      expect(edited).toEqual({ ok: false, message: expect.stringContaining(message) });
  });

  test("F-15: the outputs of a Condition or Body keep their names", () => {
    const state = { subflow: "advance", output: "state" };
    expect(renameOutput(loopWith(), registry, state, "next_state")).toEqual({
      ok: false,
      message: expect.stringContaining("Body of loop `loop`"),
    });
  });
});

describe("removing an output (F-16, P-71)", () => {
  test("P-71: its edges go from every call, what passed it on goes too, readers are left without a value and lint is clean", () => {
    const before = callWith(addCalls);
    const text = JSON.stringify(before);
    const after = removed(before);
    expect(wires(after)).toEqual(wires(before).filter((wire) => !wire.includes(".summary >")));
    expect(Object.keys(after.subflows["inspectTicket"]!.outputs)).toEqual(["raw"]);
    expect(Object.keys(after.subflows["wrap"]!.outputs)).toEqual(["raw"]);
    expect(after.nodes["reader"]!.pins).toEqual({
      second_summary: { json: "null" },
      wrapped: { json: "null" },
    });
    expect(errors(after)).toEqual([]);
    expect(JSON.stringify(before)).toBe(text);
  });

  test("D26: a call that was given the output is given no value", () => {
    const before = callWith(({ ir, wire }) => {
      ir.nodes["second"] = node("flow.call", { attributes: { subflow: "inspectTicket" } });
      wire("callInspect > second", "callInspect.raw > second.ticket");
    });
    const after = removed(before, { subflow: "inspectTicket", output: "raw" });
    expect(after.nodes["second"]!.pins).toEqual({ ticket: { json: "null" } });
    expect(errors(after)).toEqual([]);
  });

  test("F-15: what a loop needs stays, also where it is only passed on; a summary may go", () => {
    const before = loopWith(({ ir, wire, subflow: of }) => {
      ir.nodes["think"] = node("tool.nodejs", { script: "true" });
      ir.nodes["ask"] = node("flow.call", { attributes: { subflow: "thought" } });
      ir.subflows["thought"] = subflow(["think"], ["think"], {}, { answer: "think.result" });
      const goOn = of("goOn");
      goOn.members = [...goOn.members, "ask"].toSorted();
      goOn.outputs = {
        decision: { node: "ask", slot: "answer" },
        summary: { node: "judge", slot: "result" },
      };
      wire("judge > ask");
    });
    expect(errors(before)).toEqual([]);
    expect(removeOutput(before, { subflow: "thought", output: "answer" })).toEqual({
      ok: false,
      message: expect.stringContaining("`decision` of `goOn` is needed: it is the Condition of loop `loop`"),
    });
    const after = removed(before, { subflow: "goOn", output: "summary" });
    expect(Object.keys(after.subflows["goOn"]!.outputs)).toEqual(["decision"]);
    expect(errors(after)).toEqual([]);
  });

  test("F-16: what calls itself is no endless loop", () => {
    const ir = callWith((draft) => {
      draft.ir.nodes["again"] = node("flow.call", { attributes: { subflow: "inspectTicket" } });
      draft.subflow("inspectTicket").outputs["summary"] = { node: "again", slot: "summary" };
      draft.ir.edges.push(...edges("again.summary > tidy.analysis"));
    });
    expect(Object.keys(removed(ir).subflows["inspectTicket"]!.outputs)).toEqual(["raw"]);
  });
});
