import type { Ir } from "@agentflow/core";
import { afterEach, describe, expect, it } from "vitest";
import { Rig, flow, loopPins, node } from "./testing/index.ts";
import type { ScriptedCall } from "./testing/index.ts";

type Slot = "state" | "maxIterations" | "timeout";
let rig: Rig;
afterEach(() => rig.close());

/** A script loop whose `slot` is what the command `source` printed. */
function computed(slot: Slot): Ir {
  const { [slot]: _, ...pins } = loopPins({});
  const parse = slot === "state";
  return flow({
    nodes: {
      source: node("tool.nodejs", { script: "source" }),
      ...(parse ? { parse: node("control.parseJson") } : {}),
      loop: node("control.while", { script: "decide", pins }),
    },
    edges: parse
      ? [
          "source.next → parse.prev",
          "parse.next → loop.prev",
          "source.result → parse.value",
          "parse.result → loop.state",
        ]
      : ["source.next → loop.prev", `source.result → loop.${slot}`],
    roots: ["source"],
  });
}

function printing(printed: string): Rig {
  return (rig = new Rig(({ command }: ScriptedCall) =>
    command === "source" ? printed : '{"decision":"wait"}',
  ));
}

describe("what a loop is given by a step, known only while the run executes", () => {
  it.each<[Slot, string, object]>([
    ["maxIterations", "1000", { maxIterations: 1000 }],
    ["maxIterations", "", { maxIterations: 20 }],
    ["timeout", "7d", { timeoutMs: 604_800_000 }],
    ["timeout", "1ms", { timeoutMs: 1 }],
    ["timeout", "", { timeoutMs: 1_800_000 }],
  ])("L-6, L-8: %s %j is within the limits", async (slot, printed, loop) => {
    const story = await printing(printed)
      .runFlow(computed(slot))
      .then((id) => rig.story(id));
    expect(story).toMatchObject({ status: "waiting", loop });
  });

  it.each<[Slot, string]>([
    ["maxIterations", "1001"],
    ["maxIterations", "-1"],
    ["maxIterations", "1.0"],
    ["timeout", "604800001ms"],
    ["timeout", "0"],
    ["timeout", "1h 30m"],
  ])("L-10, L-6, L-8: %s %j fails the run as config_invalid before any iteration", async (slot, printed) => {
    const story = await printing(printed)
      .runFlow(computed(slot))
      .then((id) => rig.story(id));
    expect(story).toMatchObject({ code: "config_invalid", failure: { node: "loop" }, decisions: [] });
    expect(rig.runner.calls.map(({ command }) => command)).toEqual(["source"]);
  });

  it("L-10: on a resume that computes it anew the run fails, and the stored checkpoint stays as it is", async () => {
    printing("5");
    const runId = await rig.runFlow(computed("maxIterations"));
    const rows = [...rig.store.tables.checkpoints];
    const worse = computed("maxIterations");
    worse.nodes["source"]!.script = "worse";
    const version = await rig.register(worse);
    await rig.resume(runId, { version });
    await rig.drain();
    const story = await rig.story(runId);
    expect(story).toMatchObject({ status: "failed", code: "config_invalid", decisions: ["wait"] });
    expect([...rig.store.tables.checkpoints]).toEqual(rows);
  });

  it("L-41: a blank fingerprint fails closed even when an input changed", async () => {
    printing("5");
    const runId = await rig.runFlow(computed("maxIterations"));
    for (const [key, row] of rig.store.tables.checkpoints)
      rig.store.tables.checkpoints.set(key, { ...row, checkpoint: { ...row.checkpoint, fingerprint: "" } });
    const other = computed("maxIterations");
    other.nodes["loop"]!.script = "decide ";
    await rig.resume(runId, { version: await rig.register(other) });
    await rig.drain();
    expect(await rig.story(runId)).toMatchObject({ code: "checkpoint_corrupt", loop: { epoch: 0 } });
  });
});
