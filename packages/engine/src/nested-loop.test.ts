import { afterEach, describe, expect, it } from "vitest";
import type { Ir } from "@agentflow/core";
import { Rig, flow, node } from "./testing/index.ts";
import type { ScriptedCall } from "./testing/index.ts";

let rig: Rig;
afterEach(() => rig.close());

const text = (value: string) => ({ text: value });
const limits = (maxIterations: string, timeout = "1m") => ({
  maxIterations: text(maxIterations),
  timeout: text(timeout),
});

/** An outer Condition/Body loop whose Body runs the script loop `inner` (command `decide`) on the outer state. */
function nested(inner = limits("9"), outer = limits("9")): Ir {
  return flow({
    nodes: {
      cState: node("flow.input", { attributes: { name: "state", type: "json" } }),
      cIteration: node("flow.input", { attributes: { name: "iteration", type: "text" } }),
      judge: node("tool.nodejs", { script: "judge", inputs: { state: "json" } }),
      bState: node("flow.input", { attributes: { name: "state", type: "json" } }),
      bIteration: node("flow.input", { attributes: { name: "iteration", type: "text" } }),
      bKey: node("flow.input", { attributes: { name: "idempotencyKey", type: "text" } }),
      inner: node("control.while", { label: "Inner", script: "decide", pins: inner }),
      outer: node("control.while", {
        label: "Outer",
        attributes: { condition: "goOn", body: "advance" },
        pins: { state: text('{"n":0}'), ...outer },
      }),
    },
    edges: ["cState.value → judge.state", "bState.value → inner.state"],
    subflows: {
      goOn: {
        label: "",
        inputs: { state: "cState", iteration: "cIteration" },
        outputs: { decision: { node: "judge", slot: "result" } },
        roots: ["judge"],
        members: ["cIteration", "cState", "judge"],
      },
      advance: {
        label: "",
        inputs: { state: "bState", iteration: "bIteration", idempotencyKey: "bKey" },
        outputs: { state: { node: "inner", slot: "state" } },
        roots: ["inner"],
        members: ["bIteration", "bKey", "bState", "inner"],
      },
    },
    roots: ["outer"],
  });
}

const stateOf = (call: ScriptedCall): { n: number } =>
  JSON.parse(call.files["AGENTFLOW_WHILE_STATE"]?.text ?? "{}");
const decides = (): ScriptedCall[] => rig.runner.calls.filter(({ command }) => command === "decide");

/** Outer: two continues, then done. Inner: adds 1 and is done whenever `n` is a multiple of 3. */
function counting(decide?: (call: ScriptedCall) => ReturnType<typeof plain> | Promise<never>): Rig {
  let judged = 0;
  rig = new Rig((call) => {
    if (call.command === "judge") return ++judged > 2 ? "done" : "continue";
    return decide ? decide(call) : plain(call);
  });
  return rig;
}

function plain(call: ScriptedCall): string {
  const n = stateOf(call).n + 1;
  return `{"decision":"${n % 3 === 0 ? "done" : "continue"}","state":{"n":${n}}}`;
}

describe("a loop inside a Body", () => {
  it("L-20: runs inline in its parent's iteration, with numbers and limits of its own in each round", async () => {
    counting();
    const runId = await rig.runFlow(nested());
    const view = await rig.view(runId);
    expect(view.status).toBe("succeeded");
    expect(view.loops.map(({ label, iterations }) => [label, iterations])).toEqual([
      ["Outer", 3],
      ["Inner", 3],
      ["Inner", 3],
    ]);
    expect(await rig.store.reads.state(runId, '["outer"]')).toEqual({ text: '{"n":6}' });
    expect(decides().map(({ env }) => env["AGENTFLOW_WHILE_ITERATION"])).toEqual([
      "1",
      "2",
      "3",
      "1",
      "2",
      "3",
    ]);
    expect(new Set(decides().map(({ env }) => env["AGENTFLOW_WHILE_IDEMPOTENCY_KEY"])).size).toBe(6);
  });

  it("S-11: after a crash in inner iteration 2 the inner loop goes on there, under the same key", async () => {
    let crashed = false;
    counting((call) => {
      if (call.env["AGENTFLOW_WHILE_ITERATION"] !== "2" || crashed) return plain(call);
      crashed = true;
      throw new Error("the worker dies here");
    });
    await rig.register(nested());
    const runId = await rig.start();
    await expect(rig.drain()).rejects.toThrow("the worker dies here");
    await rig.settle();
    expect((await rig.view(runId)).status).toBe("succeeded");
    const rounds = decides().map(({ env }) => env["AGENTFLOW_WHILE_ITERATION"]);
    expect(rounds).toEqual(["1", "2", "2", "3", "1", "2", "3"]);
    expect(decides()[1]?.env["AGENTFLOW_WHILE_IDEMPOTENCY_KEY"]).toBe(
      decides()[2]?.env["AGENTFLOW_WHILE_IDEMPOTENCY_KEY"],
    );
  });

  it("L-50: events of its rounds carry their own iteration, and all of them the frame they happen in", async () => {
    counting();
    const runId = await rig.runFlow(nested());
    const events = rig.store.tables.events.get(runId) ?? [];
    const rounds = events.filter(({ type, node: id }) => type === "while-iteration-done" && id === "inner");
    expect(rounds.map(({ iteration, frame }) => [iteration, frame])).toEqual(
      [1, 2].flatMap((outer) => [1, 2, 3].map((inner) => [inner, [["outer", "body", outer]]])),
    );
    for (const round of rounds)
      expect(round).toMatchObject({ parent: "outer", subflow: "advance", role: "body" });
    const judged = events.filter(({ type, node: id }) => type === "node-done" && id === "judge");
    expect(judged.map(({ iteration, role }) => [iteration, role])).toEqual(
      [1, 2, 3].map((outer) => [outer, "condition"]),
    );
  });

  it("L-20: its wait is refused and fails the outer iteration", async () => {
    counting(() => '{"decision":"wait"}');
    const { failure } = await rig.view(await rig.runFlow(nested()));
    expect(failure).toMatchObject({ code: "nested_wait_unsupported", node: "inner" });
  });

  it("L-20: its own limit ends it, and with it the outer iteration", async () => {
    counting();
    const { failure, loops } = await rig.view(await rig.runFlow(nested(limits("2"))));
    expect(failure).toMatchObject({ code: "loop_max_iterations", node: "inner" });
    expect(loops[0]).toMatchObject({ label: "Outer", iterations: 0 });
  });

  it("L-20, L-32: the smaller remainder is the deadline: the outer timeout ends the outer loop", async () => {
    counting((call) => ({ takesMs: 700, stdout: plain(call) }) as never);
    const { failure } = await rig.view(await rig.runFlow(nested(limits("9", "1m"), limits("9", "1s"))));
    expect(failure).toMatchObject({ code: "loop_timeout", node: "outer" });
    expect(decides().map(({ deadlineMs }) => deadlineMs)).toEqual([1000, 300]);
  });
});
