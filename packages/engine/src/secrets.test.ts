import { afterEach, expect, test } from "vitest";
import { Rig, flow, node } from "./testing/index.ts";
import type { CommandScript } from "./testing/index.ts";

const CANARY = "pw-ca/nary'é-0815";
const rigs: Rig[] = [];
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.close();
});

function withSecret(script: CommandScript, known = "DB_PASS"): Rig {
  const rig = new Rig(script, { resources: { secret: (name) => (name === known ? CANARY : null) } });
  rigs.push(rig);
  return rig;
}

function usesSecret(command = "use it") {
  return flow({
    nodes: {
      pass: node("provide.password", { pins: { value: { text: "DB_PASS" } } }),
      said: node("provide.text", { pins: { value: { text: "secret:DB_PASS" } } }),
      step: node("tool.nodejs", { script: command, inputs: { token: "text", text: "text" } }),
      shown: node("display.code"),
    },
    edges: [
      "pass.value → step.token",
      "said.value → step.text",
      "step.next → shown.prev",
      "step.result → shown.content",
    ],
    roots: ["step"],
  });
}

const stored = (rig: Rig) =>
  JSON.stringify(rig.store.tables, (_key, value: unknown) => (value instanceof Map ? [...value] : value));

test("2.7: a secret reaches the command it is wired to in its private inputs file, and no environment", async () => {
  const rig = withSecret(() => "done");
  await rig.runFlow(usesSecret());
  const [call] = rig.runner.calls;
  expect(JSON.parse(call?.files["AGENTFLOW_INPUTS_JSON"]?.text ?? "")).toEqual({
    token: CANARY,
    // A text that only looks like a secret stays a text.
    text: "secret:DB_PASS",
  });
  expect(call?.files["AGENTFLOW_INPUTS_JSON"]?.alsoEnv).toBe(false);
  expect(JSON.stringify([call?.env, call?.command])).not.toContain(CANARY);
});

test("2.7: what the command prints of a secret is masked: in its result, its errors and everything stored", async () => {
  const rig = withSecret(() => ({ stdout: `I got ${CANARY}, yes`, stderr: "" }));
  const { outputs } = await rig.story(await rig.runFlow(usesSecret()));
  expect(outputs).toEqual([{ node: "shown", value: "I got [secret DB_PASS], yes" }]);
  const failing = withSecret(() => ({ exitCode: 1, stderr: `bad password ${CANARY}` }));
  const story = await failing.story(await failing.runFlow(usesSecret()));
  expect(story.failure?.message).toContain("bad password [secret DB_PASS]");
  for (const one of [rig, failing]) expect(stored(one)).not.toContain(CANARY);
});

test("2.7: a secret that is not there, or that the operator does not list, is config_invalid by name", async () => {
  const rig = withSecret(() => "done", "OTHER");
  const story = await rig.story(await rig.runFlow(usesSecret()));
  expect(story).toMatchObject({ status: "failed", code: "config_invalid", failure: { node: "step" } });
  expect(story.failure?.message).toMatch(/DB_PASS.*AGENTFLOW_SECRETS/);
  expect(rig.runner.calls).toEqual([]);
});

test("F-22: a secret never stands in a command line, where every user of the machine reads it", async () => {
  const rig = withSecret(() => "done");
  await expect(rig.register(usesSecret("echo ${token}"))).rejects.toThrow("D61");
});

test("F-21: a run's inputs cannot replace a secret", async () => {
  const rig = withSecret(() => "done");
  await rig.register(usesSecret());
  await expect(rig.start({ pass: '"OTHER"' })).rejects.toThrow("input_unknown");
});
