import { compareEdges } from "@agentflow/core";
import { afterEach, describe, expect, it } from "vitest";
import { Rig, edge, node, subflowLoop } from "./testing/index.ts";
import type { ScriptedCall, ScriptedEnd } from "./testing/index.ts";

type Answer = string | ScriptedEnd;
let rig: Rig;
afterEach(() => rig.close());

const commandOf = (call: ScriptedCall): string => call.command;
const inputsOf = (call: ScriptedCall): Record<string, unknown> =>
  JSON.parse(call.files["AGENTFLOW_INPUTS_JSON"]?.text ?? "{}");
const ran = (command: string): ScriptedCall[] =>
  rig.runner.calls.filter((call) => commandOf(call) === command);

/** Condition answers in order, Body adds 1 to `n` unless told otherwise. */
function looping(judged: Answer[], work: (call: ScriptedCall) => Answer = plusOne): Rig {
  let next = 0;
  rig = new Rig((call) => {
    if (commandOf(call) === "judge") return judged[Math.min(next++, judged.length - 1)] ?? "";
    return commandOf(call) === "work" ? work(call) : "downstream";
  });
  return rig;
}

function plusOne(call: ScriptedCall): string {
  const { state } = inputsOf(call) as { state: { n: number } };
  return `{"n":${state.n + 1}}`;
}

describe("Condition and Body", () => {
  it("AC-06, L-12, L-17: only continue runs the Body; N Bodies take N + 1 iterations", async () => {
    looping(["continue", " Continue\n", "DONE"]);
    const story = await rig.story(await rig.runFlow(subflowLoop()));
    expect(story).toMatchObject({
      status: "succeeded",
      iterations: 3,
      state: '{"n":2}',
      decisions: ["continue", "continue", "done"],
    });
    expect(ran("work")).toHaveLength(2);
    expect(ran("downstream")).toHaveLength(1);
    expect(story.outputs).toEqual([{ node: "shown", value: "downstream" }]);
  });

  it.each([
    ["AC-07, P-03: done at once", "done", "succeeded", 1],
    ["AC-08, P-03: wait at once", "wait", "waiting", 0],
    ["AC-09, P-03: fail at once", "fail", "failed", 0],
  ])("%s runs no Body", async (_title, decision, status, downstream) => {
    looping([decision]);
    expect(await rig.story(await rig.runFlow(subflowLoop()))).toMatchObject({
      status,
      iterations: 1,
      state: '{"n":0}',
    });
    expect(ran("work")).toHaveLength(0);
    expect(ran("downstream")).toHaveLength(downstream);
  });

  it.each(["maybe", ""])(
    "AC-12, L-16: the answer %j is decision_invalid, and the Body does not start",
    async (answer) => {
      looping([answer]);
      expect(await rig.story(await rig.runFlow(subflowLoop()))).toMatchObject({
        status: "failed",
        code: "decision_invalid",
        decisions: [],
      });
      expect(ran("work")).toHaveLength(0);
    },
  );

  it("AC-16, P-45: the Body's state replaces the old one whole", async () => {
    looping(["continue", "done"], () => '{"m":1}');
    expect(await rig.story(await rig.runFlow(subflowLoop()))).toMatchObject({ state: '{"m":1}' });
  });

  it("L-17: text null is a legal state, nothing is not", async () => {
    looping(["continue", "done"], () => "null");
    expect(await rig.story(await rig.runFlow(subflowLoop()))).toMatchObject({
      status: "succeeded",
      state: "null",
    });
  });

  it("P-15, L-19: a Body that fails leaves no trace", async () => {
    looping(["continue"], () => ({ exitCode: 1 }));
    const story = await rig.story(await rig.runFlow(subflowLoop()));
    expect(story).toMatchObject({ status: "failed", code: "exit_nonzero", decisions: [], state: '{"n":0}' });
    expect(story.failure).toMatchObject({ node: "work", iteration: 1 });
  });

  it("AC-62, L-15, L-21: Condition and Body of one round see the same state, iteration and key", async () => {
    looping(["continue", "done"]);
    const { history } = await rig.story(await rig.runFlow(subflowLoop()));
    const [judge] = ran("judge");
    const [work] = ran("work");
    expect(inputsOf(judge!)).toEqual({
      state: { n: 0 },
      iteration: "1",
      key: history[0]?.idempotencyKey,
      resume: null,
    });
    expect(inputsOf(work!)).toEqual(inputsOf(judge!));
  });

  it("P-14: the iteration is plain decimal text at 9, 10 and 11", async () => {
    looping([...Array.from({ length: 11 }, () => "continue"), "done"]);
    await rig.runFlow(subflowLoop({ maxIterations: "20" }));
    expect(
      ran("judge")
        .slice(8, 11)
        .map((call) => inputsOf(call)["iteration"]),
    ).toEqual(["9", "10", "11"]);
  });

  it("P-14: a Condition that throws is asked once and fails the run", async () => {
    looping([{ exitCode: 1 }]);
    const runId = await rig.runFlow(subflowLoop());
    await rig.settle();
    expect(await rig.story(runId)).toMatchObject({ code: "exit_nonzero", failure: { node: "judge" } });
    expect(rig.runner.calls).toHaveLength(1);
    const failures = (rig.store.tables.events.get(runId) ?? []).filter(({ type }) => type === "node-failed");
    expect(failures).toHaveLength(1);
  });

  it.each([
    ["1", ["continue"], "failed", 1],
    ["3", ["continue"], "failed", 3],
    ["3", ["continue", "continue", "done"], "succeeded", 2],
  ])("P-01: limit %s over %j ends as %s after %i Bodies", async (maxIterations, judged, status, bodies) => {
    looping(judged);
    const story = await rig.story(await rig.runFlow(subflowLoop({ maxIterations })));
    expect(story).toMatchObject({ status, state: `{"n":${bodies}}`, iterations: Number(maxIterations) });
    expect(story.code).toBe(status === "failed" ? "loop_max_iterations" : null);
    expect(ran("work")).toHaveLength(bodies);
  });

  it("P-22, L-39: after five waits every Body ran once and downstream once", async () => {
    looping(["wait", "continue", "wait", "continue", "done"]);
    const runId = await rig.runFlow(subflowLoop({ maxIterations: "9" }));
    for (let round = 0; round < 2; round += 1) {
      expect((await rig.resume(runId)).kind).toBe("resumed");
      await rig.drain();
    }
    expect(await rig.story(runId)).toMatchObject({ status: "succeeded", state: '{"n":2}', iterations: 5 });
    expect(ran("work")).toHaveLength(2);
    expect(ran("downstream")).toHaveLength(1);
  });

  it("L-40: Condition and Body that declare resume see the payload in the next round only", async () => {
    looping(["wait", "continue", "done"]);
    const runId = await rig.runFlow(subflowLoop());
    await rig.resume(runId, { payload: '{"ok":true}' });
    await rig.drain();
    expect(ran("judge").map((call) => inputsOf(call)["resume"])).toEqual([null, { ok: true }, null]);
    expect(ran("work").map((call) => inputsOf(call)["resume"])).toEqual([{ ok: true }]);
  });

  it("L-15, P-15: a Condition gets only what it declares and cannot change the state, whatever it answers", async () => {
    looping(["continue", "wait"], () => '{"n":1}');
    const ir = subflowLoop();
    const { inputs, members, ...goOn } = ir.subflows["goOn"]!;
    const declared = { state: inputs["state"]!, iteration: inputs["iteration"]! };
    const dropped = ["cKey", "cResume"];
    for (const id of dropped) delete ir.nodes[id];
    ir.edges = ir.edges.filter(({ from }) => !dropped.includes(from.node));
    ir.subflows["goOn"] = {
      ...goOn,
      inputs: declared,
      members: members.filter((id) => !dropped.includes(id)),
    };
    const runId = await rig.runFlow(ir);
    expect(ran("judge").map(inputsOf)).toEqual([
      { state: { n: 0 }, iteration: "1", key: "", resume: null },
      { state: { n: 1 }, iteration: "2", key: "", resume: null },
    ]);
    expect(await rig.story(runId)).toMatchObject({ status: "waiting", state: '{"n":1}' });

    rig.close();
    looping(['{"decision":"continue","state":{"n":9}}']);
    expect(await rig.story(await rig.runFlow(subflowLoop()))).toMatchObject({
      code: "decision_invalid",
      state: '{"n":0}',
    });
  });

  it("P-07, L-21: what a loop starts from is captured once; equal labels and outputs in its Body shadow nothing of the parent", async () => {
    const states = ['{"n":5}', '{"n":99}'];
    const judged = ["continue", "wait", "continue", "done"];
    rig = new Rig((call) => {
      const said = { start: () => states.shift() ?? "", limit: () => "4", time: () => "9s" }[call.command];
      if (said) return said();
      return call.command === "judge" ? (judged.shift() ?? "") : plusOne(call);
    });
    const ir = subflowLoop();
    const { nodes } = ir;
    for (const id of ["start", "limit", "time"])
      nodes[id] = node("tool.nodejs", { label: "Work", script: id });
    nodes["first"] = node("control.parseJson", { label: "Parse" });
    nodes["parse"]!.label = "Parse";
    nodes["work"]!.label = "Work";
    nodes["loop"]!.pins = {};
    const edges = [
      ...[
        "start.next → limit.prev",
        "limit.next → time.prev",
        "time.next → first.prev",
        "first.next → loop.prev",
      ],
      ...["start.result → first.value", "first.result → loop.state"],
      ...["limit.result → loop.maxIterations", "time.result → loop.timeout"],
    ].map(edge);
    ir.edges = [...ir.edges, ...edges].sort(compareEdges);
    ir.run!.roots = ["start"];
    const runId = await rig.runFlow(ir);
    await rig.resume(runId);
    await rig.drain();
    expect(await rig.story(runId)).toMatchObject({
      ...{ status: "succeeded", state: '{"n":7}', iterations: 4 },
      loop: { epoch: 0, maxIterations: 4, timeoutMs: 9000 },
    });
    expect(["start", "limit", "time"].map((command) => ran(command).length)).toEqual([1, 1, 1]);
    expect(inputsOf(ran("downstream")[0]!)).toEqual({ state: { n: 7 } });
  });

  it("P-08: the timeout reaches a command inside the Condition", async () => {
    looping([{ hang: true }]);
    expect(await rig.story(await rig.runFlow(subflowLoop({ timeout: "3s" })))).toMatchObject({
      status: "failed",
      code: "loop_timeout",
      decisions: [],
    });
  });
});

describe("lost workers", () => {
  it("L-19, S-11: outputs journaled before the crash are used again, under the same key", async () => {
    let crash = true;
    looping(["continue", "done"], (call) => {
      if (!crash) return plusOne(call);
      crash = false;
      throw new Error("the worker dies here");
    });
    await rig.register(subflowLoop());
    const runId = await rig.start();
    await expect(rig.drain()).rejects.toThrow("the worker dies here");
    await rig.settle();
    expect(await rig.story(runId)).toMatchObject({ status: "succeeded", state: '{"n":1}' });
    expect(ran("judge")).toHaveLength(2);
    const keys = ran("work").map((call) => inputsOf(call)["key"]);
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);
  });

  it("L-51: an iteration that never survives ends as worker_lost after its attempts", async () => {
    looping(["continue"], () => ({
      outcome: { kind: "spawn_failed", cause: "no_resources", message: "EAGAIN", elapsedMs: 1 },
    }));
    await rig.register(subflowLoop());
    const runId = await rig.start();
    await rig.settle();
    expect(await rig.story(runId)).toMatchObject({
      status: "failed",
      code: "worker_lost",
      decisions: [],
      state: '{"n":0}',
    });
    expect(ran("work")).toHaveLength(5);
    expect(ran("judge")).toHaveLength(1);
  });

  it("P-59, S-9: an emptied queue loses nothing", async () => {
    looping(["continue", "continue", "done"]);
    await rig.register(subflowLoop());
    const runId = await rig.start();
    rig.queue.empty();
    await rig.settle();
    expect(await rig.story(runId)).toMatchObject({ status: "succeeded", iterations: 3 });
  });
});
