import type { Ir } from "@agentflow/core";
import { afterEach, describe, expect, it } from "vitest";
import type { FunctionOutcome } from "./ports/function.ts";
import {
  counting,
  functionLoop,
  functionNode as call,
  functionRig,
  runWithFiles,
} from "./testing/function-flow.ts";
import { flow, node, scriptLoop } from "./testing/index.ts";
import type { Rig } from "./testing/index.ts";

let rig: Rig;
afterEach(() => rig.close());
const withFunctions = (...given: Parameters<typeof functionRig>): Rig => (rig = functionRig(...given));
const run = (ir: Ir): Promise<string> => runWithFiles(rig, ir);

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
