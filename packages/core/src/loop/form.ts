import { failure } from "../errors.ts";
import type { Failure } from "../errors.ts";
import { ownEntry } from "../flow/ir.ts";
import type { IrNode } from "../flow/ir.ts";
import { readOperation } from "./operation.ts";
import type { Operation } from "./operation.ts";

/** Where a loop's decision and next state come from (4-loop-forms). The protocol around them is one for all. */
export type LoopForm =
  | { readonly kind: "subflows"; readonly condition: string; readonly body: string }
  | { readonly kind: "script" }
  | { readonly kind: "operation"; readonly expression: string; readonly operation: Operation }
  | { readonly kind: "repeat"; readonly child: string };

export type LoopFormKind = LoopForm["kind"];

export type LoopFormReading =
  | { readonly ok: true; readonly form: LoopForm }
  | { readonly ok: false; readonly failure: Failure };

export const REPEAT = "control.repeat";

/** Node types that iterate. */
export const LOOP_TYPES: ReadonlySet<string> = new Set(["control.while", REPEAT]);

/** Every source of decisions that a node names; a legal loop has one (L-5). Half of a pair counts too. */
export function loopSources(node: IrNode): readonly LoopFormKind[] {
  if (node.definition === REPEAT) return ["repeat"];
  const has = (name: string) => ownEntry(node.attributes, name) !== undefined;
  return [
    ...(has("condition") || has("body") ? (["subflows"] as const) : []),
    ...(has("expression") || has("operation") ? (["operation"] as const) : []),
    ...(isWritten(node.script) || node.scriptRef !== null ? (["script"] as const) : []),
  ];
}

/** The form of a loop node: `config_invalid` without exactly one whole source of decisions, `body_not_one` by OP-2. */
export function loopForm(node: IrNode): LoopFormReading {
  const sources = loopSources(node);
  const [kind] = sources;
  const attribute = (name: string) => ownEntry(node.attributes, name);
  if (kind === undefined || sources.length > 1)
    return invalid(
      `The loop has ${kind === undefined ? "nothing" : sources.map((one) => NAMES[one]).join(" and ")} to decide; it takes exactly one source of decisions.`,
    );
  switch (kind) {
    case "subflows": {
      const [condition, body] = [attribute("condition"), attribute("body")];
      if (condition === undefined || body === undefined)
        return invalid("The loop needs both a Condition and a Body.");
      return { ok: true, form: { kind, condition, body } };
    }
    case "script":
      if (isWritten(node.script) && node.scriptRef !== null)
        return invalid("The loop has a script and a script file; it takes one of them.");
      return { ok: true, form: { kind } };
    case "operation": {
      const [expression, text] = [attribute("expression"), attribute("operation")];
      if (expression === undefined) return invalid("The loop has an operation but no expression to decide.");
      const read = readOperation(text ?? "{}");
      return read.ok ? { ok: true, form: { kind, expression, operation: read.operation } } : read;
    }
    case "repeat": {
      const child = attribute("child");
      return child === undefined
        ? invalid("The repeat has no child to run.")
        : { ok: true, form: { kind, child } };
    }
  }
}

/** What a source of decisions is called in messages. */
const NAMES: Readonly<Record<LoopFormKind, string>> = {
  subflows: "subflows",
  script: "a script",
  operation: "an expression with an operation",
  repeat: "a child",
};

function isWritten(text: string | null): boolean {
  return text !== null && text.trim() !== "";
}

function invalid(message: string): LoopFormReading {
  return { ok: false, failure: failure("config_invalid", message) };
}
