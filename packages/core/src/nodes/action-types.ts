import { LOOP_TYPES } from "../loop/form.ts";
import type { NodeDefinition } from "./definition.ts";
import { PASSWORD } from "./provide.ts";

/** Parameters of an action that are the text of the node type, not inputs: taken as they are written, never resolved (F-22). */
export const TEXT_PARAMETERS: Readonly<Record<NodeDefinition["text"], readonly string[]>> = {
  script: ["script", "scriptRef"],
  body: ["body", "bodyRef"],
  module: ["scriptRef"],
  none: [],
};

/** Why a node type cannot be the action of a loop (OP-2), or null: it must do its work alone, with values in and values out. */
export function actionTypeProblem({ type, exits, pauses }: NodeDefinition): string | null {
  if (LOOP_TYPES.has(type)) return "is a loop; put it into a subflow and name that";
  if (pauses) return "may wait, which no operation may do";
  if (type === "flow.call") return "needs a subflow; name the subflow itself";
  if (type === "flow.input" || type === PASSWORD || type.startsWith("context."))
    return "only gives a value; name something that works";
  return exits.length > 1 ? "takes one of several ways; put it into a subflow and name that" : null;
}
