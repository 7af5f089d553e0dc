import { describe, expect, test } from "vitest";
import { edges, node, subflow } from "../../testing/build-ir.ts";
import { findings, finds } from "../../testing/lint-case.ts";
import { errorCodes, limits, pin, repeatWith } from "../../testing/loop-case.ts";
import type { Ir } from "../ir.ts";

describe("repeats (4.2)", () => {
  finds("D37", "loop.child", "no child", {
    broken: repeatWith((draft) => (draft.node("loop").attributes = {})),
    mended: repeatWith(),
  });
  finds("D33", "loop.child", "a child that does not exist", {
    broken: repeatWith((draft) => (draft.node("loop").attributes["child"] = "kid")),
    mended: repeatWith(),
  });
  finds("D40", "loop.maxIterations", "R-1: no limit, which a repeat needs", {
    broken: repeatWith((draft) => delete draft.node("loop").pins["maxIterations"]),
    mended: repeatWith(),
  });
  for (const bad of [" ", "0", "129"])
    finds("D40", "loop.maxIterations", `R-1: a limit of ${JSON.stringify(bad)}`, {
      broken: repeatWith(pin("maxIterations", bad)),
      mended: repeatWith(pin("maxIterations", "128")),
    });
  finds("D40", "loop.nextStateKey", "R-2: two keys of the same name", {
    broken: repeatWith(pin("nextStateKey", "repeat_state")),
    mended: repeatWith(),
  });
  finds("D40", "loop.outputKey", "R-2: a blank key", {
    broken: repeatWith((draft) => {
      draft.unwire("loop.repeat_result > shown.content");
      draft.wire("loop.state > shown.content");
      pin("outputKey", " ")(draft);
    }),
    mended: repeatWith(),
  });
  finds("D40", "loop.input", "R-3: input_reserved", {
    broken: repeatWith(pin("input", { repeat_iteration: 1 })),
    mended: repeatWith(pin("input", { repeat_state: 1 })),
  });
  finds("D40", "loop.input", "R-3: an input that is no object", {
    broken: repeatWith(pin("input", [1])),
    mended: repeatWith(pin("input", {})),
  });
  finds("D34", "loop.child", "R-4: no output that says done", {
    broken: repeatWith((draft) => delete draft.subflow("child").outputs["repeat_done"]),
    mended: repeatWith(),
  });
  for (const name of ["repeat_done", "repeat_next_state"])
    finds("D36", `loop.${name}`, `R-4: ${name} as text`, {
      broken: repeatWith(
        (draft) => (draft.subflow("child").outputs[name] = { node: "work", slot: "result" }),
      ),
      mended: repeatWith(),
    });
  finds("D36", "loop.repeat_state", "R-2: a state that the child takes as a context", {
    broken: repeatWith((draft) => {
      draft.node("state").attributes["type"] = "bool";
      draft.node("work").inputs["state"] = "bool";
    }),
    mended: repeatWith(),
  });
  finds("D11", "shown.content", "R-6: an output under the default name when outputKey says another", {
    broken: repeatWith(pin("outputKey", "sum")),
    mended: repeatWith((draft) => {
      pin("outputKey", "sum")(draft);
      draft.unwire("loop.repeat_result > shown.content");
      draft.wire("loop.sum_flow > shown.content");
    }),
  });
  finds("D13", "loop.outputKey", "R-6: an outputKey that a run decides", {
    broken: repeatWith((draft) => {
      draft.ir.nodes["key"] = node("provide.text", { pins: { value: { text: "repeat_result" } } });
      draft.wire("key.value > loop.outputKey");
    }),
    mended: repeatWith(),
  });
  test("D24: a child that contains its own repeat", () => {
    const ir = repeatWith((draft) => {
      draft.ir.nodes["inner"] = node("control.repeat", {
        pins: { ...limits },
        attributes: { child: "child" },
      });
      draft.subflow("child").members.push("inner");
      draft.ir.edges.push(...edges("next > inner"));
    });
    expect(errorCodes(ir)).toEqual(["D24 inner.child"]);
  });
  test("D44, R-7: repeats count as loops around each other, D42 does not concern them", () => {
    const nested = (depth: number): Ir =>
      repeatWith((draft) => {
        for (let level = 2; level <= depth; level += 1) {
          const id = `loop${level}`;
          draft.ir.nodes[id] = node("control.repeat", {
            pins: { ...limits },
            attributes: { child: "child" },
          });
          draft.ir.subflows[`child${level}`] = subflow([id], [id], {}, { repeat_done: `${id}.completed` });
          draft.node(level === 2 ? "loop" : `loop${level - 1}`).attributes["child"] = `child${level}`;
        }
      });
    expect(errorCodes(nested(5))).toEqual([]);
    expect(errorCodes(nested(6))).toEqual(["D44 loop6.null"]);
    expect(findings(nested(2)).map(({ code }) => code)).not.toContain("D42");
  });
});
