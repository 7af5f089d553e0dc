import type { Ir, IrNode } from "@agentflow/core";
import { flow, node } from "./flows.ts";
import { Rig } from "./rig.ts";
import type { CommandScript } from "./scripted-runner.ts";

const json = (value: unknown) => ({ json: JSON.stringify(value) });
const input = (name: string, type: string): IrNode => node("flow.input", { attributes: { name, type } });

/** What the child's command finds: its inputs. */
export type Seen = { readonly state: unknown; readonly iteration: string; readonly target: unknown };

/**
 * A repeat `loop` of a child whose command `step` answers with an object of the child's outputs: `next`, `done`, `_secret`, `note`.
 * Extra pins of the repeat are given as JSON; `target` is one of the parent's values.
 */
export function repeatLoop(
  pins: Readonly<Record<string, unknown>> = {},
  rename: Readonly<Record<string, string>> = {},
): Ir {
  const name = (key: string) => rename[key] ?? key;
  const given = Object.entries({ maxIterations: 5, timeout: "1m", target: 3, ...pins });
  const field = (key: string) => node("tool.nodejs", { script: `${key} \${all}`, inputs: { all: "text" } });
  const parse = () => node("control.parseJson");
  return flow({
    nodes: {
      state: input(name("repeat_state"), "json"),
      iteration: input(name("repeat_iteration"), "text"),
      target: input("target", "json"),
      step: node("tool.nodejs", {
        script: "step",
        inputs: { state: "json", iteration: "text", target: "json" },
      }),
      next: field("next"),
      nextJson: parse(),
      done: field("done"),
      doneJson: parse(),
      loop: node("control.repeat", {
        pins: Object.fromEntries(
          given.flatMap(([slot, value]) => (value === undefined ? [] : [[slot, json(value)]])),
        ),
        inputs: { target: "json" },
        attributes: { child: "child" },
      }),
      after: node("display.code"),
    },
    edges: [
      "state.value → step.state",
      "iteration.value → step.iteration",
      "target.value → step.target",
      "step.next → next.prev",
      "step.result → next.all",
      "next.next → nextJson.prev",
      "next.result → nextJson.value",
      "nextJson.next → done.prev",
      "step.result → done.all",
      "done.next → doneJson.prev",
      "done.result → doneJson.value",
      "loop.next → after.prev",
      `loop.${typeof pins["outputKey"] === "string" ? pins["outputKey"] : "repeat_result"} → after.content`,
    ],
    subflows: {
      child: {
        label: "Child",
        inputs: {
          [name("repeat_state")]: "state",
          [name("repeat_iteration")]: "iteration",
          target: "target",
        },
        outputs: {
          [name("repeat_next_state")]: { node: "nextJson", slot: "result" },
          [name("repeat_done")]: { node: "doneJson", slot: "result" },
          _secret: { node: "step", slot: "result" },
          note: { node: "iteration", slot: "value" },
        },
        roots: ["step"],
        members: ["done", "doneJson", "iteration", "next", "nextJson", "state", "step", "target"],
      },
    },
    roots: ["loop"],
  });
}

/** The three commands of a child that answers what `answer` makes of its inputs. */
export function child(
  answer: (seen: Seen) => { readonly next?: unknown; readonly done: unknown },
  seen: Seen[] = [],
): CommandScript {
  return ({ command, files }) => {
    const inputs = JSON.parse(files["AGENTFLOW_INPUTS_JSON"]?.text ?? "{}") as Seen & { all: string };
    if (command === "step") {
      seen.push(inputs);
      const { next = null, done } = answer(inputs);
      return JSON.stringify({ next, done });
    }
    const all = JSON.parse(inputs.all) as Record<string, unknown>;
    return JSON.stringify(all[command.startsWith("next") ? "next" : "done"]);
  };
}

/** Counts up to the target. */
export const counting = child(({ state, target }) => {
  const count = ((state as { count: number } | null)?.count ?? 0) + 1;
  return { next: { count }, done: count >= (target as number) };
});

/** Registers, runs until nothing is due, and tells everything about the run. */
export async function runToRest(ir: Ir, script: CommandScript = counting) {
  const rig = new Rig(script);
  const runId = await rig.runFlow(ir);
  await rig.settle();
  const story = await rig.story(runId);
  rig.close();
  return { rig, story };
}
