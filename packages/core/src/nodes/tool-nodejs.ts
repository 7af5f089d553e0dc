import { defineNode } from "./definition.ts";

/** A command run by the shell in a fresh directory; the exit code decides, trimmed stdout is the result. */
export const toolNodejs = defineNode({
  type: "tool.nodejs",
  outputs: { result: { type: "text" } },
  freeInputs: true,
  text: "script",
  effects: true,
  card: { title: "Command", icon: "terminal", tone: "blue" },
  run: () => ({ kind: "command" }),
});
