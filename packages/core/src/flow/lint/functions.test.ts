import { describe } from "vitest";
import { loopWith, finds, small } from "../../testing/lint-case.ts";
import type { Ir, IrNode } from "../ir.ts";

const fn = (given: Partial<IrNode>): Ir =>
  small((draft) =>
    Object.assign(draft.node("only"), { definition: "tool.function", script: null, ...given }),
  );
const warm = (given: Partial<IrNode>): Ir =>
  loopWith((draft) => {
    const loop = draft.node("loop");
    Object.assign(loop, { ...given, attributes: {}, pins: { ...loop.pins, ...given.pins } });
  });
const there = "scripts/there.mjs";
const on = { warm: { json: "true" } } as const;

describe("functions (2-flows 2.7)", () => {
  finds("D04", "only.script", "a function's file that is not in the bundle", {
    broken: fn({ scriptRef: "scripts/gone.mjs" }),
    mended: fn({ scriptRef: there }),
  });
  finds("D04", "only.script", "a function's file that is no JavaScript", {
    broken: fn({ scriptRef: "scripts/there.sh" }),
    mended: fn({ scriptRef: there }),
  });
  finds("D06", "only.script", "a function without a file", {
    broken: fn({}),
    mended: fn({ scriptRef: there }),
  });
  finds("D06", "only.script", "a function with a command", {
    broken: fn({ script: "true", scriptRef: there }),
    mended: fn({ scriptRef: there }),
  });
  finds("D13", "only.effects", "effects that are neither true nor false", {
    broken: fn({ scriptRef: there, pins: { effects: { text: "often" } } }),
    mended: fn({ scriptRef: there, pins: { effects: { json: "true" } } }),
  });
});

describe("warm loops (2-flows 2.7)", () => {
  finds("D06", "loop.warm", "a warm loop with a command", {
    broken: warm({ script: "true", pins: on }),
    mended: warm({ scriptRef: there, pins: on }),
  });
  finds("D04", "loop.script", "a warm loop whose file is no JavaScript", {
    broken: warm({ scriptRef: "scripts/there.sh", pins: on }),
    mended: warm({ scriptRef: "scripts/there.sh", pins: { warm: { json: "false" } } }),
  });
});
