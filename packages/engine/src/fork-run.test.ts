import { afterEach, describe, expect, it } from "vitest";
import { readStateAt } from "./read-state.ts";
import { Rig, flow, loopPins, node, scriptLoop } from "./testing/index.ts";

let rig: Rig;
afterEach(() => rig.close());

/** A script that counts `n` up and says done when it is `end`; it keeps a text beside it that grows. */
function counting(end = 5, options: ConstructorParameters<typeof Rig>[1] = {}): Rig {
  rig = new Rig(({ files }) => {
    const state = JSON.parse(files["AGENTFLOW_WHILE_STATE"]!.text) as { n: number; log?: string[] };
    const next = { ...state, n: state.n + 1, log: [...(state.log ?? []), `round ${state.n} 😀`] };
    return JSON.stringify({ decision: next.n >= end ? "done" : "continue", state: next });
  }, options);
  return rig;
}

async function stateAt(
  runId: string,
  iteration: number,
  epoch: number | null = null,
): Promise<string | object> {
  const found = await readStateAt(rig.store.reads, runId, { path: null, epoch, iteration });
  return found.kind === "state" ? found.text : found;
}

async function forked(...given: Parameters<Rig["fork"]>): Promise<string> {
  const result = await rig.fork(...given);
  if (result.kind !== "created") throw new Error(JSON.stringify(result));
  return result.runId;
}

describe("the states of a loop", () => {
  it("OP-7: the state after each iteration can be had, the initial one too", async () => {
    counting();
    const runId = await rig.runFlow(scriptLoop());
    const states = await Promise.all([0, 1, 2, 3, 4, 5].map((k) => stateAt(runId, k)));
    expect(states.map((text) => (JSON.parse(text as string) as { n: number }).n)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(states[5]).toBe((await rig.story(runId)).state);
    expect(await stateAt(runId, 6)).toEqual({
      kind: "not_kept",
      path: '["loop"]',
      completed: 5,
      kept: { from: 0, to: 5 },
    });
    expect(await readStateAt(rig.store.reads, "nobody", { path: null, epoch: null, iteration: 0 })).toEqual({
      kind: "no_run",
    });
  });

  it("OP-7: workers that find only what is stored go on with the same timeline", async () => {
    counting();
    const { take } = rig.advanceDeps.recent;
    rig.advanceDeps.recent.take = (...given) => {
      take(...given);
      return null;
    };
    const runId = await rig.runFlow(scriptLoop({ state: JSON.stringify({ n: 0, pad: "x".repeat(400) }) }));
    for (const k of [0, 1, 2, 3, 4, 5])
      expect(JSON.parse((await stateAt(runId, k)) as string)).toMatchObject({ n: k });
    const kinds = [...rig.store.tables.history.values()].map(({ step }) => step![0]);
    expect(kinds).toEqual([2, 4, 4, 4, 4]);
  });

  it("OP-7: a loop that asks for none keeps no states but its last", async () => {
    counting();
    const ir = scriptLoop();
    ir.nodes["loop"]!.pins["timeline"] = { text: "false" };
    const runId = await rig.runFlow(ir);
    expect([...rig.store.tables.history.values()].every(({ step }) => step === undefined)).toBe(true);
    expect(await stateAt(runId, 3)).toMatchObject({ kind: "not_kept", kept: null });
    expect(await stateAt(runId, 5)).toBe((await rig.story(runId)).state);
  });

  it("OP-7: a run over its budget gives up its oldest states and never its checkpoint", async () => {
    const noise = (n: number) =>
      Array.from({ length: 300 }, (_, i) => ((n * 7919 + i * 104_729) % 1_000_003).toString(36)).join("");
    rig = new Rig(
      ({ env }) => {
        const n = Number(env["AGENTFLOW_WHILE_ITERATION"]);
        return JSON.stringify({ decision: n === 60 ? "done" : "continue", state: noise(n) });
      },
      { timelineBytes: 8000 },
    );
    const runId = await rig.runFlow(scriptLoop({ maxIterations: "60" }));
    const kept = [...rig.store.tables.history.values()].reduce(
      (sum, { step }) => sum + (step?.length ?? 0),
      0,
    );
    expect(kept).toBeLessThan(10_000);
    expect(await stateAt(runId, 60)).toBe((await rig.story(runId)).state);
    const missing = await stateAt(runId, 1);
    if (typeof missing === "string" || !("kept" in missing)) throw new Error("the first state is kept");
    const { from } = missing.kept as { from: number };
    expect(from).toBeGreaterThan(20);
    for (let k = from; k <= 60; k += 1) expect(await stateAt(runId, k)).toBe(JSON.stringify(noise(k)));
  });

  it("OP-7, L-44: abandoned rounds keep their states under their epoch", async () => {
    rig = new Rig(({ env }) =>
      JSON.stringify({
        decision: env["AGENTFLOW_WHILE_ITERATION"] === "2" ? "wait" : "continue",
        state: env["AGENTFLOW_WHILE_ITERATION"],
      }),
    );
    const pins = loopPins({});
    delete pins["state"];
    const ir = flow({
      nodes: {
        start: node("provide.json", { pins: { value: { json: "0" } } }),
        loop: node("control.while", { script: "decide", pins }),
      },
      edges: ["start.value → loop.state"],
      roots: ["loop"],
    });
    const runId = await rig.runFlow(ir);
    await rig.resume(runId, { inputs: new Map([["start", "7"]]) });
    await rig.drain();
    expect(await stateAt(runId, 0)).toBe("7");
    expect(await stateAt(runId, 0, 0)).toBe("0");
    expect(await stateAt(runId, 1, 0)).toBe('"1"');
  });
});

describe("fork", () => {
  it("OP-7, L-14: a fork goes on after the iteration under keys of its own, and the other run stays as it is", async () => {
    counting();
    const runId = await rig.runFlow(scriptLoop({ maxIterations: "8" }));
    const before = JSON.stringify([await rig.view(runId), await rig.story(runId)]);
    const fork = await forked(runId, 2);
    expect(await rig.view(fork)).toMatchObject({
      ...{ status: "queued", rerunOf: null, forkedFrom: { runId, loop: '["loop"]', iteration: 2 } },
      loops: [{ iterations: 2, nextIteration: 3, maxIterations: 8, label: "Loop" }],
    });
    await rig.drain();
    const story = await rig.story(fork);
    const origin = await rig.story(runId);
    expect(story).toMatchObject({
      status: "succeeded",
      iterations: 5,
      state: origin.state,
      outputs: origin.outputs,
    });
    expect(story.history.map(({ iteration }) => iteration)).toEqual([1, 2, 3, 4, 5]);
    const keys = (items: typeof story.history) => items.map(({ idempotencyKey }) => idempotencyKey);
    expect(keys(story.history).slice(0, 2)).toEqual(keys(origin.history).slice(0, 2));
    expect(new Set([...keys(story.history), ...keys(origin.history)]).size).toBe(8);
    expect(JSON.stringify([await rig.view(runId), origin])).toBe(before);
    expect(
      rig.store.tables.events
        .get(fork)!
        .map(({ type }) => type)
        .slice(0, 2),
    ).toEqual(["run-forked", "run-started"]);
    expect(rig.store.tables.audits.filter(({ action }) => action === "fork")).toHaveLength(1);
    for (const k of [2, 3, 4, 5]) expect(await stateAt(fork, k)).toBe(await stateAt(runId, k));
    expect(await stateAt(fork, 1)).toMatchObject({ kind: "not_kept", kept: { from: 2, to: 5 } });
  });

  it("OP-7: the state can be patched, the exact text of the rest stays", async () => {
    counting(9);
    const runId = await rig.runFlow(scriptLoop({ state: '{"n":0,"x":1.0,"drop":[1]}', maxIterations: "3" }));
    const fork = await forked(runId, 0, { statePatch: '{"n":7,"drop":null}' });
    expect(await stateAt(fork, 0)).toBe('{"n":7,"x":1.0}');
    await rig.drain();
    expect(await rig.story(fork)).toMatchObject({ status: "succeeded", iterations: 2 });
  });

  it("OP-7: a fork that parks is resumed and validated like any run, and may be forked again", async () => {
    rig = new Rig(({ env, files }) => {
      const { n } = JSON.parse(files["AGENTFLOW_WHILE_STATE"]!.text) as { n: number };
      const at = env["AGENTFLOW_WHILE_ITERATION"];
      return JSON.stringify({
        decision: at === "3" ? "wait" : n >= 4 ? "done" : "continue",
        state: { n: n + 1 },
      });
    });
    const runId = await rig.runFlow(scriptLoop());
    const first = await forked(runId, 2);
    await rig.drain();
    expect(await rig.story(first)).toMatchObject({ status: "waiting", iterations: 3 });
    const second = await forked(first, 3);
    await rig.resume(first);
    await rig.drain();
    for (const fork of [first, second])
      expect(await rig.story(fork)).toMatchObject({
        status: "succeeded",
        decisions: ["continue", "continue", "wait", "continue", "done"],
      });
  });

  it("OP-7: what ran before the loop is taken over, what comes after it runs again", async () => {
    rig = new Rig(({ command, env }) => {
      if (command !== "decide") return command;
      const done = env["AGENTFLOW_WHILE_ITERATION"] === "2";
      return JSON.stringify({ decision: done ? "done" : "continue", state: null });
    });
    const ir = flow({
      nodes: {
        first: node("tool.nodejs", { script: "first" }),
        early: node("control.while", { script: "decide", pins: loopPins({}) }),
        loop: node("control.while", { script: "decide", pins: loopPins({}) }),
        last: node("tool.nodejs", { script: "last" }),
      },
      edges: ["first.next → early.prev", "early.next → loop.prev", "loop.next → last.prev"],
      roots: ["first"],
    });
    const runId = await rig.runFlow(ir);
    const count = () =>
      rig.runner.calls.filter(({ command }) => command !== "decide").map(({ command }) => command);
    expect(count()).toEqual(["first", "last"]);
    const fork = await forked(runId, 1, { loop: '["loop"]' });
    await rig.drain();
    expect((await rig.view(fork)).status).toBe("succeeded");
    expect(count()).toEqual(["first", "last", "last"]);
    expect(rig.runner.calls.filter(({ command }) => command === "decide")).toHaveLength(5);
    expect((await rig.view(fork)).loops.map(({ iterations, epoch }) => [iterations, epoch])).toEqual([
      [2, 0],
      [2, 0],
    ]);
  });

  it("OP-7, L-10: what cannot go on is refused at the call and nothing is stored", async () => {
    counting();
    const runId = await rig.runFlow(scriptLoop());
    const runs = rig.store.tables.runs.size;
    const codes = async (...given: Parameters<Rig["fork"]>) => {
      const result = await rig.fork(...given);
      return result.kind === "invalid" ? result.failures.map(({ code }) => code) : result.kind;
    };
    expect(await codes(runId, 5)).toEqual(["config_invalid"]);
    expect(await codes(runId, 9)).toBe("not_kept");
    expect(await codes("nobody", 1)).toBe("no_run");
    expect(await codes(runId, 1, { loop: '["other"]' })).toBe("no_loop");
    expect(await codes(runId, 1, { version: 7 })).toBe("version_not_found");
    expect(await codes(runId, 1, { inputs: new Map([["nobody", "1"]]) })).toEqual(["input_unknown"]);
    expect(await codes(runId, 1, { limits: { maxIterations: "5000", timeout: null } })).toEqual([
      "config_invalid",
    ]);
    expect(await codes(runId, 1, { limits: { maxIterations: null, timeout: "9x" } })).toEqual([
      "config_invalid",
    ]);
    expect(await codes(runId, 1, { statePatch: JSON.stringify({ big: "x".repeat(1_048_576) }) })).toEqual([
      "state_too_large",
    ]);
    expect(rig.store.tables.runs.size).toBe(runs);
  });

  it("OP-7: with limits of its own a fork goes on where the other run hit its limit", async () => {
    counting(7);
    const runId = await rig.runFlow(scriptLoop({ maxIterations: "3" }));
    expect(await rig.story(runId)).toMatchObject({ code: "loop_max_iterations" });
    const fork = await forked(runId, 3, { limits: { maxIterations: "9", timeout: "1m" } });
    await rig.drain();
    expect(await rig.story(fork)).toMatchObject({
      status: "succeeded",
      iterations: 7,
      loop: { maxIterations: 9, timeoutMs: 60_000 },
    });
  });

  it("OP-7, 3.4: the same Idempotency-Key gives the same fork, with another request it conflicts", async () => {
    counting();
    const runId = await rig.runFlow(scriptLoop());
    const fork = await forked(runId, 1, { idempotencyKey: "k" });
    expect(await rig.fork(runId, 1, { idempotencyKey: "k" })).toEqual({ kind: "existing", runId: fork });
    expect(await rig.fork(runId, 2, { idempotencyKey: "k" })).toEqual({ kind: "conflict", runId: fork });
  });
});
