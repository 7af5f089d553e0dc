import { defineNode } from "./definition.ts";
import type { NodeDefinition } from "./definition.ts";
import type { SlotType } from "../flow/ir.ts";

function display(kind: string, title: string, content: SlotType = "any"): NodeDefinition {
  return defineNode({
    type: `display.${kind}`,
    inputs: { content: { type: content, required: true } },
    outputs: { content: { type: content === "any" ? "text" : content } },
    shown: true,
    card: { title, icon: "eye", tone: "teal" },
    run: ({ inputs }) => ({ kind: "outputs", outputs: new Map([["content", inputs.get("content") ?? ""]]) }),
  });
}

/** Pass their content through; it is kept as the run's shown result. */
export const displayNodes: readonly NodeDefinition[] = [
  display("markdown", "Markdown"),
  display("code", "Code"),
  display("table", "Table"),
  display("chart", "Chart"),
  display("mermaid", "Diagram"),
  display("html", "HTML"),
  display("image", "Image"),
];
