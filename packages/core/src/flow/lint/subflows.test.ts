import { describe } from "vitest";
import { node, subflow } from "../../testing/build-ir.ts";
import { callWith, finds, loopWith, small } from "../../testing/lint-case.ts";
import type { Ir } from "../ir.ts";

describe("subflows (F-13, 2-flows 2.5)", () => {
  finds("D15", "inspect", "a cycle inside a subflow", {
    broken: callWith(({ wire }) => wire("tidy > inspect")),
    mended: callWith(),
  });
  const circle = (closed: boolean): Ir =>
    small((draft) => {
      draft.node("only").inputs["x"] = "text";
      draft.ir.nodes["again"] = node("tool.nodejs", { script: "true", inputs: { y: "text" } });
      draft.wire("only.result > again.y", ...(closed ? ["again.result > only.x"] : []));
    });
  finds("D15", "only", "a cycle of data in the parent graph", {
    broken: circle(true),
    mended: circle(false),
  });

  finds("D06", `inspectTicket.摘要's "x"\\`, "an output name that is no identifier (F-16, P-71)", {
    broken: callWith((draft) => {
      draft.subflow("inspectTicket").outputs[`摘要's "x"\\`] = { node: "tidy", slot: "result" };
    }),
    mended: callWith((draft) => {
      draft.subflow("inspectTicket").outputs["摘要"] = { node: "tidy", slot: "result" };
    }),
  });

  finds("D20", "inspectTicket", "nothing to execute", {
    broken: callWith((draft) => (draft.subflow("inspectTicket").roots = [])),
    mended: callWith(),
  });

  finds("D21", "inspectTicket.gone", "a member that does not exist", {
    broken: callWith((draft) => draft.subflow("inspectTicket").members.push("gone")),
    mended: callWith(),
  });
  finds("D21", "inspectTicket.show", "a chain that begins outside the members", {
    broken: callWith((draft) => draft.subflow("inspectTicket").roots.push("show")),
    mended: callWith(),
  });
  finds("D21", "judge", "a node in two subflows", {
    broken: loopWith((draft) => draft.subflow("advance").members.push("judge")),
    mended: loopWith(),
  });

  const extraInput = (target: string, bound: boolean): Ir =>
    callWith((draft) => {
      draft.ir.nodes["extra"] = node("flow.input", { attributes: { name: "extra", type: "text" } });
      draft.node("tidy").inputs["extra"] = "text";
      draft.subflow("inspectTicket").members.push("extra");
      draft.wire("extra.value > tidy.extra");
      if (!bound) return;
      draft.subflow("inspectTicket").inputs["extra"] = target;
      draft.node("callInspect").pins["extra"] = { text: "more" };
    });
  finds("D22", "extra", "a used flow.input that no contract binds", {
    broken: extraInput("extra", false),
    mended: extraInput("extra", true),
  });
  finds("D22", "inspectTicket.more", "a contract input bound to something else than a flow.input", {
    broken: callWith((draft) => {
      draft.subflow("inspectTicket").inputs["more"] = "inspect";
      draft.node("callInspect").pins["more"] = { text: "" };
    }),
    mended: callWith(),
  });
  finds("D22", "inspectTicket.twin", "two contract inputs on one flow.input", {
    broken: callWith((draft) => {
      draft.subflow("inspectTicket").inputs["twin"] = "ticketIn";
      draft.node("callInspect").pins["twin"] = { text: "" };
    }),
    mended: callWith(),
  });
  finds("D22", "advance.state", "an output of a node of another subflow (P-68)", {
    broken: loopWith(
      (draft) => (draft.subflow("advance").outputs["state"] = { node: "judge", slot: "result" }),
    ),
    mended: loopWith(),
  });
  finds("D11", "inspectTicket.summary", "an output bound to a slot the member does not have", {
    broken: callWith(
      (draft) => (draft.subflow("inspectTicket").outputs["summary"] = { node: "tidy", slot: "text" }),
    ),
    mended: callWith(),
  });
  finds("D13", "inspectTicket.summary", "an output bound to a control slot", {
    broken: callWith((draft) => {
      draft.subflow("inspectTicket").outputs["summary"] = { node: "tidy", slot: "next" };
      draft.unwire("callInspect.summary > show.content");
      draft.wire("callInspect.raw > show.content");
    }),
    mended: callWith(),
  });

  const recursive = (target: string): Ir =>
    callWith((draft) => {
      draft.ir.nodes["otherStep"] = node("tool.nodejs", { script: "true" });
      draft.ir.nodes["again"] = node("flow.call", {
        attributes: { subflow: target },
        pins: target === "other" ? {} : { ticket: { text: "T-2" } },
      });
      draft.ir.subflows["other"] = subflow(["otherStep"], ["otherStep"], {}, {});
      draft.subflow("inspectTicket").members.push("again");
      draft.wire("tidy > again");
    });
  finds("D24", "again.subflow", "a subflow that calls itself (P-69)", {
    broken: recursive("inspectTicket"),
    mended: recursive("other"),
  });

  finds("D27", "inspectTicket.ticket", "a contract key that is not the name of the flow.input", {
    broken: callWith((draft) => (draft.node("ticketIn").attributes["name"] = "Ticket")),
    mended: callWith(),
    severity: "warning",
  });
});

describe("calls (D25, D26)", () => {
  finds("D25", "callInspect.subflow", "a call of an unknown subflow", {
    broken: callWith((draft) => (draft.node("callInspect").attributes["subflow"] = "gone")),
    mended: callWith(),
  });
  finds("D26", "callInspect.urgent", "a pin the subflow does not take (P-68)", {
    broken: callWith((draft) => (draft.node("callInspect").pins["urgent"] = { text: "yes" })),
    mended: callWith(),
  });
  const without = (pin: boolean): Ir =>
    callWith((draft) => {
      draft.unwire("pending.value > callInspect.ticket");
      delete draft.ir.nodes["pending"];
      draft.node("callInspect").inputs = {};
      if (pin) draft.node("callInspect").pins["ticket"] = { json: "null" };
    });
  finds("D26", "callInspect.ticket", "a declared input the call does not pass (P-68)", {
    broken: without(false),
    mended: without(true),
  });
  const withContext = (name: string): Ir =>
    callWith((draft) => {
      draft.ir.nodes["ctx"] = node("flow.input", { attributes: { name, type: "context" } });
      draft.subflow("inspectTicket").members.push("ctx");
      draft.subflow("inspectTicket").inputs[name] = "ctx";
    });
  finds("D26", "callInspect.context", "a context the call does not pass", {
    broken: withContext("context"),
    mended: callWith(),
    severity: "warning",
  });
  finds("D36", "inspectTicket.ctx", "a context that enters under another name (L-48)", {
    broken: withContext("ctx"),
    mended: withContext("context"),
  });
});

describe("nodes and runs that lead nowhere (D60)", () => {
  finds("D60", "alone", "a node that is connected to nothing", {
    broken: small(({ ir }) => (ir.nodes["alone"] = node("display.code"))),
    mended: small(),
    severity: "warning",
  });
  finds("D60", "", "a flow without a run entry", {
    broken: callWith(({ ir }) => (ir.run = null)),
    mended: callWith(),
    severity: "warning",
  });
});
