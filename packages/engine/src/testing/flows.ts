import { compareEdges } from "@agentflow/core";
import type { Ir, IrEdge, IrNode, IrSubflow, LiteralPin } from "@agentflow/core";

/** A node of the given type; everything not said is empty. */
export function node(definition: string, given: Partial<IrNode> = {}): IrNode {
  const empty = { script: null, scriptRef: null, body: null, bodyRef: null };
  return { definition, label: "", ...empty, pins: {}, inputs: {}, outputs: {}, attributes: {}, ...given };
}

/** An edge written `"a.slot → b.slot"`. */
export function edge(text: string): IrEdge {
  const [from = "", to = ""] = text.split(" → ");
  return { from: end(from), to: end(to) };
}

function end(text: string): { node: string; slot: string } {
  const dot = text.indexOf(".");
  return { node: text.slice(0, dot), slot: text.slice(dot + 1) };
}

/** An IR from its parts; edges as texts, sorted as every IR has them. */
export function flow(given: {
  nodes: Record<string, IrNode>;
  edges?: readonly string[];
  subflows?: Record<string, IrSubflow>;
  roots: readonly string[];
}): Ir {
  return {
    schema: 1,
    nodes: given.nodes,
    edges: (given.edges ?? []).map(edge).sort(compareEdges),
    subflows: given.subflows ?? {},
    run: { id: "run", label: "", roots: [...given.roots] },
  };
}

const text = (value: string): LiteralPin => ({ text: value });

/** Literal pins of a loop; the initial state is `{"n":0}` with 5 iterations and 10 s unless said otherwise. */
export function loopPins(pins: {
  state?: string;
  maxIterations?: string;
  timeout?: string;
}): Record<string, LiteralPin> {
  const { state = '{"n":0}', maxIterations = "5", timeout = "10s" } = pins;
  return { state: text(state), maxIterations: text(maxIterations), timeout: text(timeout) };
}

/** A script loop `loop` (command `decide`) and after it a display `after` of its state. */
export function scriptLoop(pins: Parameters<typeof loopPins>[0] = {}): Ir {
  return flow({
    nodes: {
      loop: node("control.while", { label: "Loop", script: "decide", pins: loopPins(pins) }),
      after: node("display.code"),
    },
    edges: ["loop.next → after.prev", "loop.state → after.content"],
    roots: ["loop"],
  });
}

/**
 * A Condition/Body loop `loop`: Condition runs the command `judge` and answers its output, Body runs `work` and parses its
 * output; both declare `resume`. After it a command `downstream`.
 */
export function subflowLoop(pins: Parameters<typeof loopPins>[0] = {}): Ir {
  const input = (name: string, type: string): IrNode => node("flow.input", { attributes: { name, type } });
  const free = { state: "json", iteration: "text", key: "text", resume: "json" } as const;
  return flow({
    nodes: {
      cState: input("state", "json"),
      cIteration: input("iteration", "text"),
      cKey: input("idempotencyKey", "text"),
      cResume: input("resume", "json"),
      judge: node("tool.nodejs", { script: "judge", inputs: free }),
      bState: input("state", "json"),
      bIteration: input("iteration", "text"),
      bKey: input("idempotencyKey", "text"),
      bResume: input("resume", "json"),
      work: node("tool.nodejs", { script: "work", inputs: free }),
      parse: node("control.parseJson"),
      loop: node("control.while", {
        label: "Loop",
        attributes: { condition: "goOn", body: "advance" },
        pins: loopPins(pins),
      }),
      downstream: node("tool.nodejs", { script: "downstream", inputs: { state: "json" } }),
      shown: node("display.code"),
    },
    edges: [
      ...wires("c", "judge"),
      ...wires("b", "work"),
      "work.next → parse.prev",
      "work.result → parse.value",
      "loop.next → downstream.prev",
      "loop.state → downstream.state",
      "downstream.next → shown.prev",
      "downstream.result → shown.content",
    ],
    subflows: {
      goOn: {
        label: "Go on?",
        inputs: { state: "cState", iteration: "cIteration", idempotencyKey: "cKey", resume: "cResume" },
        outputs: { decision: { node: "judge", slot: "result" } },
        roots: ["judge"],
        members: ["cIteration", "cKey", "cResume", "cState", "judge"],
      },
      advance: {
        label: "Advance",
        inputs: { state: "bState", iteration: "bIteration", idempotencyKey: "bKey", resume: "bResume" },
        outputs: { state: { node: "parse", slot: "result" } },
        roots: ["work"],
        members: ["bIteration", "bKey", "bResume", "bState", "parse", "work"],
      },
    },
    roots: ["loop"],
  });
}

function wires(prefix: string, command: string): string[] {
  return [
    `${prefix}State.value → ${command}.state`,
    `${prefix}Iteration.value → ${command}.iteration`,
    `${prefix}Key.value → ${command}.key`,
    `${prefix}Resume.value → ${command}.resume`,
  ];
}
