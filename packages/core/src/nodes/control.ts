import { failure } from "../errors.ts";
import { scan } from "../json/scan.ts";
import { defineNode, output } from "./definition.ts";

/** Text to JSON under the JSON policy (1.8); blank or invalid text fails the node. */
export const parseJson = defineNode({
  type: "control.parseJson",
  inputs: { value: { type: "text", required: true } },
  outputs: { result: { type: "json" } },
  card: { title: "Parse JSON", icon: "braces", tone: "slate" },
  run: ({ inputs }) => {
    const scanned = scan(inputs.get("value") ?? "");
    if (scanned.ok) return output("result", scanned.text);
    return {
      kind: "failed",
      failure: failure("node_failed", `The text is not JSON: ${scanned.error.message}`),
    };
  },
});

const truthy = new Set(["true", "1", "yes", "on"]);

/** Takes `then` when the prediction is true/1/yes/on in any case, else `else`; `next` follows when the branch has ended. */
export const controlIf = defineNode({
  type: "control.if",
  exits: ["then", "else", "next"],
  inputs: { prediction: { type: "bool", required: true, accepts: ["text", "json"] } },
  card: { title: "If", icon: "split", tone: "amber" },
  run: ({ inputs }) => {
    const prediction = (inputs.get("prediction") ?? "").trim().toLowerCase();
    return { kind: "outputs", outputs: new Map(), exit: truthy.has(prediction) ? "then" : "else" };
  },
});
