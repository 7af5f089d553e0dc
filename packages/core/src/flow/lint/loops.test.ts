import { describe, expect, test } from "vitest";
import { node, referenceCall, referenceLoop, subflow } from "../../testing/build-ir.ts";
import { findings, finds, loopWith } from "../../testing/lint-case.ts";
import type { Draft } from "../../testing/lint-case.ts";
import { defaultRegistry } from "../../nodes/registry.ts";
import type { Ir } from "../ir.ts";
import { lint } from "./lint.ts";

const attribute = (edit: (attributes: Record<string, string>) => void): Ir =>
  loopWith((draft) => edit(draft.node("loop").attributes));
const errors = (ir: Ir) => findings(ir).filter(({ severity }) => severity === "error");

describe("the source of decisions (L-5, AC-74)", () => {
  finds("D30", "loop", "subflows and a script", {
    broken: loopWith((draft) => (draft.node("loop").script = "node loop.mjs")),
    mended: loopWith(),
  });
  const scripts = (script: string | null): Ir =>
    loopWith((draft) => {
      Object.assign(draft.node("loop"), { attributes: {}, script, scriptRef: "scripts/there.mjs" });
    });
  finds("D30", "loop", "a script and a script file", {
    broken: scripts("node loop.mjs"),
    mended: scripts(null),
  });
  finds("D31", "loop.body", "a Condition only", {
    broken: attribute((attributes) => delete attributes["body"]),
    mended: loopWith(),
  });
  finds("D31", "loop.condition", "a Body only", {
    broken: attribute((attributes) => delete attributes["condition"]),
    mended: loopWith(),
  });
  finds("D32", "loop.body", "one subflow as Condition and Body", {
    broken: attribute((attributes) => (attributes["body"] = "goOn")),
    mended: loopWith(),
  });
  finds("D33", "loop.body", "a Body that does not exist", {
    broken: attribute((attributes) => (attributes["body"] = "gone")),
    mended: loopWith(),
  });
  finds("D33", "loop.condition", "a Condition that only every object has", {
    broken: attribute((attributes) => (attributes["condition"] = "toString")),
    mended: loopWith(),
  });
  const scripted = (script: string): Ir =>
    loopWith((draft) => Object.assign(draft.node("loop"), { attributes: {}, script }));
  finds("D37", "loop", "nothing that decides", { broken: scripted(" "), mended: scripted("node loop.mjs") });
});

describe("contracts of Condition and Body (F-15)", () => {
  const output = (id: string, name: string, source: string): Ir =>
    loopWith((draft) => (draft.subflow(id).outputs[name] = { node: source, slot: "result" }));
  finds("D34", "goOn.decision", "a Condition without decision (P-68)", {
    broken: loopWith((draft) => (draft.subflow("goOn").outputs = {})),
    mended: loopWith(),
  });
  finds("D35", "advance.state", "a Body without state (P-68)", {
    broken: loopWith((draft) => (draft.subflow("advance").outputs = {})),
    mended: loopWith(),
  });
  finds("D36", "goOn.context", "a context declared as text (AC-70)", {
    broken: loopWith((draft) => {
      draft.node("checkContext").attributes["type"] = "text";
      draft.node("judge").inputs["context"] = "text";
    }),
    mended: loopWith(),
  });
  finds("D36", "advance.state", "a Body that returns text as state, through parseJson it is clean (AC-75)", {
    broken: output("advance", "state", "step"),
    mended: output("advance", "state", "next"),
  });
  finds("D38", "advance.result", "an output no Body has (P-68)", {
    broken: output("advance", "result", "step"),
    mended: output("advance", "summary", "step"),
  });
  const extraInput = (name: string, type: string): Ir =>
    loopWith((draft) => {
      draft.ir.nodes["extra"] = node("flow.input", { attributes: { name, type } });
      draft.subflow("goOn").members.push("extra");
      draft.subflow("goOn").inputs[name] = "extra";
    });
  finds("D39", "goOn.cursor", "an input no Condition has", {
    broken: extraInput("cursor", "json"),
    mended: extraInput("resume", "json"),
  });

  test("AC-72: a Body without idempotencyKey gives exactly one error naming both, whatever is left of the flow.input", () => {
    const used = loopWith((draft) => delete draft.subflow("advance").inputs["idempotencyKey"]);
    const unused = loopWith((draft) => {
      delete draft.subflow("advance").inputs["idempotencyKey"];
      draft.subflow("advance").members = draft.subflow("advance").members.filter((id) => id !== "bodyKey");
      draft.unwire("bodyKey.value > step.idempotencyKey");
      delete draft.node("step").inputs["idempotencyKey"];
    });
    for (const ir of [used, unused]) {
      expect(errors(ir).map(({ code }) => code)).toEqual(["D35"]);
      expect(errors(ir)[0]?.message).toContain("The Body `advance` lacks the input `idempotencyKey`.");
    }
  });

  test("D34, D35: each missing member is named in a finding of its own", () => {
    const ir = loopWith((draft) => {
      draft.subflow("goOn").inputs = { context: "checkContext" };
      draft.subflow("goOn").outputs = {};
      draft.subflow("advance").inputs = { context: "bodyContext" };
      draft.subflow("advance").outputs = {};
    });
    expect(errors(ir).map(({ code, node: id, field }) => `${code} ${id} ${field}`)).toEqual([
      "D35 advance idempotencyKey",
      "D35 advance iteration",
      "D35 advance state",
      "D35 advance state",
      "D34 goOn decision",
      "D34 goOn iteration",
      "D34 goOn state",
    ]);
  });
});

describe("loops in loops", () => {
  /** Puts `depth` loops into each other's Body, the outermost in the parent graph. */
  const nested = (depth: number): Ir => {
    const wrap = (draft: Draft, level: number) => {
      const ids = { state: `state${level}`, iteration: `iteration${level}`, idempotencyKey: `key${level}` };
      const inner = `inner${level}`;
      const outer = level === 2 ? "loop" : `inner${level - 1}`;
      draft.ir.nodes[inner] = node("control.while", structuredClone(draft.node("loop")));
      draft.node(inner).attributes["body"] = "advance";
      for (const [name, id] of Object.entries(ids)) {
        draft.ir.nodes[id] = node("flow.input", {
          attributes: { name, type: name === "state" ? "json" : "text" },
        });
      }
      draft.wire(`${ids.state}.value > ${inner}.state`);
      draft.ir.subflows[`body${level}`] = subflow([inner], [inner, ...Object.values(ids)], ids, {
        state: `${inner}.state`,
      });
      draft.node(outer).attributes["body"] = `body${level}`;
    };
    return loopWith((draft) => {
      for (let level = 2; level <= depth; level += 1) wrap(draft, level);
    });
  };
  finds("D42", "inner2", "a loop inside a Body", {
    broken: nested(2),
    mended: nested(1),
    severity: "warning",
  });
  finds("D44", "inner6", "six loops in each other; five are fine", { broken: nested(6), mended: nested(5) });
});

describe("the reference flows", () => {
  const caps = { maxIterations: 1000, maxTimeoutMs: 604_800_000 };

  test("AC-71: the loop of 2-flows 2.9 has no findings", () => {
    expect(lint(referenceLoop(), { registry: defaultRegistry, caps })).toEqual([]);
  });

  test("F-12: the call of 2-flows 2.9 has no findings", () => {
    expect(lint(referenceCall(), { registry: defaultRegistry, caps })).toEqual([]);
  });
});
