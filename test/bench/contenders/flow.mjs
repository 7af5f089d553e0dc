import { createRegistry, builtInNodes, defineNode, output } from "@agentflow/core";
import { firstState, nextState } from "./step.mjs";

const CARD = { title: "Bench", icon: "gauge", tone: "neutral" };
const TEXT = { type: "text" };
const JSON_SLOT = { type: "json" };

/**
 * The node types of the bench, effect-free and so not journaled: a Condition that is done at iteration `last`, another
 * that waits before that, and a Body that adds 1. `onJudge` and `onGate` hear of every iteration as it starts.
 */
export function benchRegistry({ onJudge, onGate }) {
  const judge = (type, until, hear) =>
    defineNode({
      type,
      inputs: { iteration: TEXT, last: TEXT },
      outputs: { decision: TEXT },
      card: CARD,
      run: ({ inputs }) => {
        const iteration = Number(inputs.get("iteration"));
        hear(iteration);
        return output("decision", iteration >= Number(inputs.get("last")) ? "done" : until);
      },
    });
  const step = defineNode({
    type: "bench.step",
    inputs: { state: JSON_SLOT },
    outputs: { state: JSON_SLOT },
    card: CARD,
    run: ({ inputs }) => output("state", JSON.stringify(nextState(JSON.parse(inputs.get("state"))))),
  });
  return createRegistry([
    ...builtInNodes,
    judge("bench.judge", "continue", onJudge),
    judge("bench.gate", "wait", onGate),
    step,
  ]);
}

/** A flow with one loop of `iterations` iterations over a state of `bytes`, judged by a node of type `condition`. */
export function benchFlow({ iterations, bytes, condition }) {
  const nodes = {
    first: node("provide.json", { pins: { value: { json: JSON.stringify(firstState(bytes)) } } }),
    judgeState: input("state", "json"),
    judgeIteration: input("iteration", "text"),
    judge: node(condition, { pins: { last: { text: String(iterations) } } }),
    stepState: input("state", "json"),
    stepIteration: input("iteration", "text"),
    stepKey: input("idempotencyKey", "text"),
    step: node("bench.step"),
    loop: node("control.while", {
      attributes: { condition: "condition", body: "body" },
      pins: { maxIterations: { text: String(iterations + 1) }, timeout: { text: "1h" } },
    }),
  };
  const edges = [
    edge("first.value", "loop.state"),
    edge("judgeIteration.value", "judge.iteration"),
    edge("stepState.value", "step.state"),
  ];
  const subflows = {
    condition: {
      label: "",
      inputs: { state: "judgeState", iteration: "judgeIteration" },
      outputs: { decision: { node: "judge", slot: "decision" } },
      roots: ["judge"],
      members: ["judge", "judgeIteration", "judgeState"],
    },
    body: {
      label: "",
      inputs: { state: "stepState", iteration: "stepIteration", idempotencyKey: "stepKey" },
      outputs: { state: { node: "step", slot: "state" } },
      roots: ["step"],
      members: ["step", "stepIteration", "stepKey", "stepState"],
    },
  };
  return { schema: 1, nodes, edges, subflows, run: { id: "run", label: "", roots: ["loop"] } };
}

function node(definition, given = {}) {
  const blank = { label: "", script: null, scriptRef: null, body: null, bodyRef: null };
  return { definition, ...blank, pins: {}, inputs: {}, outputs: {}, attributes: {}, ...given };
}

function input(name, type) {
  return node("flow.input", { attributes: { name, type } });
}

function edge(from, to) {
  const end = (text) => {
    const [id, slot] = text.split(".");
    return { node: id, slot };
  };
  return { from: end(from), to: end(to) };
}
