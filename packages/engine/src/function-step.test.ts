import type { Ir, IrNode } from "@agentflow/core";
import { afterEach, describe, expect, it } from "vitest";
import type { FunctionOutcome } from "./ports/function.ts";
import {
  counting,
  functionLoop,
  functionNode as call,
  functionRig,
  runWithFiles,
} from "./testing/function-flow.ts";
import { Rig, scriptLoop } from "./testing/index.ts";

let rig: Rig;
afterEach(() => rig.close());
const withFunctions = (...given: Parameters<typeof functionRig>): Rig => (rig = functionRig(...given));
const run = (ir: Ir): Promise<string> => runWithFiles(rig, ir);

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
