import type { Ir, IrNode } from "@agentflow/core";
import { flow, loopPins, node } from "./flows.ts";
import { Rig } from "./rig.ts";
import type { FunctionCall } from "../ports/function.ts";

type Functions = Readonly<Record<string, (call: FunctionCall) => unknown>>;

/** A rig whose bundle has these functions, by file. */
export function functionRig(functions: Functions, options: ConstructorParameters<typeof Rig>[1] = {}): Rig {
  const rig = new Rig(() => "from a command", options);
  for (const [file, run] of Object.entries(functions)) rig.runner.functions.set(file, run);
  return rig;
}

/** Registers a flow with the files it names, starts it, and handles jobs until none is due. */
export async function runWithFiles(rig: Rig, ir: Ir): Promise<string> {
  const paths = Object.values(ir.nodes).flatMap(({ scriptRef }) => scriptRef ?? []);
  const file = { bytes: new Uint8Array([120]), executable: false };
  await rig.register(ir, "flow", new Map(paths.map((path) => [path, file])));
  const id = await rig.start();
  await rig.drain();
  return id;
}

/** A `tool.function` of a file. */
export const functionNode = (file: string, given: Partial<IrNode> = {}): IrNode =>
  node("tool.function", { scriptRef: file, ...given });

const input = (name: string, type: string): IrNode => node("flow.input", { attributes: { name, type } });

/** A loop whose Condition and Body are one function each; `pins` are those of the Body's function. */
export function functionLoop(pins: IrNode["pins"] = {}): Ir {
  return flow({
    nodes: {
      cState: input("state", "json"),
      cIteration: input("iteration", "text"),
      judge: functionNode("judge.mjs"),
      bState: input("state", "json"),
      bIteration: input("iteration", "text"),
      bKey: input("idempotencyKey", "text"),
      work: functionNode("work.mjs", { inputs: { state: "json", key: "text" }, pins }),
      loop: node("control.while", { attributes: { condition: "goOn", body: "advance" }, pins: loopPins({}) }),
      after: node("display.code"),
    },
    edges: [
      "bState.value → work.state",
      "bKey.value → work.key",
      "loop.next → after.prev",
      "loop.state → after.content",
    ],
    subflows: {
      goOn: {
        label: "Go on?",
        inputs: { state: "cState", iteration: "cIteration" },
        outputs: { decision: { node: "judge", slot: "result" } },
        roots: ["judge"],
        members: ["cIteration", "cState", "judge"],
      },
      advance: {
        label: "Advance",
        inputs: { state: "bState", iteration: "bIteration", idempotencyKey: "bKey" },
        outputs: { state: { node: "work", slot: "result" } },
        roots: ["work"],
        members: ["bIteration", "bKey", "bState", "work"],
      },
    },
    roots: ["loop"],
  });
}

/** Functions for it that count to two. */
export const counting = {
  "judge.mjs": ({ state }: FunctionCall) => (JSON.parse(state!).n < 2 ? "continue" : "done"),
  "work.mjs": ({ state }: FunctionCall) => ({ n: JSON.parse(state!).n + 1 }),
};
