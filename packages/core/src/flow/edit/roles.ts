import { REPEAT } from "../../loop/form.ts";
import { readRepeatKeys, REPEAT_KEYS } from "../../loop/repeat-keys.ts";
import { ownEntry } from "../ir.ts";
import type { Ir, IrNode } from "../ir.ts";
import { pinText } from "../pins.ts";

/** Outputs a Condition or Body may do without (F-15). */
const optionalOutputs: ReadonlySet<string> = new Set(["summary"]);

/** A loop that reads an output of its subflow by name, as a phrase for a message, and whether it does without. */
export type Role = { readonly phrase: string; readonly optional: boolean };

/** The loops in which an output of a subflow has a fixed name: of a Condition or Body every one, of a child what its keys name. */
export function rolesOf(ir: Ir, subflow: string, output: string): readonly Role[] {
  return Object.entries(ir.nodes).flatMap(([id, node]) => {
    const { definition, attributes } = node;
    if (definition === REPEAT)
      return attributes["child"] === subflow && namesByKey(node).has(output)
        ? [{ phrase: `it is the child of loop \`${id}\``, optional: false }]
        : [];
    if (definition !== "control.while") return [];
    const roles = [
      ...(attributes["condition"] === subflow ? ["Condition"] : []),
      ...(attributes["body"] === subflow ? ["Body"] : []),
    ];
    return roles.map((role) => ({
      phrase: `it is the ${role} of loop \`${id}\``,
      optional: optionalOutputs.has(output),
    }));
  });
}

/** The two outputs by which a child answers its repeat, as far as the keys are written. */
function namesByKey(node: IrNode): ReadonlySet<string> {
  const written = REPEAT_KEYS.flatMap((slot) => {
    const pin = ownEntry(node.pins, slot);
    return pin ? [[slot, pinText("text", pin)] as const] : [];
  });
  const read = readRepeatKeys(new Map(written));
  return new Set(read.ok ? [read.keys.nextStateKey, read.keys.untilKey] : []);
}
