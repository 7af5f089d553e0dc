import { describe } from "vitest";
import { node } from "../../testing/build-ir.ts";
import { callWith, finds, loopWith } from "../../testing/lint-case.ts";
import type { Ir, LiteralPin } from "../ir.ts";

const pinned = (slot: string, pin: LiteralPin): Ir =>
  loopWith((draft) => (draft.node("loop").pins[slot] = pin));
const provided = (pin: LiteralPin): Ir => callWith((draft) => (draft.node("pending").pins["value"] = pin));

describe("written pins fit their slot (F-7)", () => {
  finds("D13", "pending.value", "a list on a text slot", {
    broken: provided({ json: "[1]" }),
    mended: provided({ json: "1" }),
  });
  finds("D13", "loop.context", "a context written down", {
    broken: pinned("context", { text: "notes" }),
    mended: pinned("context", { json: "null" }),
  });
  finds("D13", "initial.value", "a file on a json slot", {
    broken: loopWith((draft) => (draft.node("initial").pins["value"] = { file: "scripts/there.mjs" })),
    mended: loopWith(
      (draft) => (draft.node("initial").pins["value"] = { json: '{"file":"scripts/there.mjs"}' }),
    ),
  });
  finds("D40", "pending.value", "JSON that is none", {
    broken: provided({ json: "{" }),
    mended: provided({ json: '"{"' }),
  });
});

describe("limits and states as they are written (D40, D41)", () => {
  for (const text of ["-1", "2.5", "abc", "1001", "0x10", "1e3", "1_0", "\uff11\uff10"]) {
    finds("D40", "loop.maxIterations", `maxIterations ${JSON.stringify(text)} (AC-35)`, {
      broken: pinned("maxIterations", { text }),
      mended: pinned("maxIterations", { json: "1000" }),
    });
  }
  for (const text of ["8d", "0", "0.4ms", "-5s", "1h 30m", "1e3"]) {
    finds("D40", "loop.timeout", `timeout ${JSON.stringify(text)} (AC-36)`, {
      broken: pinned("timeout", { text }),
      mended: pinned("timeout", { text: " 10 S " }),
    });
  }
  const viaProvide = (value: string): Ir =>
    loopWith((draft) => {
      delete draft.node("loop").pins["maxIterations"];
      draft.ir.nodes["limit"] = node("provide.text", { pins: { value: { text: value } } });
      draft.wire("limit.value > loop.maxIterations");
    });
  finds("D40", "loop.maxIterations", "a limit that a provide node is written with (L-7)", {
    broken: viaProvide("1001"),
    mended: viaProvide("0"),
  });

  const state = (pin: LiteralPin): Ir =>
    loopWith((draft) => {
      draft.unwire("initial.value > loop.state");
      delete draft.ir.nodes["initial"];
      draft.node("loop").pins["state"] = pin;
    });
  finds("D40", "loop.state", "an initial state that is not JSON (AC-18)", {
    broken: state({ text: "not-json" }),
    mended: state({ text: "" }),
  });
  finds("D40", "loop.state", "an initial state one byte too big (AC-26)", {
    broken: state({ text: `"${"x".repeat(1_048_575)}"` }),
    mended: state({ text: `"${"x".repeat(1_048_574)}"` }),
  });
  finds("D40", "loop.state", "an initial state with a key twice, through a provide node too (L-45)", {
    broken: state({ json: '{"a":1,"a":2}' }),
    mended: state({ json: '{"a":1,"b":2}' }),
  });
  const initial = (text: string): Ir =>
    loopWith((draft) => {
      draft.node("initial").pins["value"] = { text };
      draft.unwire("initial.value > loop.state");
      draft.unwire("loop.state > report.content");
      draft.wire("initial.value > report.content");
    });
  finds("D40", "initial.value", "text on a json slot that is not JSON", {
    broken: initial("{a:1}"),
    mended: initial(""),
  });

  finds("D41", "loop", "a loop that relies on a default", {
    broken: loopWith((draft) => delete draft.node("loop").pins["timeout"]),
    mended: loopWith(),
    severity: "warning",
  });
  finds("D41", "loop", "a loop that relies on both defaults is told once", {
    broken: loopWith((draft) => (draft.node("loop").pins = { maxIterations: { text: " " } })),
    mended: viaProvide(""),
    severity: "warning",
  });
});
