import { defineNode } from "./definition.ts";

/** A model or a coding agent does the prompt; its answer is `result`, or a JSON object with the free outputs (F-6, F-26). */
export const agentSubAgent = defineNode({
  type: "agent.subAgent",
  inputs: { context: { type: "context" } },
  outputs: { result: { type: "text" } },
  freeInputs: true,
  freeOutputs: true,
  text: "body",
  effects: true,
  card: { title: "Agent", icon: "bot", tone: "violet" },
  run: () => ({ kind: "agent" }),
});
