import { defineNode, builtInNodes, createRegistry } from "@agentflow/core";
import type { Ir, IrNode } from "@agentflow/core";
import { expect, test } from "vitest";
import { flow, node } from "../testing/flows.ts";
import { Rig } from "../testing/rig.ts";
import { ScriptedAgents, ScriptedCatalogue } from "../testing/scripted-agents.ts";
import type { CommandScript } from "../testing/scripted-runner.ts";

type Given = {
  readonly state?: unknown;
  readonly expression?: string;
  readonly pins?: Readonly<Record<string, unknown>>;
};

const json = (value: unknown) => ({ json: JSON.stringify(value) });
const input = (name: string, type: string): IrNode => node("flow.input", { attributes: { name, type } });

/** A loop `loop` of an expression and an operation; the subflow `bump` runs the command `bump` and parses what it prints. */
function operationLoop(
  operation: object,
  { state = { n: 0 }, expression = "state.n < 3", pins = {} }: Given = {},
): Ir {
  const given = Object.entries({ maxIterations: 10, timeout: "1m", state, ...pins });
  return flow({
    nodes: {
      n: input("n", "json"),
      key: input("idempotencyKey", "text"),
      bump: node("tool.nodejs", { script: "bump ${key}", inputs: { n: "json", key: "text" } }),
      parse: node("control.parseJson"),
      loop: node("control.while", {
        pins: Object.fromEntries(given.map(([slot, value]) => [slot, json(value)])),
        attributes: { expression, operation: JSON.stringify(operation) },
      }),
      after: node("display.code"),
    },
    edges: [
      "n.value → bump.n",
      "key.value → bump.key",
      "bump.next → parse.prev",
      "bump.result → parse.value",
      "loop.next → after.prev",
      "loop.state → after.content",
    ],
    subflows: {
      work: {
        label: "Work",
        inputs: { n: "n", idempotencyKey: "key" },
        outputs: { answer: { node: "parse", slot: "result" }, said: { node: "bump", slot: "result" } },
        roots: ["bump"],
        members: ["bump", "key", "n", "parse"],
      },
    },
    roots: ["loop"],
  });
}

/** Prints `{"n": n + 1}` of the input `n`. */
const bump: CommandScript = ({ files }) => {
  const { n } = JSON.parse(files["AGENTFLOW_INPUTS_JSON"]?.text ?? "{}") as { n: number };
  return JSON.stringify({ n: n + 1 });
};

const action = { action: "work", params: { n: "state.n" } };

async function run(ir: Ir, script: CommandScript = bump, options: ConstructorParameters<typeof Rig>[1] = {}) {
  const rig = new Rig(script, options);
  const runId = await rig.runFlow(ir);
  await rig.settle();
  const story = await rig.story(runId);
  rig.close();
  return { rig, story };
}

test("OP-1, L-12: the operation runs while the expression is true, and the evaluation that says done is an iteration", async () => {
  const { story } = await run(operationLoop(action, { pins: { outputMapping: { "answer.n": "n" } } }));
  expect(story).toMatchObject({
    status: "succeeded",
    state: '{"n":3}',
    decisions: ["continue", "continue", "continue", "done"],
    outputs: [{ node: "after", value: '{"n":3}' }],
  });
});

test("OP-1: an expression that is false at once never runs the operation", async () => {
  const { rig, story } = await run(operationLoop(action, { expression: "state.n > 3" }));
  expect(story).toMatchObject({ status: "succeeded", decisions: ["done"], state: '{"n":0}' });
  expect(rig.runner.calls).toEqual([]);
});

test("OP-1: what cannot be evaluated fails the run, naming expression and reason, also where errors are tolerated", async () => {
  const { story } = await run(
    operationLoop(action, { expression: "state.deep.n < 3", pins: { continueOnError: true } }),
  );
  expect(story).toMatchObject({ status: "failed", code: "condition_unevaluable", decisions: [] });
  expect(story.failure?.message).toContain("state.deep.n < 3");
  expect(story.failure?.message).toContain("state.deep is undefined");
});

test("OP-2, L-14: a subflow gets its parameters and the iteration's key, the same for every attempt of one", async () => {
  const { rig } = await run(operationLoop(action, { pins: { outputMapping: { "answer.n": "n" } } }));
  const keys = rig.runner.calls.map(({ command }) => command.replace("bump ", "").replaceAll("'", ""));
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(3);
  for (const key of keys) expect(key).toMatch(/^afw_[0-9a-f]{32}$/);
});

test("OP-4: without a mapping an object replaces the fields of the same name, any other result is only `last`", async () => {
  const merged = await run(
    operationLoop(action, { expression: "iteration < 2", state: { n: 5, keep: true } }),
  );
  expect(merged.story.state).toBe('{"n":5,"keep":true,"answer":{"n":6},"said":"{\\"n\\":6}"}');
  const text = await run(
    operationLoop(
      { action: "tool.nodejs", params: { script: "say", n: "iteration" } },
      { expression: "last !== 'four'" },
    ),
    ({ number }) => ["one", "two", "three", "four"][number - 1] ?? "five",
  );
  expect(text.story).toMatchObject({ status: "succeeded", state: '{"n":0}', iterations: 5 });
});

test("OP-4: paths are dotted, [] appends, and a source that is missing is a warning on its iteration", async () => {
  const outputMapping = { "answer.n": "deep.n", said: "log[]", "answer.gone": "gone" };
  const { story } = await run(
    operationLoop(action, { expression: "index < 2", state: { n: 1, log: [] }, pins: { outputMapping } }),
  );
  expect(story.state).toBe('{"n":1,"log":["{\\"n\\":2}","{\\"n\\":2}"],"deep":{"n":2}}');
});

test("OP-4, O-2: appending to what is no list errors the iteration, and the loop may tolerate that", async () => {
  const mapping = { outputMapping: { said: "n[]" } };
  const strict = await run(operationLoop(action, { pins: mapping }));
  expect(strict.story).toMatchObject({ status: "failed", code: "node_failed", state: '{"n":0}' });
  const tolerant = await run(
    operationLoop(action, { expression: "iteration < 3", pins: { ...mapping, continueOnError: true } }),
  );
  expect(tolerant.story).toMatchObject({
    status: "succeeded",
    state: '{"n":0}',
    decisions: ["continue", "continue", "done"],
  });
});

test("OP-2, F-22: a command as an action is taken as it is written, its inputs are resolved and quoted", async () => {
  const params = { script: "echo ${name} {{state.n}}", name: "{{state.who + '; rm'}}" };
  const { rig } = await run(
    operationLoop(
      { action: "tool.nodejs", params },
      { state: { n: 7, who: "it's" }, expression: "index < 1" },
    ),
    () => "null",
  );
  expect(rig.runner.calls.map(({ command }) => command)).toEqual([`echo 'it'\\''s; rm' {{state.n}}`]);
});

test("OP-2: a registered node type runs with typed inputs, and its one output is the result", async () => {
  const double = defineNode({
    type: "test.double",
    inputs: { n: { type: "json" } },
    outputs: { twice: { type: "json" } },
    card: { title: "Double", icon: "x", tone: "slate" },
    run: ({ inputs }) => ({
      kind: "outputs",
      outputs: new Map([["twice", String(2 * Number(inputs.get("n")))]]),
    }),
  });
  const { story } = await run(
    operationLoop(
      { action: "test.double", params: { n: "state.n" } },
      { state: { n: 1 }, expression: "state.n < 10", pins: { outputMapping: { "*": "n" } } },
    ),
    bump,
    { registry: createRegistry([...builtInNodes, double]) },
  );
  expect(story).toMatchObject({ status: "succeeded", state: '{"n":16}', iterations: 5 });
});

test("OP-2: a prompt of the bundle is one model call, its JSON answer is parsed", async () => {
  const agents = new ScriptedAgents(({ prompt }) =>
    JSON.stringify({ n: Number(/\d+/.exec(prompt)?.[0]) + 1 }),
  );
  const ir = operationLoop({ prompt: "next", templateParameters: { n: "state.n" } });
  const rig = new Rig(bump, { resources: { agents } });
  rig.runner.files.set("prompts/next.md", "After ${n} comes?");
  await rig.register(
    ir,
    "flow",
    new Map([["prompts/next.md", { bytes: Buffer.from("After ${n} comes?"), executable: false }]]),
  );
  const runId = await rig.start();
  await rig.settle();
  expect(await rig.story(runId)).toMatchObject({ status: "succeeded", state: '{"n":3}' });
  expect(agents.asked.map(({ prompt }) => prompt)).toEqual([
    "After 0 comes?",
    "After 1 comes?",
    "After 2 comes?",
  ]);
  expect((await rig.view(runId)).usage).toEqual({ inputTokens: 30, outputTokens: 3 });
  rig.close();
});

test("OP-2: a sub-agent gets its message verbatim and the catalogue's entries, and data is never read as a placeholder", async () => {
  const agents = new ScriptedAgents(() => "done");
  const catalogue = new ScriptedCatalogue("text of");
  const operation = { subAgent: "skill-critic", message: "Judge {{state.text}}", context: ["house-rules"] };
  const { story } = await run(
    operationLoop(operation, { state: { text: "${flowDir} {{1}}" }, expression: "last !== 'done'" }),
    bump,
    { resources: { agents, catalogue, secretKey: new Uint8Array(32) } },
  );
  expect(story).toMatchObject({ status: "succeeded", iterations: 2 });
  expect(agents.asked).toMatchObject([
    {
      prompt: "Judge ${flowDir} {{1}}",
      content: { skills: [{ id: "skill-critic" }], knowledge: [{ id: "house-rules" }] },
    },
  ]);
});

test("OP-2: an entry the catalogue lacks fails the run", async () => {
  const catalogue = new ScriptedCatalogue("x");
  catalogue.refuse = "The operator's catalogue has no entry critic.";
  const { story } = await run(operationLoop({ subAgent: "critic", message: "m" }), bump, {
    resources: { agents: new ScriptedAgents(() => "x"), catalogue, secretKey: new Uint8Array(32) },
  });
  expect(story).toMatchObject({ status: "failed", code: "config_invalid" });
  expect(story.failure?.message).toContain("no entry critic");
});

test("OP-3, O-4: without a limit it stops well after 100 iterations, and 0 means none", async () => {
  const endless = operationLoop(
    { action: "provide.json", params: { value: { n: "{{state.n + 1}}" } } },
    { expression: "true" },
  );
  delete endless.nodes["loop"]?.pins["maxIterations"];
  const { story } = await run(endless);
  expect(story).toMatchObject({ status: "succeeded", state: '{"n":100}', iterations: 100 });
  const none = await run(operationLoop(action, { pins: { maxIterations: 0 } }));
  expect(none.story).toMatchObject({ status: "succeeded", state: '{"n":0}', decisions: [] });
});

test("O-5, OP-5, OP-6: expressions see the attempt, the input, payload and results", async () => {
  const params = {
    value: [
      "{{attempt.attemptNumber}}",
      "{{attempt.totalAttempts}}",
      "index is {{index}}",
      "input.who",
      "{{payload.n + results.length}}",
    ],
  };
  const { story } = await run(
    operationLoop(
      { action: "provide.json", params },
      {
        expression: "index < 2",
        pins: { input: { who: "Ada" }, outputMapping: { "*": "seen[]" } },
        state: { n: 10, seen: [] },
      },
    ),
  );
  expect(story.state).toBe('{"n":10,"seen":[[1,0,"index is 0","Ada",10],[2,1,"index is 1","Ada",11]]}');
});
