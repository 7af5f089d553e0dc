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

/** Loops `l0` to `l<depth-1>`, each standing in the Body of the one before; every Condition runs `judge`, the innermost is a script. */
function deep(depth: number): Ir {
  const nodes: Ir["nodes"] = {};
  const subflows: Ir["subflows"] = {};
  const edges: string[] = [];
  for (let level = 0; level < depth; level += 1) {
    const innermost = level === depth - 1;
    const attributes = innermost ? {} : { condition: `c${level}`, body: `b${level}` };
    const script = innermost ? "decide" : null;
    nodes[`l${level}`] = node("control.while", { script, attributes, pins: limits("9") });
    if (innermost) continue;
    const input = (name: string, type: string) => node("flow.input", { attributes: { name, type } });
    Object.assign(nodes, {
      [`cs${level}`]: input("state", "json"),
      [`ci${level}`]: input("iteration", "text"),
      [`judge${level}`]: node("tool.nodejs", { script: "judge", inputs: { iteration: "text" } }),
      [`bs${level}`]: input("state", "json"),
      [`bi${level}`]: input("iteration", "text"),
      [`bk${level}`]: input("idempotencyKey", "text"),
    });
    edges.push(`ci${level}.value → judge${level}.iteration`, `bs${level}.value → l${level + 1}.state`);
    subflows[`c${level}`] = {
      label: "",
      inputs: { state: `cs${level}`, iteration: `ci${level}` },
      outputs: { decision: { node: `judge${level}`, slot: "result" } },
      roots: [`judge${level}`],
      members: [`ci${level}`, `cs${level}`, `judge${level}`],
    };
    subflows[`b${level}`] = {
      label: "",
      inputs: { state: `bs${level}`, iteration: `bi${level}`, idempotencyKey: `bk${level}` },
      outputs: { state: { node: `l${level + 1}`, slot: "state" } },
      roots: [`l${level + 1}`],
      members: [`bi${level}`, `bk${level}`, `bs${level}`, `l${level + 1}`],
    };
  }
  nodes["l0"]!.pins = { ...limits("9"), state: text('{"n":0}') };
  return flow({ nodes, edges, subflows, roots: ["l0"] });
}

describe("five loops inside each other", () => {
  it("L-20, D44, S-11: run, and after a crash in the innermost nothing that was stored runs again", async () => {
    let crashed = false;
    rig = new Rig((call) => {
      if (call.command === "judge") {
        const { iteration } = JSON.parse(call.files["AGENTFLOW_INPUTS_JSON"]?.text ?? "{}") as {
          iteration: string;
        };
        return Number(iteration) > 2 ? "done" : "continue";
      }
      const n = stateOf(call).n + 1;
      if (n === 11 && !crashed) {
        crashed = true;
        throw new Error("the worker dies here");
      }
      return `{"decision":"done","state":{"n":${n}}}`;
    });
    await rig.register(deep(5));
    const runId = await rig.start();
    await expect(rig.drain()).rejects.toThrow("the worker dies here");
    await rig.settle();
    expect((await rig.view(runId)).status).toBe("succeeded");
    expect(await rig.store.reads.state(runId, '["l0"]')).toEqual({ text: '{"n":16}' });
    // 2 rounds on each of four levels; the innermost step that died ran once more, every other step once.
    expect(decides()).toHaveLength(17);
    expect(rig.runner.calls.filter(({ command }) => command === "judge")).toHaveLength(3 + 6 + 12 + 24);
  });

  it("D44: six are refused", async () => {
    rig = new Rig(() => "");
    await expect(rig.register(deep(6))).rejects.toThrow(/D44/);
  });
});
