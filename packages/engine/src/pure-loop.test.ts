import { builtInNodes, createRegistry, defineNode, output } from "@agentflow/core";
import type { Ir, IrNode } from "@agentflow/core";
import { afterEach, expect, it } from "vitest";
import type { IterationCommit } from "./ports/work.ts";
import { Rig, subflowLoop } from "./testing/index.ts";

let rig: Rig;
afterEach(() => rig.close());

const card = { title: "Pure", icon: "sparkles", tone: "neutral" };
const judge = defineNode({
  type: "test.judge",
  freeInputs: true,
  outputs: { result: { type: "text" } },
  card,
  run: ({ inputs }) => output("result", JSON.parse(inputs.get("state") ?? "").n < 3 ? "continue" : "done"),
});
const add = defineNode({
  type: "test.add",
  freeInputs: true,
  outputs: { result: { type: "json" } },
  card,
  run: ({ inputs }) => output("result", `{"n":${JSON.parse(inputs.get("state") ?? "").n + 1}}`),
});

/** The loop of `subflowLoop` whose Condition and Body are pure. */
function pureLoop(): Ir {
  const flow = subflowLoop();
  const { judge: condition, work: body } = flow.nodes;
  const pure = (node: IrNode | undefined, definition: string): IrNode => ({
    ...node!,
    definition,
    script: null,
  });
  return {
    ...flow,
    nodes: { ...flow.nodes, judge: pure(condition, "test.judge"), work: pure(body, "test.add") },
  };
}

/** Runs the loop and tells with which tokens the store was asked for a claim. */
async function run(before: () => void = () => {}): Promise<{ claims: number[]; runId: string }> {
  const registry = createRegistry([...builtInNodes, judge, add]);
  rig = new Rig(() => "downstream", { registry });
  const claims: number[] = [];
  const { claim } = rig.store.work;
  Object.assign(rig.store.work, {
    claim: (...args: Parameters<typeof claim>) => {
      claims.push(args[0].token);
      return claim(...args);
    },
  });
  before();
  const runId = await rig.runFlow(pureLoop());
  return { claims, runId };
}

it("S-6, L-34: pure iterations after the first are claimed by their own commit, with the same history", async () => {
  const { claims, runId } = await run();
  expect(await rig.story(runId)).toMatchObject({
    status: "succeeded",
    iterations: 4,
    state: '{"n":3}',
    decisions: ["continue", "continue", "continue", "done"],
  });
  // The first iteration, and the walk on after the last one.
  expect(claims).toHaveLength(2);
});

it("S-6, L-51: an iteration whose unclaimed commit is refused is claimed in the ordinary way", async () => {
  const { claims, runId } = await run(() => {
    const { commitIteration } = rig.store.work;
    Object.assign(rig.store.work, {
      commitIteration: async (commit: IterationCommit) =>
        commit.unclaimed === true ? { kind: "stale" } : commitIteration(commit),
    });
  });
  expect(await rig.story(runId)).toMatchObject({ status: "succeeded", iterations: 4, state: '{"n":3}' });
  expect(claims).toHaveLength(5);
});
