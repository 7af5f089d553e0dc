import { afterEach, describe, expect, it } from "vitest";
import type { Ir } from "@agentflow/core";
import { Rig, flow, loopPins, node, scriptLoop } from "./testing/index.ts";

let rig: Rig;
afterEach(() => rig.close());

/** Every command prints its own name. */
function echoing(special: Record<string, string> = {}): Rig {
  rig = new Rig(({ command }) => special[command] ?? command);
  return rig;
}
const commands = (): string[] => rig.runner.calls.map(({ command }) => command);
const eventTypes = (runId: string): string[] =>
  (rig.store.tables.events.get(runId) ?? []).map(({ type }) => type);
const tool = (script: string) => node("tool.nodejs", { script });

/** `if` on an input, one command per branch, one after it. */
function branching(): Ir {
  return flow({
    nodes: {
      yes: node("provide.bool", { pins: { value: { json: "true" } } }),
      choose: node("control.if"),
      a: tool("a"),
      b: tool("b"),
      after: tool("after"),
    },
    edges: [
      "yes.value → choose.prediction",
      "choose.then → a.prev",
      "choose.else → b.prev",
      "choose.next → after.prev",
    ],
    roots: ["choose"],
  });
}

describe("the parent graph", () => {
  it.each([
    ["true", ["a", "after"]],
    ["false", ["b", "after"]],
  ])(
    "F-9, 2.7: with %s one branch runs, the other is skipped, and what follows runs after it",
    async (value, expected) => {
      echoing();
      const runId = await rig.runFlow(branching(), { yes: value });
      expect(await rig.story(runId)).toMatchObject({ status: "succeeded" });
      expect(commands()).toEqual(expected);
    },
  );

  it("F-14: two calls of one subflow never see each other's values", async () => {
    rig = new Rig((call) => JSON.parse(call.files["AGENTFLOW_INPUTS_JSON"]?.text ?? "{}").what ?? "");
    const ir = flow({
      nodes: {
        in: node("flow.input", { attributes: { name: "what", type: "text" } }),
        echo: node("tool.nodejs", { script: "echo", inputs: { what: "text" } }),
        one: node("flow.call", { attributes: { subflow: "say" }, pins: { what: { text: "first" } } }),
        two: node("flow.call", { attributes: { subflow: "say" }, pins: { what: { text: "second" } } }),
        showOne: node("display.code"),
        showTwo: node("display.code"),
      },
      edges: [
        "in.value → echo.what",
        "one.next → two.prev",
        "two.next → showOne.prev",
        "showOne.next → showTwo.prev",
        "one.said → showOne.content",
        "two.said → showTwo.content",
      ],
      subflows: {
        say: {
          label: "",
          inputs: { what: "in" },
          outputs: { said: { node: "echo", slot: "result" } },
          roots: ["echo"],
          members: ["echo", "in"],
        },
      },
      roots: ["one"],
    });
    const { outputs } = await rig.story(await rig.runFlow(ir));
    expect(outputs).toEqual([
      { node: "showOne", value: "first" },
      { node: "showTwo", value: "second" },
    ]);
  });

  it("S-11, P-22: a node with effects before a loop runs once, however many iterations and resumes follow", async () => {
    const answers = ['{"decision":"continue"}', '{"decision":"wait"}', '{"decision":"done"}'];
    rig = new Rig(({ command }) => (command === "before" ? "once" : (answers.shift() ?? "")));
    const ir = flow({
      nodes: {
        before: tool("before"),
        loop: node("control.while", { script: "decide", pins: loopPins({}) }),
      },
      edges: ["before.next → loop.prev"],
      roots: ["before"],
    });
    const runId = await rig.runFlow(ir);
    await rig.resume(runId);
    await rig.drain();
    expect(await rig.story(runId)).toMatchObject({
      status: "succeeded",
      decisions: ["continue", "wait", "done"],
    });
    expect(commands()).toEqual(["before", "decide", "decide", "decide"]);
  });

  it("L-52: an error outside a loop fails the run and names its node", async () => {
    rig = new Rig(() => ({ exitCode: 7 }));
    const runId = await rig.runFlow(flow({ nodes: { only: tool("x") }, roots: ["only"] }));
    expect((await rig.view(runId)).failure).toMatchObject({
      code: "exit_nonzero",
      node: "only",
      iteration: null,
    });
  });

  it("L-4: of two loops in a row the second begins with what the first left", async () => {
    const answers = ['{"decision":"done","state":{"from":"one"}}', '{"decision":"done"}'];
    rig = new Rig(() => answers.shift() ?? "");
    const second = loopPins({});
    delete second["state"];
    const ir = flow({
      nodes: {
        one: node("control.while", { script: "one", pins: loopPins({}) }),
        two: node("control.while", { script: "two", pins: second }),
        shown: node("display.code"),
      },
      edges: [
        "one.next → two.prev",
        "one.state → two.state",
        "two.next → shown.prev",
        "two.result → shown.content",
      ],
      roots: ["one"],
    });
    const view = await rig.view(await rig.runFlow(ir));
    expect(view.loops.map(({ path, status }) => [path, status])).toEqual([
      ['["one"]', "done"],
      ['["two"]', "done"],
    ]);
    expect(JSON.parse(view.outputs[0]?.value ?? "")).toMatchObject({
      decision: "done",
      iterations: 1,
      state: { from: "one" },
      history: [{ iteration: 1 }],
    });
  });

  it("L-50: events come in order, without gaps, a done event only for iterations that completed", async () => {
    const answers: (string | { exitCode: number })[] = ['{"decision":"continue"}', { exitCode: 1 }];
    rig = new Rig(() => answers.shift() ?? "");
    const runId = await rig.runFlow(scriptLoop());
    expect(eventTypes(runId)).toEqual([
      "run-started",
      "while-iteration-start",
      "while-iteration-done",
      "while-iteration-start",
      "run-failed",
    ]);
    expect((rig.store.tables.events.get(runId) ?? []).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  });

  it("F-22: constants and own slots are rendered for the shell, and data never becomes code", async () => {
    echoing();
    const ir = flow({
      nodes: {
        only: node("tool.nodejs", {
          script: "cat ${what} ${flowDir}/x",
          inputs: { what: "text" },
          pins: { what: { text: "a'b; rm -rf /" } },
        }),
      },
      roots: ["only"],
    });
    await rig.runFlow(ir);
    expect(commands()[0]).toMatch(/^cat 'a'\\''b; rm -rf \/' '?\/bundles\/[0-9a-f]+'?\/x$/);
  });
});

describe("a value that is too long for a program", () => {
  it.each([
    ["x".repeat(131_072), /longer is `what` \(131072 bytes\)/],
    ["é".repeat(65_536), /longer is `what` \(131072 bytes\)/],
    ["x".repeat(131_071), /^The command could not be started: E2BIG\.$/],
  ])("F-22, P-33: the step error names the slot (%#)", async (value, says) => {
    const outcome = {
      kind: "spawn_failed",
      cause: "argument_too_long",
      message: "E2BIG.",
      elapsedMs: 1,
    } as const;
    rig = new Rig(() => ({ outcome }));
    const given = { inputs: { what: "text" }, pins: { what: { text: value } } } as const;
    const only = node("tool.nodejs", { script: "cat ${what}", ...given });
    const story = await rig.story(await rig.runFlow(flow({ nodes: { only }, roots: ["only"] })));
    expect(story).toMatchObject({ status: "failed", code: "spawn_failed", failure: { node: "only" } });
    expect(story.failure?.message).toMatch(says);
  });
});

describe("cancel", () => {
  it("P-28, P-30, AC-87: before, between and during iterations; nothing runs afterwards", async () => {
    rig = new Rig(() => '{"decision":"continue"}');
    await rig.register(scriptLoop());
    const early = await rig.start();
    expect(await rig.cancel(early)).toEqual({ kind: "cancelled", executing: false });
    await rig.drain();
    expect(rig.runner.calls).toHaveLength(0);

    rig.close();
    rig = new Rig(async () => {
      await rig.cancel(runId);
      return '{"decision":"continue","state":{"n":99}}';
    });
    await rig.register(scriptLoop());
    const runId = await rig.start();
    await rig.settle();
    expect(await rig.story(runId)).toMatchObject({ status: "cancelled", state: '{"n":0}', decisions: [] });
    expect(rig.runner.calls).toHaveLength(1);
    expect(rig.outcomes.at(0)).toBe("stale");
    expect(rig.runner.openPlaces).toBe(0);
  });

  it("P-28, L-51: during the back-off of an attempt that found no resources; the delayed job wakes nothing", async () => {
    const outcome = { kind: "spawn_failed", cause: "no_resources", message: "EAGAIN", elapsedMs: 1 } as const;
    rig = new Rig(() => ({ outcome }));
    await rig.register(scriptLoop());
    const runId = await rig.start();
    await rig.drain();
    expect(rig.outcomes).toEqual(["handed_back"]);
    expect(await rig.cancel(runId)).toEqual({ kind: "cancelled", executing: false });
    await rig.settle();
    expect(await rig.story(runId)).toMatchObject({ status: "cancelled", decisions: [], state: '{"n":0}' });
    expect(rig.runner.calls).toHaveLength(1);
  });

  it("P-27, L-33: a parked run is cancelled at once; resume is refused, a second cancel changes nothing", async () => {
    rig = new Rig(() => '{"decision":"wait"}');
    const runId = await rig.runFlow(scriptLoop());
    expect(await rig.cancel(runId)).toEqual({ kind: "cancelled", executing: false });
    expect(await rig.resume(runId)).toMatchObject({ kind: "not_waiting", status: "cancelled" });
    expect(await rig.cancel(runId)).toEqual({ kind: "already_cancelled" });
    expect(await rig.story(runId)).toMatchObject({ decisions: ["wait"], state: '{"n":0}' });
  });
});
