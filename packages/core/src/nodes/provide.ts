import { failure } from "../errors.ts";
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

/** Gives a secret's name, never its value: workers hand the value to the command that is wired to it. */
export const PASSWORD = "provide.password";
const REFERENCE = "secret:";
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The authored values of a flow; a run's `inputs` replace them by node id. */
export const provideNodes: readonly NodeDefinition[] = [
  provide("provide.text", "text", "Text", ["provide.str"]),
  provide("provide.json", "json", "JSON"),
  provide("provide.bool", "bool", "Yes or no"),
  provide("provide.file", "file", "File"),
  defineNode({
    type: PASSWORD,
    control: false,
    inputs: { value: { type: "text", required: true } },
    outputs: { value: { type: "text" } },
    card: { title: "Secret", icon: "key-round", tone: "rose" },
    run: ({ inputs }) => {
      const name = (inputs.get("value") ?? "").trim();
      return VARIABLE.test(name)
        ? output("value", `${REFERENCE}${name}`)
        : {
            kind: "failed",
            failure: failure("config_invalid", "Its value is no name of an environment variable."),
          };
    },
  }),
];

/** Name of the secret in the output of a `provide.password`; trust it only for a slot wired to that node itself. */
export function secretName(reference: string): string {
  return reference.slice(REFERENCE.length);
}
