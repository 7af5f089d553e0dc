import { defineNode, output } from "./definition.ts";

/** A contract input inside a subflow; the frame gives its value (F-13). */
export const flowInput = defineNode({
  type: "flow.input",
  control: false,
  outputs: { value: { type: "any" } },
  card: { title: "Input", icon: "log-in", tone: "slate" },
  run: ({ inputs }) => output("value", inputs.get("value") ?? ""),
});

/** Runs a subflow in a frame of its own (F-14); its slots are the subflow's contract. */
export const flowCall = defineNode({
  type: "flow.call",
  freeInputs: true,
  card: { title: "Subflow call", icon: "corner-down-right", tone: "indigo" },
  run: ({ node }) => ({ kind: "call", subflow: node.attributes["subflow"] ?? "" }),
});
