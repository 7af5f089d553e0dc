import { z } from "zod";
import { defineNode } from "./definition.ts";

/** A JavaScript function of the flow folder, called in a warm process; what it returns is the result, text or JSON. */
export const toolFunction = defineNode({
  type: "tool.function",
  inputs: { effects: { type: "bool" } },
  pins: z.object({ effects: z.enum(["true", "false"], "write true or false").optional() }),
  outputs: { result: { type: "any" } },
  freeInputs: true,
  text: "module",
  outside: "effects",
  card: { title: "Function", icon: "function", tone: "blue" },
  run: () => ({ kind: "function" }),
});
