import { afterEach, describe, expect, it } from "vitest";
import type { Ir, LiteralPin } from "@agentflow/core";
import { advance } from "./advance.ts";
import type { Clock } from "./ports/runtime.ts";
import { Rig, flow, node } from "./testing/index.ts";
import type { CommandScript } from "./testing/index.ts";

let rig: Rig;
afterEach(() => rig.close());

const say = (decision: string, n: number): string => `{"decision":"${decision}","state":{"n":${n}}}`;
const texts = (given: Readonly<Record<string, string>>): Record<string, LiteralPin> =>
  Object.fromEntries(Object.entries(given).map(([slot, text]) => [slot, { text }]));

/** An outer loop of two rounds whose Body is the script loop `inner` (command `decide`) with these pins. */
function nested(inner: Readonly<Record<string, string>>, outer: Readonly<Record<string, string>> = {}): Ir {
  const limits = { maxIterations: "9", timeout: "1m" };
  const input = (name: string, type: string) => node("flow.input", { attributes: { name, type } });
  return flow({
    nodes: {
      cState: input("state", "json"),
      cIteration: input("iteration", "text"),
      judge: node("tool.nodejs", { script: "judge", inputs: { state: "json" } }),
      bState: input("state", "json"),
      bIteration: input("iteration", "text"),
      bKey: input("idempotencyKey", "text"),
      inner: node("control.while", { script: "decide", pins: texts({ ...limits, ...inner }) }),
      outer: node("control.while", {
        attributes: { condition: "goOn", body: "advance" },
        pins: texts({ state: '{"n":0}', ...limits, ...outer }),
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

/** The Condition says done in its second round; commands `decide` answer by their number among themselves. */
function deciding(decide: (nth: number) => ReturnType<CommandScript>): CommandScript {
  let judged = 0;
  let decided = 0;
  return ({ command }) => {
    if (command === "judge") return ++judged === 1 ? "continue" : "done";
    return decide(++decided);
  };
}

describe("options of a loop inside an iteration", () => {
  it("O-1, L-20: its pauses happen inside the job, and count as active time of both loops", async () => {
    rig = new Rig(deciding((nth) => say(nth < 3 ? "continue" : "done", nth)));
    const runId = await rig.runFlow(nested({ delayMs: "1000", backoffFactor: "2" }));
    expect(rig.clock.monotonicMs()).toBe(3000);
    const { loops, status } = await rig.view(runId);
    expect(status).toBe("succeeded");
    expect(loops.map(({ elapsedMs }) => elapsedMs)).toEqual([3000, 3000]);
  });

  it("O-1, L-20: the timeout of the loop around it cuts a pause, and is the one that is told", async () => {
    rig = new Rig(deciding((nth) => say("continue", nth)));
    const runId = await rig.runFlow(nested({ delayMs: "5000" }, { timeout: "2s" }));
    expect(rig.clock.monotonicMs()).toBe(2000);
    const { failure } = await rig.view(runId);
    expect(failure).toMatchObject({ code: "loop_timeout", node: "outer", details: { timeoutMs: 2000 } });
  });

  it("O-1: with less of its own time left than the pause it fails at its deadline", async () => {
    rig = new Rig(deciding((nth) => say("continue", nth)));
    const runId = await rig.runFlow(nested({ delayMs: "5000", timeout: "2s" }));
    expect(rig.clock.monotonicMs()).toBe(2000);
    expect((await rig.view(runId)).failure).toMatchObject({ code: "loop_timeout", node: "inner" });
  });

  it("O-1, S-27: a shutdown cuts a pause, and the run goes on with the next inner iteration", async () => {
    rig = new Rig(deciding((nth) => say(nth < 2 ? "continue" : "done", nth)));
    await rig.register(nested({ delayMs: "30000" }, { timeout: "10m" }));
    const runId = await rig.start();
    const [wake] = rig.queue.wakes;
    const clock: Clock = {
      monotonicMs: () => rig.clock.monotonicMs(),
      pause: async () => rig.leases.shutdown(0),
    };
    expect(await advance({ ...rig.advanceDeps, clock }, wake!)).toBe("handed_back");
    expect(rig.clock.monotonicMs()).toBe(0);
    await rig.settle();
    expect(await rig.view(runId)).toMatchObject({ status: "succeeded" });
    const decides = rig.runner.calls.filter(({ command }) => command === "decide");
    expect(decides.map(({ env }) => env["AGENTFLOW_WHILE_ITERATION"])).toEqual(["1", "2"]);
  });

  it("O-2, O-3: its errors are tried again under the same key, then tolerated", async () => {
    rig = new Rig(deciding((nth) => (nth < 4 ? { exitCode: 1, takesMs: 10 } : say("done", nth))));
    const options = { retries: '{"max":1,"delayMs":100}', continueOnError: "true" };
    const runId = await rig.runFlow(nested(options));
    const { loops, status } = await rig.view(runId);
    expect(status).toBe("succeeded");
    const inner = loops.at(-1)!;
    expect(inner.recent.map(({ iteration, error }) => [iteration, error?.code ?? null])).toEqual([
      [1, "exit_nonzero"],
      [2, null],
    ]);
    expect(inner.recent.map(({ elapsedMs }) => elapsedMs)).toEqual([20, 10]);
    expect(inner.elapsedMs).toBe(230);
    const keys = rig.runner.calls
      .filter(({ command }) => command === "decide")
      .map(({ env }) => env["AGENTFLOW_WHILE_IDEMPOTENCY_KEY"]);
    expect([keys[0] === keys[1], keys[1] === keys[2], keys[2] === keys[3]]).toEqual([true, false, true]);
  });

  it("O-2: a Body that fails in a loop of its own is an error the loop around it may tolerate", async () => {
    rig = new Rig(deciding(() => ({ exitCode: 1 })));
    const runId = await rig.runFlow(nested({}, { continueOnError: "true" }));
    expect(await rig.view(runId)).toMatchObject({ status: "succeeded" });
    const { loops } = await rig.view(runId);
    expect(loops[0]?.recent[0]).toMatchObject({
      iteration: 1,
      error: { code: "exit_nonzero", node: "inner" },
    });
  });

  it("O-2, L-20: a wait inside an iteration breaks the contract and is never tolerated", async () => {
    rig = new Rig(deciding((nth) => say("wait", nth)));
    const runId = await rig.runFlow(nested({}, { continueOnError: "true" }));
    expect(await rig.view(runId)).toMatchObject({ failure: { code: "nested_wait_unsupported" } });
  });

  it("O-6: its errors may leave the subflow as an output", async () => {
    rig = new Rig(deciding((nth) => (nth === 1 ? { exitCode: 1 } : say("done", nth))));
    const ir = nested({ continueOnError: "true" });
    ir.subflows["advance"]!.outputs["state"] = { node: "inner", slot: "errors" };
    const runId = await rig.runFlow(ir);
    const state = await rig.store.reads.state(runId, '["outer"]');
    expect(JSON.parse(typeof state === "string" ? "[]" : state.text)).toMatchObject([
      { iteration: 1, code: "exit_nonzero" },
    ]);
  });

  it("O-4: a stop at its limit gives its last state to the Body", async () => {
    rig = new Rig(deciding((nth) => say("continue", nth)));
    const runId = await rig.runFlow(nested({ maxIterations: "2", onExhausted: "stop" }));
    expect(await rig.view(runId)).toMatchObject({ status: "succeeded" });
    expect(await rig.store.reads.state(runId, '["outer"]')).toEqual({ text: '{"n":2}' });
  });
});
