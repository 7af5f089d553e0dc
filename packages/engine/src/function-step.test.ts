import type { Ir, IrNode } from "@agentflow/core";
import { afterEach, describe, expect, it } from "vitest";
import type { FunctionCall, FunctionOutcome } from "./ports/function.ts";
import { Rig, flow, loopPins, node, scriptLoop } from "./testing/index.ts";

let rig: Rig;
afterEach(() => rig.close());

/** A rig whose bundle has these functions, by file. */
function withFunctions(
  functions: Record<string, (call: FunctionCall) => unknown>,
  options: ConstructorParameters<typeof Rig>[1] = {},
): Rig {
  rig = new Rig(() => "from a command", options);
  for (const [file, run] of Object.entries(functions)) rig.runner.functions.set(file, run);
  return rig;
}

const FILES = new Map(
  ["one.mjs", "judge.mjs", "work.mjs"].map((path) => [path, { bytes: Buffer.from("x"), executable: false }]),
);
const run = async (ir: Ir) => {
  await rig.register(ir, "flow", FILES as never);
  const id = await rig.start();
  await rig.drain();
  return id;
};

const input = (name: string, type: string): IrNode => node("flow.input", { attributes: { name, type } });
const call = (file: string, given: Partial<IrNode> = {}): IrNode =>
  node("tool.function", { scriptRef: file, ...given });

/** A loop whose Condition and Body are one function each; `pins` are those of the Body's function. */
function functionLoop(pins: IrNode["pins"] = {}): Ir {
  return flow({
    nodes: {
      cState: input("state", "json"),
      cIteration: input("iteration", "text"),
      judge: call("judge.mjs"),
      bState: input("state", "json"),
      bIteration: input("iteration", "text"),
      bKey: input("idempotencyKey", "text"),
      work: call("work.mjs", { inputs: { state: "json", key: "text" }, pins }),
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

const counting = {
  "judge.mjs": ({ state }: FunctionCall) => (JSON.parse(state!).n < 2 ? "continue" : "done"),
  "work.mjs": ({ state }: FunctionCall) => ({ n: JSON.parse(state!).n + 1 }),
};

describe("functions as Condition and Body", () => {
  it("L-15, L-17: decide and work, told state, iteration and key of their loop", async () => {
    withFunctions(counting);
    const story = await rig.story(await run(functionLoop()));
    expect(story).toMatchObject({
      status: "succeeded",
      state: '{"n":2}',
      decisions: ["continue", "continue", "done"],
      outputs: [{ node: "after", value: '{"n":2}' }],
    });
    const calls = rig.runner.functionCalls.filter(({ file }) => file === "work.mjs");
    expect(calls).toMatchObject([
      { state: '{"n":0}', iteration: 1, maxIterations: 5, resume: null, context: null },
      { state: '{"n":1}', iteration: 2, maxIterations: 5 },
    ]);
    expect(calls.map(({ idempotencyKey }) => idempotencyKey)).toEqual(
      story.history.slice(0, 2).map(({ idempotencyKey }) => idempotencyKey),
    );
    expect(JSON.parse(calls[0]!.inputs)).toEqual({ state: { n: 0 }, key: calls[0]!.idempotencyKey });
  });

  it("L-46: the text of a result that is text stays as it is", async () => {
    withFunctions({ ...counting, "work.mjs": () => ' {"n": 2, "2":1.50, "1":0}' });
    expect(await rig.story(await run(functionLoop()))).toMatchObject({ state: '{"n":2,"2":1.50,"1":0}' });
  });

  it("L-45: a number that cannot be kept is refused, not rounded", async () => {
    withFunctions({ ...counting, "work.mjs": () => ({ n: 2 ** 60 }) });
    expect(await rig.story(await run(functionLoop()))).toMatchObject({
      status: "failed",
      code: "number_not_exact",
    });
  });

  it.each([
    ["", "body_state_missing"],
    ["no json", "state_invalid_json"],
  ])("L-17: a Body's result %j is %s", async (result, code) => {
    withFunctions({ ...counting, "work.mjs": () => result });
    expect(await rig.story(await run(functionLoop()))).toMatchObject({ status: "failed", code });
  });

  it("L-16: a Condition's result that is no decision is decision_invalid", async () => {
    withFunctions({ ...counting, "judge.mjs": () => ({ decision: "done" }) });
    expect(await rig.story(await run(functionLoop()))).toMatchObject({ code: "decision_invalid" });
  });
});

describe("the journal", () => {
  const crash: FunctionOutcome = {
    kind: "spawn_failed",
    cause: "no_resources",
    message: "no room",
    elapsedMs: 0,
  };

  it("S-11: a Body's function is called again when its iteration is, under the same key", async () => {
    let tries = 0;
    withFunctions({
      "judge.mjs": counting["judge.mjs"],
      "work.mjs": (given) => (++tries === 2 ? crash : counting["work.mjs"](given)),
    });
    const id = await run(functionLoop());
    await rig.settle();
    expect(await rig.story(id)).toMatchObject({ status: "succeeded", state: '{"n":2}' });
    const keys = rig.runner.functionCalls.filter(
      ({ file, iteration }) => file === "work.mjs" && iteration === 2,
    );
    expect(keys).toHaveLength(2);
    expect(new Set(keys.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  });

  it.each([
    [{}, 2],
    [{ effects: { json: "true" } }, 1],
    [{ effects: { json: "false" } }, 2],
  ])("S-11, F-25: pins %j: an iteration that is run again calls it %i times", async (pins, times) => {
    // The second node of the Body cannot be run at first, so that the iteration starts over.
    let tries = 0;
    const ir = functionLoop(pins as IrNode["pins"]);
    ir.nodes["last"] = call("one.mjs", { inputs: { given: "any" } });
    ir.subflows["advance"]!.members.push("last");
    ir.subflows["advance"]!.members.sort();
    ir.subflows["advance"]!.outputs["state"] = { node: "last", slot: "result" };
    ir.edges.unshift(
      { from: { node: "work", slot: "next" }, to: { node: "last", slot: "prev" } },
      { from: { node: "work", slot: "result" }, to: { node: "last", slot: "given" } },
    );
    ir.edges.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    withFunctions({
      ...counting,
      "one.mjs": ({ inputs }) => (++tries === 1 ? crash : JSON.parse(inputs).given),
    });
    const id = await run(ir);
    await rig.settle();
    expect(await rig.story(id)).toMatchObject({ status: "succeeded", state: '{"n":2}' });
    const first = rig.runner.functionCalls.filter(
      ({ file, iteration }) => file === "work.mjs" && iteration === 1,
    );
    expect(first).toHaveLength(times);
    expect(first.every(({ inputs }) => !inputs.includes("effects"))).toBe(true);
  });

  it("L-39: a function of the parent graph is called once, however many iterations come after it", async () => {
    const ir = scriptLoop();
    ir.nodes["before"] = call("one.mjs");
    ir.edges.unshift({ from: { node: "before", slot: "next" }, to: { node: "loop", slot: "prev" } });
    ir.run!.roots = ["before"];
    withFunctions({ "one.mjs": () => "once" });
    let left = 3;
    rig.close();
    rig = new Rig(() => (--left > 0 ? '{"decision":"continue"}' : '{"decision":"done"}'));
    rig.runner.functions.set("one.mjs", () => "once");
    expect(await rig.story(await run(ir))).toMatchObject({ status: "succeeded", iterations: 3 });
    expect(rig.runner.functionCalls).toHaveLength(1);
    expect(rig.runner.functionCalls[0]).toMatchObject({ state: null, iteration: null, idempotencyKey: null });
  });
});

describe("a warm script of a loop", () => {
  const warm = (): Ir => {
    const ir = scriptLoop();
    const loop = ir.nodes["loop"]!;
    ir.nodes["loop"] = {
      ...loop,
      script: null,
      scriptRef: "one.mjs",
      pins: { ...loop.pins, warm: { json: "true" } },
    };
    return ir;
  };

  it("L-22, L-27: answers with the object a command would print, or with its text", async () => {
    withFunctions({
      "one.mjs": ({ iteration }) =>
        [
          { decision: "continue", state: { n: 1 } },
          '{"decision":"continue","state":{"n":2.0}}',
          { decision: "done", summary: "ok" },
        ][iteration! - 1],
    });
    const story = await rig.story(await run(warm()));
    expect(story).toMatchObject({
      status: "succeeded",
      state: '{"n":2.0}',
      decisions: ["continue", "continue", "done"],
    });
    expect(rig.runner.calls).toEqual([]);
    expect(JSON.parse(rig.runner.functionCalls[0]!.inputs)).toEqual({
      state: { n: 0 },
      maxIterations: "5",
      timeout: "10s",
    });
  });

  it.each([
    ["done", "stdout_not_json_object"],
    [["done"], "stdout_not_json_object"],
    [{ decision: "done", more: 1 }, "stdout_unknown_field"],
    [{ decision: "Done" }, "decision_invalid"],
  ])("L-26, L-27: the result %j is %s", async (result, code) => {
    withFunctions({ "one.mjs": () => result });
    expect(await rig.story(await run(warm()))).toMatchObject({ status: "failed", code });
  });

  it("L-20, L-40: parks, and is told the payload of its resume once", async () => {
    withFunctions({
      "one.mjs": ({ iteration }) => ({
        decision: iteration === 1 ? "wait" : iteration === 2 ? "continue" : "done",
      }),
    });
    const id = await run(warm());
    expect(await rig.story(id)).toMatchObject({ status: "waiting" });
    await rig.resume(id, { payload: '{"yes":1.0}' });
    await rig.drain();
    expect(rig.runner.functionCalls.map(({ resume }) => resume)).toEqual([null, '{"yes":1.0}', null]);
  });
});

describe("a function that ends badly", () => {
  const ended = (given: object): FunctionOutcome =>
    ({ stderr: "the log\n", elapsedMs: 1, ...given }) as FunctionOutcome;

  it.each([
    [{ kind: "threw", message: "Error: no" }, "function_failed", "work.mjs threw Error: no"],
    [{ kind: "no_function", message: "gone" }, "function_failed", "could not be loaded: gone"],
    [{ kind: "not_json", message: "a bigint" }, "function_failed", "cannot be written as JSON"],
    [{ kind: "died", exitCode: 3, signal: null }, "exit_nonzero", "exited with code 3"],
    [{ kind: "died", exitCode: null, signal: "SIGKILL" }, "exit_nonzero", "was killed by SIGKILL"],
    [{ kind: "too_large", stream: "stdout", limitBytes: 1 }, "stdout_too_large", "returned more than"],
    [{ kind: "too_large", stream: "stderr", limitBytes: 1 }, "stderr_too_large", "logged more than"],
    [{ kind: "spawn_failed", cause: "other", message: "no" }, "spawn_failed", "could not be started"],
  ])("L-19, L-24, L-25: %j fails its iteration as %s", async (given, code, says) => {
    withFunctions({ ...counting, "work.mjs": () => ended(given) });
    const story = await rig.story(await run(functionLoop()));
    expect(story).toMatchObject({
      status: "failed",
      code,
      iterations: 0,
      failure: { node: "work", iteration: 1 },
    });
    expect(story.failure?.message).toContain(says);
  });

  it("L-29: the deadline ends the loop by its timeout", async () => {
    withFunctions({ ...counting, "work.mjs": () => ended({ kind: "timed_out" }) });
    expect(await rig.story(await run(functionLoop()))).toMatchObject({
      status: "failed",
      code: "loop_timeout",
    });
  });

  it("L-47: what it logged is kept as the log of its step", async () => {
    withFunctions({ ...counting, "work.mjs": () => ended({ kind: "threw", message: "Error: no" }) });
    const id = await run(functionLoop());
    const logs = await rig.store.reads.logs(id, { iteration: 1, limit: 10 });
    expect(JSON.stringify(logs)).toContain("the log");
  });
});

it("L-49, 2.7: a secret that a function returns, throws or logs is masked", async () => {
  const ir = flow({
    nodes: {
      token: node("provide.password", { pins: { value: { text: "TOKEN" } } }),
      say: call("one.mjs", { inputs: { token: "text" } }),
      shown: node("display.code"),
    },
    edges: ["token.value → say.token", "say.next → shown.prev", "say.result → shown.content"],
    roots: ["say"],
  });
  withFunctions(
    { "one.mjs": ({ inputs }) => `it is ${JSON.parse(inputs).token}` },
    { resources: { secret: () => "hush-hush" } },
  );
  expect((await rig.story(await run(ir))).outputs).toEqual([
    { node: "shown", value: "it is [secret TOKEN]" },
  ]);
});
