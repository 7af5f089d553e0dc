import { describe } from "vitest";
import { flow, node } from "../../testing/build-ir.ts";
import { callWith, finds, loopWith, small } from "../../testing/lint-case.ts";
import type { Ir } from "../ir.ts";

describe("edges and slots (2-flows 2.5)", () => {
  finds("D09", "next.text", "a wire into a slot the definition does not have", {
    broken: loopWith(({ wire }) => wire("step.result > next.text")),
    mended: loopWith(),
  });

  const agentFlow = (outputs: Record<string, "text">): Ir =>
    flow(
      { agent: node("test.agent", { body: "Say it", outputs }), show: node("display.code") },
      ["agent > show", "agent.title > show.content"],
      ["agent"],
    );
  finds("D10", "show.content", "a custom output used without declaration", {
    broken: agentFlow({}),
    mended: agentFlow({ title: "text" }),
  });

  const reportOf = (source: string): Ir =>
    loopWith(({ wire, unwire }) => {
      unwire("loop.state > report.content");
      wire(`${source} > report.content`);
    });
  finds("D11", "report.content", "an edge from an undeclared node", {
    broken: reportOf("summarize.result"),
    mended: reportOf("loop.summary"),
  });
  finds("D11", "report.content", "an edge from an undeclared slot", {
    broken: reportOf("loop.verdict"),
    mended: reportOf("loop.decision"),
  });
  finds("D11", "report.content", "an edge from a slot that only every object has", {
    broken: reportOf("loop.constructor"),
    mended: reportOf("loop.history"),
  });
  finds("D11", "only.next", "an edge to an undeclared node", {
    broken: small(({ wire }) => wire("only > gone")),
    mended: small(),
  });
  finds("D11", "run.gone", "a run entry that does not exist", {
    broken: small(({ ir }) => ir.run?.roots.push("gone")),
    mended: small(),
  });

  finds("D12", "initial", "a provide node in a chain (AC-79)", {
    broken: loopWith(({ ir, wire }) => {
      wire("initial > loop");
      ir.run = { id: "run", label: "", roots: ["initial"] };
    }),
    mended: loopWith(),
  });
  finds("D12", "pending", "a chain that leads into a provide node", {
    broken: callWith(({ wire }) => wire("callInspect > pending")),
    mended: callWith(),
    also: ["D15"],
  });

  finds("D14", "report.content", "two edges into one slot", {
    broken: loopWith(({ wire }) => wire("loop.summary > report.content")),
    mended: loopWith(),
  });
  finds("D14", "loop.state", "a wired slot that is written as well", {
    broken: loopWith((draft) => (draft.node("loop").pins["state"] = { json: "{}" })),
    mended: loopWith(),
  });

  finds("D23", "inspect.more", "an edge into a subflow", {
    broken: callWith((draft) => {
      draft.node("inspect").inputs["more"] = "text";
      draft.wire("pending.value > inspect.more");
    }),
    mended: callWith(),
  });
  finds("D23", "show.content", "an edge out of a subflow", {
    broken: callWith((draft) => {
      draft.unwire("callInspect.summary > show.content");
      draft.wire("tidy.result > show.content");
    }),
    mended: callWith(),
  });
  finds("D23", "judge.prev", "control from one subflow into another", {
    broken: loopWith(({ wire }) => wire("next > judge")),
    mended: loopWith(),
  });
  finds("D23", "inspect", "a run that begins inside a subflow", {
    broken: callWith(({ ir }) => ir.run?.roots.push("inspect")),
    mended: callWith(),
  });
});

describe("slot types (F-7)", () => {
  finds("D13", "loop.state", "provide.str wired to a loop's state, provide.json is clean (AC-77)", {
    broken: loopWith((draft) => (draft.node("initial").definition = "provide.str")),
    mended: loopWith(),
  });
  const textState = (parsed: boolean): Ir =>
    loopWith((draft) => {
      draft.node("initial").definition = "provide.text";
      if (!parsed) return;
      draft.unwire("initial.value > loop.state");
      draft.ir.nodes["parse"] = node("control.parseJson");
      draft.wire("initial.value > parse.value", "parse.result > loop.state", "parse > loop");
      draft.ir.run = { id: "run", label: "", roots: ["parse"] };
    });
  finds("D13", "loop.state", "text wired to a loop's state, through control.parseJson it is clean (AC-77)", {
    broken: textState(false),
    mended: textState(true),
  });
  finds("D13", "callInspect.ticket", "a bool passed for a text input of a subflow (P-68)", {
    broken: callWith((draft) => {
      draft.node("pending").definition = "provide.bool";
      draft.node("pending").pins["value"] = { json: "true" };
    }),
    mended: callWith((draft) => {
      draft.node("pending").definition = "provide.json";
      draft.node("pending").pins["value"] = { json: "true" };
    }),
  });
  finds("D13", "report.prev", "data wired to a control slot", {
    broken: loopWith(({ wire }) => wire("loop.summary > report.prev")),
    mended: loopWith(({ wire }) => wire("loop > report")),
  });
  finds("D13", "report.content", "control wired to a data slot", {
    broken: loopWith(({ wire, unwire }) => {
      unwire("loop.state > report.content");
      wire("loop.next > report.content");
    }),
    mended: loopWith(),
  });
  const prediction = (type: string, value: string): Ir =>
    flow(
      {
        given: node(type, { pins: { value: { text: value } } }),
        choose: node("control.if"),
        yes: node("tool.nodejs", { script: "true" }),
        no: node("tool.nodejs", { script: "true" }),
      },
      ["given.value > choose.prediction", "choose.then > yes.prev", "choose.else > no.prev"],
      ["choose"],
    );
  for (const type of ["provide.text", "provide.json", "provide.bool"]) {
    finds("D13", "choose.prediction", `a file as the prediction of an if; ${type} is clean`, {
      broken: prediction("provide.file", "scripts/there.mjs"),
      mended: prediction(type, "1"),
    });
  }
});
