import type { Ir } from "../ir.ts";

/** Outputs a Condition or Body may do without (F-15). */
export const optionalOutputs: ReadonlySet<string> = new Set(["summary"]);

/** In which loops a subflow decides or works, as phrases for a message. */
export function rolesOf(ir: Ir, subflow: string): readonly string[] {
  return Object.entries(ir.nodes).flatMap(([id, { definition, attributes }]) => {
    if (definition !== "control.while") return [];
    const roles = [
      ...(attributes["condition"] === subflow ? ["Condition"] : []),
      ...(attributes["body"] === subflow ? ["Body"] : []),
    ];
    return roles.map((role) => `it is the ${role} of loop \`${id}\``);
  });
}
