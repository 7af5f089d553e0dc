import { describe } from "vitest";
import { flow, node } from "../../testing/build-ir.ts";
import { callWith, finds, loopWith, small } from "../../testing/lint-case.ts";
import type { Ir, IrNode } from "../ir.ts";

const command = (given: Partial<IrNode>): Ir => small((draft) => Object.assign(draft.node("only"), given));

describe("nodes by themselves (2-flows 2.5)", () => {
  finds("D04", "only.script", "a script file that is not in the bundle", {
    broken: command({ script: null, scriptRef: "scripts/gone.mjs" }),
    mended: command({ script: null, scriptRef: "scripts/there.mjs" }),
  });
  for (const path of [
    "../there.mjs",
    "/etc/passwd",
    "scripts//there.mjs",
    "scripts\\there.mjs",
    "C:there.mjs",
    "",
  ]) {
    finds("D04", "only.script", `a script file outside the flow folder: ${JSON.stringify(path)} (F-23)`, {
      broken: command({ script: null, scriptRef: path }),
      mended: command({ script: null, scriptRef: "scripts/there.mjs" }),
      also: path === "" ? ["D06"] : [],
    });
  }
  finds("D04", "pending.value", "a written file that is not in the bundle", {
    broken: callWith((draft) => (draft.node("pending").pins["value"] = { file: "data/gone.txt" })),
    mended: callWith((draft) => (draft.node("pending").pins["value"] = { file: "scripts/there.mjs" })),
  });

  finds("D06", "only.script", "a command node without a command", {
    broken: command({ script: " " }),
    mended: command({ script: "true" }),
  });
  finds("D06", "only.script", "a command node with a command and a file", {
    broken: command({ scriptRef: "scripts/there.mjs" }),
    mended: command({ script: null, scriptRef: "scripts/there.mjs" }),
  });
  finds("D06", "show.script", "a command on a node that takes none", {
    broken: callWith((draft) => (draft.node("show").script = "true")),
    mended: callWith(),
  });

  finds("D07", "only", "an unknown node type", {
    broken: command({ definition: "tool.ruby" }),
    mended: command({ definition: "tool.nodejs" }),
  });

  finds("D09", "loop.limit", "a pin the definition does not have", {
    broken: loopWith((draft) => (draft.node("loop").pins["limit"] = { text: "3" })),
    mended: loopWith(),
  });
  finds("D09", "loop.constructor", "a pin that only every object has", {
    broken: loopWith((draft) => (draft.node("loop").pins["constructor"] = { text: "3" })),
    mended: loopWith(),
  });
  finds("D09", "next.more", "a free input on a node that takes none", {
    broken: loopWith((draft) => (draft.node("next").inputs["more"] = "text")),
    mended: loopWith(),
  });
  finds("D09", "step.title", "a free output on a node that gives none", {
    broken: loopWith((draft) => (draft.node("step").outputs["title"] = "text")),
    mended: loopWith(),
  });

  for (const type of ["number", "node", "constructor"]) {
    finds("D28", "ticketIn.type", `flow.input of type ${type}`, {
      broken: callWith((draft) => (draft.node("ticketIn").attributes["type"] = type)),
      mended: callWith((draft) => delete draft.node("ticketIn").attributes["type"]),
    });
  }

  finds("D43", "tidy", "a node inside a subflow that waits", {
    broken: callWith((draft) => {
      draft.ir.nodes["tidy"] = node("test.pauses");
      draft.unwire("inspect.result > tidy.analysis");
      draft.subflow("inspectTicket").outputs["summary"] = { node: "inspect", slot: "result" };
    }),
    mended: small(({ ir, wire }) => {
      ir.nodes["tidy"] = node("test.pauses");
      wire("only > tidy");
    }),
  });
});

describe("control.if (D50)", () => {
  const branches = (pins: IrNode["pins"], wires: readonly string[]): Ir =>
    flow(
      {
        choose: node("control.if", { pins }),
        yes: node("tool.nodejs", { script: "true" }),
        no: node("tool.nodejs", { script: "true" }),
      },
      ["yes > no", ...wires],
      ["choose"],
    );
  const both = ["choose.then > yes.prev", "choose.else > no.prev"];
  const given = { prediction: { text: "yes" } };
  finds("D50", "choose.prediction", "no prediction", {
    broken: branches({}, both),
    mended: branches(given, both),
  });
  finds("D50", "choose.prediction", "a prediction of null", {
    broken: branches({ prediction: { json: "null" } }, both),
    mended: branches({ prediction: { json: "false" } }, both),
  });
  finds("D50", "choose.else", "no else branch", {
    broken: branches(given, both.slice(0, 1)),
    mended: branches(given, both),
    severity: "warning",
  });
  finds("D50", "choose.then", "no then branch", {
    broken: branches(given, both.slice(1)),
    mended: branches(given, both),
    severity: "warning",
  });
});

describe("placeholders (D61, F-22)", () => {
  const inspecting = (script: string): Ir => callWith((draft) => (draft.node("inspect").script = script));
  finds("D61", "inspect.script", "a name that is neither slot nor constant", {
    broken: inspecting("echo ${HOME}"),
    mended: inspecting("echo $${HOME} $HOME ${ticket} ${flowDir} ${cwd} ${outputsDir} ${nodeTmpDir}"),
  });
  finds("D61", "inspect.script", "a place that cannot be quoted", {
    broken: inspecting("echo $(cat ${ticket})"),
    mended: inspecting('t=${ticket}; echo $(cat "$t")'),
  });
  finds("D61", "step.script", "a context, which never becomes text (F-7)", {
    broken: loopWith((draft) => (draft.node("step").script = "cat ${context}")),
    mended: loopWith((draft) => (draft.node("step").script = 'cat "$AGENTFLOW_CONTEXT_FILE"')),
  });
  const prompting = (body: string): Ir =>
    flow(
      { agent: node("test.agent", { body, inputs: { topic: "text" }, pins: { topic: { text: "tea" } } }) },
      [],
      ["agent"],
    );
  finds("D61", "agent.body", "an unknown name in a prompt", {
    broken: prompting("Write about ${subject}."),
    mended: prompting("Write about ${topic}, not $${subject}: ${USER_PROMPT}"),
  });
});
