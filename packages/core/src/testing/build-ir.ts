import type { Ir, IrEdge, IrNode, IrSubflow } from "../flow/ir.ts";

/** A node with everything empty that is not given. */
export function node(definition: string, given: Partial<IrNode> = {}): IrNode {
  return {
    definition,
    label: "",
    script: null,
    scriptRef: null,
    body: null,
    bodyRef: null,
    pins: {},
    inputs: {},
    outputs: {},
    attributes: {},
    ...given,
  };
}

/** Edges from lines such as `a.value > b.state`; `a > b` is control. */
export function edges(...lines: readonly string[]): IrEdge[] {
  return lines.map((line) => {
    const [from = "", to = ""] = line.split(" > ");
    return from.includes(".")
      ? { from: end(from), to: end(to) }
      : { from: { node: from, slot: "next" }, to: { node: to, slot: "prev" } };
  });
}

function end(text: string): { node: string; slot: string } {
  const [id = "", slot = ""] = text.split(".");
  return { node: id, slot };
}

/** A subflow from its chain's roots, members, inputs (name → node) and outputs (name → `node.slot`). */
export function subflow(
  roots: string[],
  members: string[],
  inputs: Record<string, string>,
  outputs: Record<string, string>,
): IrSubflow {
  const ends = Object.entries(outputs).map(([name, text]) => [name, end(text)] as const);
  return { label: "", inputs, outputs: Object.fromEntries(ends), roots, members: members.toSorted() };
}

/** A flow of nodes and edges whose run begins at `roots`. */
export function flow(
  nodes: Record<string, IrNode>,
  wires: readonly string[],
  roots: string[],
  subflows: Record<string, IrSubflow> = {},
): Ir {
  return { schema: 1, nodes, edges: edges(...wires), subflows, run: { id: "run", label: "Run", roots } };
}

/** The loop of 2-flows 2.9 with commands in place of agents (AC-71): it has no findings. */
export function referenceLoop(): Ir {
  const input = (name: string, type: string) => node("flow.input", { attributes: { name, type } });
  return flow(
    {
      checkState: input("state", "json"),
      checkContext: input("context", "context"),
      checkIteration: input("iteration", "text"),
      judge: node("tool.nodejs", {
        script: "node ${flowDir}/scripts/judge.mjs",
        inputs: { context: "context", state: "json" },
      }),
      bodyState: input("state", "json"),
      bodyContext: input("context", "context"),
      bodyIteration: input("iteration", "text"),
      bodyKey: input("idempotencyKey", "text"),
      step: node("tool.nodejs", {
        script: "node ${flowDir}/scripts/advance-one.mjs",
        inputs: { context: "context", state: "json", idempotencyKey: "text" },
      }),
      next: node("control.parseJson"),
      initial: node("provide.json", { pins: { value: { text: '{"cursor":0}' } } }),
      loop: node("control.while", {
        pins: { maxIterations: { text: "20" }, timeout: { text: "30m" } },
        attributes: { condition: "goOn", body: "advance" },
      }),
      report: node("display.markdown"),
    },
    [
      "checkContext.value > judge.context",
      "checkState.value > judge.state",
      "bodyContext.value > step.context",
      "bodyState.value > step.state",
      "bodyKey.value > step.idempotencyKey",
      "step > next",
      "step.result > next.value",
      "initial.value > loop.state",
      "loop > report",
      "loop.state > report.content",
    ],
    ["loop"],
    {
      goOn: subflow(
        ["judge"],
        ["checkContext", "checkIteration", "checkState", "judge"],
        { context: "checkContext", state: "checkState", iteration: "checkIteration" },
        { decision: "judge.result" },
      ),
      advance: subflow(
        ["step"],
        ["bodyContext", "bodyIteration", "bodyKey", "bodyState", "next", "step"],
        { context: "bodyContext", state: "bodyState", iteration: "bodyIteration", idempotencyKey: "bodyKey" },
        { state: "next.result" },
      ),
    },
  );
}

/** An ordinary subflow with two outputs and a call of it (2-flows 2.9): it has no findings. */
export function referenceCall(): Ir {
  return flow(
    {
      ticketIn: node("flow.input", { attributes: { name: "ticket", type: "text" } }),
      inspect: node("tool.nodejs", { script: "cat ${ticket}", inputs: { ticket: "text" } }),
      tidy: node("tool.nodejs", { script: "cat ${analysis}", inputs: { analysis: "text" } }),
      pending: node("provide.text", { pins: { value: { text: "T-1" } } }),
      callInspect: node("flow.call", {
        attributes: { subflow: "inspectTicket" },
        inputs: { ticket: "text" },
      }),
      show: node("display.markdown"),
    },
    [
      "ticketIn.value > inspect.ticket",
      "inspect > tidy",
      "inspect.result > tidy.analysis",
      "pending.value > callInspect.ticket",
      "callInspect > show",
      "callInspect.summary > show.content",
    ],
    ["callInspect"],
    {
      inspectTicket: subflow(
        ["inspect"],
        ["inspect", "ticketIn", "tidy"],
        { ticket: "ticketIn" },
        { summary: "tidy.result", raw: "inspect.result" },
      ),
    },
  );
}
