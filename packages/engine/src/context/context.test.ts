import { randomBytes } from "node:crypto";
import type { Ir } from "@agentflow/core";
import { afterEach, describe, expect, test } from "vitest";
import type { AgentRequest } from "../ports/agent.ts";
import type { ScriptedCall } from "../testing/index.ts";
import { Rig, ScriptedAgents, ScriptedCatalogue, flow, loopPins, node } from "../testing/index.ts";
import { seal, unseal } from "./seal.ts";

const MARK = "CTX-SECRET-7";
const rigs: Rig[] = [];
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.close();
});

/** A loop of agents with a bundle as context; `declare` says which of its subflows ask for it. */
function contextLoop(declare = { condition: true, body: true }): Ir {
  const input = (name: string, type: string) => node("flow.input", { attributes: { name, type } });
  const asks = (given: boolean, ids: string[]) => (given ? ids : []);
  const condition = { state: "cState", iteration: "cIteration" };
  const body = { state: "bState", iteration: "bIteration", idempotencyKey: "bKey" };
  return flow({
    nodes: {
      notes: node("context.knowledge", { pins: { ids: { json: '["notes"]' } } }),
      space: node("context.workspace", {
        pins: { workspace: { text: "repo" }, access: { text: "read-write" } },
      }),
      bundle: node("context.bundle"),
      cState: input("state", "json"),
      cIteration: input("iteration", "text"),
      cContext: input("context", "context"),
      judge: node("agent.subAgent", { body: "Decide.", inputs: { state: "json" } }),
      bState: input("state", "json"),
      bIteration: input("iteration", "text"),
      bKey: input("idempotencyKey", "text"),
      bContext: input("context", "context"),
      work: node("tool.nodejs", {
        script: "work in ${workspaceRoot}",
        inputs: { state: "json", context: "context" },
      }),
      parse: node("control.parseJson"),
      loop: node("control.while", {
        attributes: { condition: "goOn", body: "advance" },
        pins: loopPins({}),
      }),
      shown: node("display.code"),
    },
    edges: [
      "notes.context → bundle.knowledge",
      "space.context → bundle.workspace",
      "bundle.context → loop.context",
      "cState.value → judge.state",
      ...asks(declare.condition, ["cContext.value → judge.context"]),
      "bState.value → work.state",
      ...asks(declare.body, ["bContext.value → work.context"]),
      "work.next → parse.prev",
      "work.result → parse.value",
      "loop.next → shown.prev",
      "loop.result → shown.content",
    ],
    subflows: {
      goOn: {
        label: "",
        inputs: declare.condition ? { ...condition, context: "cContext" } : condition,
        outputs: { decision: { node: "judge", slot: "result" } },
        roots: ["judge"],
        members: ["cContext", "cIteration", "cState", "judge"].filter(
          (id) => declare.condition || id !== "cContext",
        ),
      },
      advance: {
        label: "",
        inputs: declare.body ? { ...body, context: "bContext" } : body,
        outputs: { state: { node: "parse", slot: "result" } },
        roots: ["work"],
        members: ["bContext", "bIteration", "bKey", "bState", "parse", "work"].filter(
          (id) => declare.body || id !== "bContext",
        ),
      },
    },
    roots: ["loop"],
  });
}

function withContext(
  decide: (request: AgentRequest, number: number) => string,
  work: (call: ScriptedCall) => string = () => "{}",
) {
  const agents = new ScriptedAgents(decide);
  const catalogue = new ScriptedCatalogue(MARK);
  const rig = new Rig(work, { resources: { agents, catalogue, secretKey: randomBytes(32) } });
  rigs.push(rig);
  return { rig, agents, catalogue };
}

/** Everything stored, as text; encrypted contexts as hex, which no marker can hide in. */
function stored(rig: Rig): string {
  const seen = (_key: string, value: unknown): unknown => {
    if (value instanceof Map) return [...value];
    return value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value;
  };
  return JSON.stringify([rig.store.tables, rig.queue.wakes], seen);
}

const decisions =
  (...words: string[]) =>
  (_request: AgentRequest, number: number) =>
    words[number - 1] ?? "done";

describe("contexts", () => {
  test("AC-66, L-48, L-49: Condition and Body get the context in every iteration, resolved once per start and resume", async () => {
    const { rig, agents, catalogue } = withContext(decisions("continue", "wait", "continue", "done"));
    const runId = await rig.runFlow(contextLoop());
    expect(await rig.story(runId)).toMatchObject({ status: "waiting", iterations: 2 });
    expect(catalogue.asked).toHaveLength(1);
    catalogue.mark = "NEW";
    await rig.resume(runId);
    await rig.drain();
    expect(await rig.story(runId)).toMatchObject({ status: "succeeded", iterations: 4 });
    expect(catalogue.asked).toHaveLength(2);
    const texts = agents.asked.map(({ content }) => content?.knowledge[0]?.text);
    expect(texts).toEqual([`${MARK} notes`, `${MARK} notes`, "NEW notes", "NEW notes"]);
    for (const call of rig.runner.calls) {
      expect(call.command).toBe("work in '/spaces/repo'");
      expect(JSON.parse(call.files["AGENTFLOW_CONTEXT"]?.text ?? "")).toMatchObject({
        workspace: { id: "repo", access: "read-write" },
      });
      expect(call.files["AGENTFLOW_CONTEXT"]?.alsoEnv).toBe(false);
      expect(call.files["AGENTFLOW_INPUTS_JSON"]?.text).not.toContain("context");
      expect(JSON.stringify(call.env)).not.toContain(MARK);
    }
    expect(rig.runner.calls).toHaveLength(2);
  });

  test("AC-68, L-49: parked and ended, the marker is nowhere in what is stored, and the encrypted row goes with the run", async () => {
    const { rig } = withContext(decisions("continue", "wait", "done"));
    const runId = await rig.runFlow(contextLoop());
    expect(rig.store.tables.contexts.size).toBe(1);
    expect(stored(rig)).not.toContain(MARK);
    await rig.resume(runId);
    await rig.drain();
    expect(await rig.story(runId)).toMatchObject({ status: "succeeded" });
    expect(stored(rig)).not.toContain(MARK);
    expect(rig.store.tables.contexts.size).toBe(0);
  });

  test("L-48: a subflow that does not declare a context gets none", async () => {
    const { rig, agents } = withContext(decisions("continue", "done"));
    await rig.runFlow(contextLoop({ condition: false, body: false }));
    expect(agents.asked.map(({ content }) => content)).toEqual([null, null]);
    expect(rig.runner.calls[0]?.files).not.toHaveProperty("AGENTFLOW_CONTEXT");
    expect(rig.runner.calls[0]?.command).toMatch(/^work in '\/bundles\//);
  });

  test("L-38: the fingerprint holds the references, not what they stand for", async () => {
    const { rig, catalogue } = withContext(decisions("wait", "wait", "wait"));
    const runId = await rig.runFlow(contextLoop());
    const before = (await rig.story(runId)).loop?.fingerprint;
    catalogue.mark = "NEW";
    await rig.resume(runId);
    await rig.drain();
    expect((await rig.story(runId)).loop).toMatchObject({ fingerprint: before, epoch: 0, iterations: 2 });
    const other = contextLoop();
    other.nodes["notes"]!.pins["ids"] = { json: '["other"]' };
    await rig.resume(runId, { version: await rig.register(other) });
    await rig.drain();
    expect((await rig.story(runId)).loop).toMatchObject({ epoch: 1, iterations: 1 });
    expect((await rig.story(runId)).loop?.fingerprint).not.toBe(before);
  });

  test("L-10: what the catalogue lacks, and a worker without catalogue or key, fails the run before any iteration", async () => {
    const { rig, agents, catalogue } = withContext(() => "done");
    catalogue.refuse = "The operator's catalogue has no knowledge notes.";
    const missing = await rig.story(await rig.runFlow(contextLoop()));
    expect(missing).toMatchObject({
      status: "failed",
      code: "config_invalid",
      loop: null,
      failure: { node: "loop" },
    });
    expect(missing.failure?.message).toContain("no knowledge notes");
    for (const [lacking, name] of [
      ["catalogue", "AGENTFLOW_CATALOGUE"],
      ["secretKey", "AGENTFLOW_SECRET_KEY"],
    ] as const) {
      const poor = new Rig(() => "", {
        resources: { agents, catalogue, secretKey: randomBytes(32), [lacking]: null },
      });
      rigs.push(poor);
      const story = await poor.story(await poor.runFlow(contextLoop()));
      expect(story).toMatchObject({
        code: "config_invalid",
        failure: { message: expect.stringContaining(name) },
      });
    }
    expect(agents.asked).toEqual([]);
  });

  test("L-49: another worker decrypts the row under the same key, and says so when its key is another", async () => {
    const { rig, catalogue } = withContext(decisions("continue", "continue", "done"));
    await rig.register(contextLoop());
    const runId = await rig.start();
    await rig.queue.drain(async (wake) => {
      const { resources } = rig.advanceDeps;
      const secretKey = rig.outcomes.length < 2 ? resources.secretKey : randomBytes(32);
      const { advance } = await import("../advance.ts");
      rig.outcomes.push(await advance({ ...rig.advanceDeps, resources: { ...resources, secretKey } }, wake));
    });
    expect(catalogue.asked).toHaveLength(1);
    expect(await rig.story(runId)).toMatchObject({
      status: "failed",
      code: "config_invalid",
      decisions: ["continue", "continue"],
      failure: { message: expect.stringContaining("AGENTFLOW_SECRET_KEY") },
    });
  });

  test("L-22, F-7: the script of a loop gets the loop's context as a file, with its state", async () => {
    const { rig, catalogue } = withContext(
      () => "",
      (call) => (call.number < 3 ? '{"decision":"continue"}' : '{"decision":"done"}'),
    );
    const ir = flow({
      nodes: {
        notes: node("context.knowledge", { pins: { ids: { text: "notes" } } }),
        loop: node("control.while", { script: "decide", pins: loopPins({}) }),
      },
      edges: ["notes.context → loop.context"],
      roots: ["loop"],
    });
    expect(await rig.story(await rig.runFlow(ir))).toMatchObject({ status: "succeeded", iterations: 3 });
    const files = rig.runner.calls.map(({ files: { AGENTFLOW_CONTEXT: file } }) => file?.text);
    expect(files).toHaveLength(3);
    expect(new Set(files).size).toBe(1);
    expect(files[0]).toContain(`${MARK} notes`);
    expect(catalogue.asked).toHaveLength(1);
  });

  test("F-7: a command in the parent graph gets its context too, and a display shows references at most", async () => {
    const { rig } = withContext(() => "");
    const ir = flow({
      nodes: {
        notes: node("context.knowledge", { pins: { ids: { text: "notes, faq" } } }),
        step: node("tool.nodejs", { script: "true", inputs: { it: "context" } }),
        shown: node("display.code"),
      },
      edges: ["notes.context → step.it", "step.next → shown.prev", "notes.context → shown.content"],
      roots: ["step"],
    });
    const { outputs } = await rig.story(await rig.runFlow(ir));
    expect(rig.runner.calls[0]?.files["AGENTFLOW_CONTEXT"]?.text).toContain(`${MARK} faq`);
    expect(outputs).toEqual([{ node: "shown", value: '{"knowledge":["notes","faq"]}' }]);
    expect(stored(rig)).not.toContain(MARK);
  });
});

describe("the seal of contexts", () => {
  const key = randomBytes(32);
  const address = ["run", "references"];

  test("L-49: the same text never gives the same bytes, and comes back under key and address", () => {
    const [one, two] = [seal(key, address, "é😀\0"), seal(key, address, "é😀\0")];
    expect(Buffer.from(one).equals(Buffer.from(two))).toBe(false);
    expect(unseal(key, address, one)).toBe("é😀\0");
  });

  test("L-49: another key, another run, a changed byte and a cut row give nothing", () => {
    const sealed = seal(key, address, "text");
    expect(unseal(randomBytes(32), address, sealed)).toBeNull();
    expect(unseal(key, ["other", "references"], sealed)).toBeNull();
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Uint8Array.from(sealed);
      changed[at]! ^= 1;
      expect(unseal(key, address, changed), String(at)).toBeNull();
      expect(unseal(key, address, sealed.subarray(0, at)), String(at)).toBeNull();
    }
  });
});
