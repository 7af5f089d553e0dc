import type { Ir } from "../flow/ir.ts";
import { flow, node, subflow } from "./build-ir.ts";
import { editedIr, findings } from "./lint-case.ts";
import type { Edit } from "./lint-case.ts";

/** A `flow.input` node. */
export const input = (name: string, type = "text") => node("flow.input", { attributes: { name, type } });

/** Limits that leave no warning. */
export const limits = { maxIterations: { text: "5" }, timeout: { text: "1m" } };

/** A repeat of a child that answers by the default keys, edited. */
export const repeatWith = (edit: Edit = () => {}): Ir =>
  editedIr(
    flow(
      {
        state: input("repeat_state", "json"),
        work: node("tool.nodejs", { script: "cat ${state}", inputs: { state: "json" } }),
        next: node("control.parseJson"),
        loop: node("control.repeat", { pins: { ...limits }, attributes: { child: "child" } }),
        shown: node("display.code"),
      },
      [
        "state.value > work.state",
        "work > next",
        "work.result > next.value",
        "loop > shown",
        "loop.repeat_result > shown.content",
      ],
      ["loop"],
      {
        child: subflow(
          ["work"],
          ["next", "state", "work"],
          { repeat_state: "state" },
          { repeat_done: "next.result", repeat_next_state: "next.result" },
        ),
      },
    ),
    edit,
  );

/** Errors of a flow as `code node.field`. */
export const errorCodes = (ir: Ir): readonly string[] =>
  findings(ir)
    .filter(({ severity }) => severity === "error")
    .map(({ code, node: id, field }) => `${code} ${id}.${field}`);

/** Writes a pin of the node `loop`: a text, or any other value as JSON. */
export const pin =
  (slot: string, value: unknown) => (draft: { node: (id: string) => { pins: Record<string, object> } }) =>
    (draft.node("loop").pins[slot] =
      typeof value === "string" ? { text: value } : { json: JSON.stringify(value) });
