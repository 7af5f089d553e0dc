import type { IrNode } from "@agentflow/core";
import { afterEach, describe, expect, test } from "vitest";
import type { AgentOutcome } from "./ports/agent.ts";
import type { AgentRequest } from "./ports/agent.ts";
import { Rig, ScriptedAgents, flow, node, subflowLoop } from "./testing/index.ts";

const rigs: Rig[] = [];
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.close();
});

type Script = (request: AgentRequest, number: number) => string | AgentOutcome;

function withAgents(script: Script) {
  const agents = new ScriptedAgents(script);
  const rig = new Rig(() => "", { resources: { agents } });
  rigs.push(rig);
  return { rig, agents };
}

/** A text, an agent that reads it as `topic`, and displays of the agent's outputs. */
function oneAgent(given: Partial<IrNode>, topic = "cheese", shown: readonly string[] = ["result"]) {
  const displays = shown.map((slot) => [`show_${slot}`, node("display.markdown")] as const);
  return flow({
    nodes: {
      topic: node("provide.text", { pins: { value: { text: topic } } }),
      ask: node("agent.subAgent", { body: "Write about ${topic}.", inputs: { topic: "text" }, ...given }),
      ...Object.fromEntries(displays),
    },
    edges: [
      "topic.value → ask.topic",
      ...shown.flatMap((slot, index) => [
        `${index === 0 ? "ask" : `show_${shown[index - 1]}`}.next → show_${slot}.prev`,
        `ask.${slot} → show_${slot}.content`,
      ]),
    ],
    roots: ["ask"],
  });
}

describe("agent.subAgent", () => {
  test("F-22, F-26: inputs stand verbatim in the prompt, the trimmed answer is the result", async () => {
    const { rig, agents } = withAgents(() => "  an answer\n");
    const topic = "$(rm -rf /) `x` ${flowDir} '\"";
    const story = await rig.story(await rig.runFlow(oneAgent({}, topic)));
    expect(agents.asked.map(({ prompt }) => prompt)).toEqual([`Write about ${topic}.`]);
    expect(story).toMatchObject({
      status: "succeeded",
      outputs: [{ node: "show_result", value: "an answer" }],
    });
    expect(rig.runner.openPlaces).toBe(0);
  });

  test("2.9: an input the prompt does not name is handed over after it; a blank one is not", async () => {
    const { rig, agents } = withAgents(() => "ok");
    const ir = oneAgent({ body: "Look.", inputs: { topic: "text", none: "text" } });
    await rig.runFlow(ir);
    expect(agents.asked[0]?.prompt).toBe('Look.\n\n<input name="topic">\ncheese\n</input>');
  });

  test("F-27: upstream text alone is enough of a prompt; neither is an error", async () => {
    const { rig, agents } = withAgents(() => "ok");
    const runId = await rig.runFlow(oneAgent({ body: null }));
    expect(await rig.story(runId)).toMatchObject({ status: "succeeded" });
    expect(agents.asked[0]?.prompt).toContain("cheese");
    const blank = await rig.story(await rig.runFlow(oneAgent({ body: null }, " ")));
    expect(blank).toMatchObject({ status: "failed", code: "node_failed", failure: { node: "ask" } });
    expect(agents.asked).toHaveLength(1);
  });

  test("F-27: a placeholder without a value is placeholder_blank, and no model is asked", async () => {
    const { rig, agents } = withAgents(() => "ok");
    const story = await rig.story(await rig.runFlow(oneAgent({}, "")));
    expect(story).toMatchObject({ status: "failed", code: "placeholder_blank", failure: { node: "ask" } });
    expect(story.failure?.message).toContain("topic");
    expect(agents.asked).toEqual([]);
  });

  test("F-6: a prompt out of a file is read from the bundle; `${USER_PROMPT}` in it is the node's own prompt", async () => {
    const { rig, agents } = withAgents(() => "ok");
    rig.runner.files.set("prompts/frame.md", "Be kind. ${USER_PROMPT} In ${flowDir}, on ${topic}.");
    const ir = oneAgent({
      body: null,
      bodyRef: "prompts/frame.md",
      inputs: { topic: "text", prompt: "text" },
    });
    ir.nodes["ask"]!.pins["prompt"] = { text: "Write." };
    const files = new Map([["prompts/frame.md", { bytes: new Uint8Array(), executable: false }]]);
    await rig.register(ir, "flow", files);
    await rig.start();
    await rig.drain();
    expect(agents.asked[0]?.prompt).toMatch(/^Be kind\. Write\. In \/bundles\/[0-9a-f]+, on cheese\.$/);
  });

  test("F-6: declared outputs are members of the JSON object that the answer is; the prompt asks for them", async () => {
    const answer = '```json\n{"title":"T","tags":["a","b"],"more":1}\n```';
    const { rig, agents } = withAgents(() => answer);
    const ir = oneAgent({ outputs: { title: "text", tags: "text" } }, "cheese", ["result", "title", "tags"]);
    const { outputs } = await rig.story(await rig.runFlow(ir));
    expect(outputs.map(({ value }) => value)).toEqual([answer, "T", '["a","b"]']);
    expect(agents.asked[0]?.prompt).toMatch(/JSON object.*"title", "tags"/);
  });

  test.each([
    ["is no JSON", "Certainly! The title is T."],
    ["is no object", '["title"]'],
    ["lacks a key", '{"title":"T"}'],
    ["holds a key twice", '{"title":"T","tags":"a","tags":"b"}'],
  ])("F-6: an answer that %s is agent_failed and shows what came", async (_what, answer) => {
    const { rig } = withAgents(() => answer);
    const ir = oneAgent({ outputs: { title: "text", tags: "text" } });
    const story = await rig.story(await rig.runFlow(ir));
    expect(story).toMatchObject({ status: "failed", code: "agent_failed", failure: { node: "ask" } });
    expect(story.failure?.message).toContain(JSON.stringify(answer));
  });

  test("F-28: without a runner the run fails with agent_not_configured, which says how to configure one", async () => {
    const rig = new Rig(() => "");
    rigs.push(rig);
    const story = await rig.story(await rig.runFlow(oneAgent({})));
    expect(story).toMatchObject({ status: "failed", code: "agent_not_configured", failure: { node: "ask" } });
    for (const name of ["RUNNER", "BASE_URL", "MODEL", "COMMAND"])
      expect(story.failure?.message).toContain(`AGENTFLOW_AGENT_${name}`);
  });

  test("F-26: a model's failure is agent_failed, a command's is the command's own", async () => {
    const exited = {
      kind: "exited",
      exitCode: 3,
      stderr: "why",
      stdout: new Uint8Array(),
      elapsedMs: 1,
    } as const;
    for (const [end, code] of [
      [{ kind: "failed", message: "The model's service answered 400." }, "agent_failed"],
      [{ kind: "command", outcome: exited }, "exit_nonzero"],
      [
        { kind: "command", outcome: { ...exited, exitCode: 0, stdout: new Uint8Array([255]) } },
        "stdout_not_utf8",
      ],
    ] as const) {
      const { rig } = withAgents(() => end);
      expect(await rig.story(await rig.runFlow(oneAgent({})))).toMatchObject({ status: "failed", code });
    }
  });

  test("F-26: a command's stdout is the answer", async () => {
    const stdout = new TextEncoder().encode(" said \n");
    const outcome = { kind: "exited", exitCode: 0, stderr: "", stdout, elapsedMs: 1 } as const;
    const { rig } = withAgents(() => ({ kind: "command", outcome }));
    const { outputs } = await rig.story(await rig.runFlow(oneAgent({})));
    expect(outputs).toEqual([{ node: "show_result", value: "said" }]);
  });
});

describe("agents in a loop", () => {
  function agentLoop() {
    const ir = subflowLoop();
    ir.nodes["judge"] = node("agent.subAgent", { body: "Decide.", inputs: ir.nodes["judge"]!.inputs });
    ir.nodes["work"] = node("agent.subAgent", { body: "Advance.", inputs: ir.nodes["work"]!.inputs });
    ir.nodes["downstream"] = node("agent.subAgent", { body: "Sum up.", inputs: { state: "json" } });
    return ir;
  }

  test("F-27: tokens are told with each step, and summed per loop and run", async () => {
    const { rig } = withAgents(({ prompt }, number) => {
      if (prompt.startsWith("Decide.")) return number < 4 ? "Continue" : "done";
      return prompt.startsWith("Advance.") ? `{"n":${number}}` : "all of it";
    });
    const runId = await rig.runFlow(agentLoop());
    const run = await rig.view(runId);
    expect(run.status).toBe("succeeded");
    expect(run.loops.map(({ usage }) => usage)).toEqual([{ inputTokens: 50, outputTokens: 5 }]);
    expect(run.usage).toEqual({ inputTokens: 60, outputTokens: 6 });
    const events = rig.store.tables.events.get(runId) ?? [];
    const told = events.filter(({ type, node: id }) => type === "node-done" && id === "judge");
    expect(told.map(({ usage }) => usage)).toEqual(
      [1, 2, 3].map(() => ({ inputTokens: 10, outputTokens: 1 })),
    );
  });

  test("L-29: a loop's deadline is the agent's, and an agent that runs into it ends the loop by timeout", async () => {
    const { rig, agents } = withAgents(() => ({ kind: "timed_out" }));
    const story = await rig.story(await rig.runFlow(agentLoop()));
    expect(agents.asked[0]?.deadlineMs).toBe(10_000);
    expect(story).toMatchObject({ status: "failed", code: "loop_timeout", decisions: [] });
  });

  test("S-11: an agent whose answer is stored is not asked again when its iteration is", async () => {
    const { rig, agents } = withAgents(({ prompt }, number) => {
      if (prompt.startsWith("Decide.")) return number === 1 ? "continue" : "done";
      if (number === 2) throw new Error("the worker dies here");
      return prompt.startsWith("Advance.") ? "{}" : "all";
    });
    await rig.register(agentLoop());
    const runId = await rig.start();
    await expect(rig.drain()).rejects.toThrow("dies");
    await rig.settle();
    expect(await rig.story(runId)).toMatchObject({ status: "succeeded", decisions: ["continue", "done"] });
    const prompts = agents.asked.map(({ prompt }) => prompt.slice(0, 6));
    expect(prompts).toEqual(["Decide", "Advanc", "Advanc", "Decide", "Sum up"]);
    expect((await rig.view(runId)).usage).toEqual({ inputTokens: 40, outputTokens: 4 });
  });
});
