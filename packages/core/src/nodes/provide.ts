import { defineNode, output } from "./definition.ts";
import type { NodeDefinition } from "./definition.ts";
import type { SlotType } from "../flow/ir.ts";

function provide(
  type: string,
  slot: SlotType,
  title: string,
  aliases: readonly string[] = [],
): NodeDefinition {
  return defineNode({
    type,
    aliases,
    control: false,
    inputs: { value: { type: slot } },
    outputs: { value: { type: slot } },
    card: { title, icon: "input", tone: "slate" },
    run: ({ inputs }) => output("value", inputs.get("value") ?? ""),
  });
}

/** The authored values of a flow; a run's `inputs` replace them by node id. */
export const provideNodes: readonly NodeDefinition[] = [
  provide("provide.text", "text", "Text", ["provide.str"]),
  provide("provide.json", "json", "JSON"),
  provide("provide.bool", "bool", "Yes or no"),
  provide("provide.file", "file", "File"),
];
