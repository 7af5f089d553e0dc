import { afterEach, describe, expect, it } from "vitest";
import { compareEdges } from "@agentflow/core";
import type { Ir, LiteralPin } from "@agentflow/core";
import { advance } from "./advance.ts";
import { explainRun } from "./explain-run.ts";
import { Rig, edge, node, scriptLoop, subflowLoop } from "./testing/index.ts";
import type { CommandScript } from "./testing/index.ts";

let rig: Rig;
afterEach(() => rig.close());

const say = (decision: string, n: number): string => `{"decision":"${decision}","state":{"n":${n}}}`;
/** Says continue until the call of that number, then done. */
const doneAt =
  (last: number): CommandScript =>
  ({ number }) =>
    say(number < last ? "continue" : "done", number);

/** The loop of a flow with these options written beside its pins. */
function withOptions(ir: Ir, options: Readonly<Record<string, string>>): Ir {
  const loop = ir.nodes["loop"]!;
  const pins = Object.entries(options).map(([slot, text]): [string, LiteralPin] => [slot, { text }]);
  return {
    ...ir,
    nodes: { ...ir.nodes, loop: { ...loop, pins: { ...loop.pins, ...Object.fromEntries(pins) } } },
  };
}

/** Handles jobs as they become due, and notes when each command started; ms since the first. */
async function timesOf(ir: Ir, script: CommandScript): Promise<{ runId: string; times: number[] }> {
  const times: number[] = [];
  rig = new Rig((call) => {
    times.push(rig.clock.monotonicMs());
    return script(call);
  });
  const runId = await rig.runFlow(ir);
  await passPauses();
  const first = times[0] ?? 0;
  return { runId, times: times.map((time) => time - first) };
}

async function passPauses(): Promise<void> {
  for (let due = rig.queue.nextDueInMs(); due !== null; due = rig.queue.nextDueInMs()) {
    rig.clock.advance(due);
    await rig.drain();
  }
}

const growing = { delayMs: "1000", backoffFactor: "2", maxDelayMs: "3000" };
const long = { maxIterations: "9", timeout: "1m" };

describe("pauses between iterations", () => {
  it("O-1: the first iteration comes at once, the others after growing, capped pauses that count as active time", async () => {
    const { runId, times } = await timesOf(withOptions(scriptLoop(long), growing), doneAt(5));
    expect(times).toEqual([0, 1000, 3000, 6000, 9000]);
    const story = await rig.story(runId);
    expect(story).toMatchObject({ status: "succeeded", iterations: 5 });
    expect(story.loop?.elapsedMs).toBe(9000);
    expect(story.history.map(({ elapsedMs }) => elapsedMs)).toEqual([0, 0, 0, 0, 0]);
  });

  it("O-1, S-9: a pause is a due time of the run; with the queue emptied the sweep wakes it, not before", async () => {
    rig = new Rig(doneAt(2));
    const runId = await rig.runFlow(withOptions(scriptLoop(long), { delayMs: "30000" }));
    const dueAt = new Date(rig.clock.nowMs() + 30_000).toISOString();
    expect(await rig.view(runId)).toMatchObject({ status: "running", dueAt, leaseOwner: null });
    const told = await explainRun({ reads: rig.store.reads }, runId);
    expect(told).toMatchObject({ reason: "delayed", until: dueAt });
    expect(told?.sentence).toContain(`delayed until ${dueAt}`);
    rig.queue.empty();
    rig.clock.advance(29_999);
    expect(await rig.store.work.sweep(10)).toEqual([]);
    await rig.settle();
    expect(await rig.story(runId)).toMatchObject({ status: "succeeded", iterations: 2 });
    expect((await rig.view(runId)).dueAt).toBeNull();
  });

  it("O-1: a wake that comes early does not cut the pause", async () => {
    rig = new Rig(doneAt(2));
    const runId = await rig.runFlow(withOptions(scriptLoop(long), { delayMs: "30000" }));
    const [wake] = rig.queue.wakes;
    expect(await advance(rig.advanceDeps, wake!)).toBe("held");
    expect(rig.runner.calls).toHaveLength(1);
    expect((await rig.view(runId)).dueAt).not.toBeNull();
  });

  it("O-1: with less time left than the pause the loop fails at the deadline, not after the pause", async () => {
    rig = new Rig(doneAt(9));
    const ir = withOptions(scriptLoop({ maxIterations: "9", timeout: "2s" }), { delayMs: "5000" });
    const runId = await rig.runFlow(ir);
    expect(rig.queue.nextDueInMs()).toBe(2000);
    await passPauses();
    expect(rig.clock.monotonicMs()).toBe(2000);
    expect(await rig.story(runId)).toMatchObject({ status: "failed", code: "loop_timeout", iterations: 1 });
  });

  it("O-1: there is no pause before a failure by limit, and none after a resume, where the sequence starts over", async () => {
    const ends = ["continue", "continue", "wait", "continue", "continue", "continue"];
    const limits = { maxIterations: "6", timeout: "1m" };
    const { runId, times } = await timesOf(withOptions(scriptLoop(limits), growing), ({ number }) =>
      say(ends[number - 1] ?? "done", number),
    );
    expect(times).toEqual([0, 1000, 3000]);
    const resumedAt = rig.clock.monotonicMs();
    await rig.resume(runId);
    await rig.drain();
    expect(rig.runner.calls).toHaveLength(4);
    await passPauses();
    expect(rig.clock.monotonicMs() - resumedAt).toBe(3000);
    expect(await rig.story(runId)).toMatchObject({ code: "loop_max_iterations", iterations: 6 });
  });

  it("L-38, L-41: an option that an input gives is part of the fingerprint: a resume that changes it starts over", async () => {
    rig = new Rig(({ number }) => say(number === 1 ? "wait" : "done", number));
    const ir = scriptLoop(long);
    ir.nodes["slow"] = node("provide.text", { pins: { value: { text: "10" } } });
    ir.edges.push(edge("slow.value → loop.delayMs"));
    ir.edges.sort(compareEdges);
    const runId = await rig.runFlow(ir);
    await rig.resume(runId, { inputs: new Map([["slow", '"20"']]) });
    await rig.drain();
    expect((await rig.story(runId)).loop).toMatchObject({ epoch: 1, iterations: 1, status: "done" });
  });

  it("O-1: cancel ends a pause at once", async () => {
    rig = new Rig(doneAt(2));
    const runId = await rig.runFlow(withOptions(scriptLoop(long), { delayMs: "30000" }));
    await rig.cancel(runId);
    expect(await rig.view(runId)).toMatchObject({ status: "cancelled", dueAt: null });
    await passPauses();
    expect(rig.runner.calls).toHaveLength(1);
  });

  it("O-1, L-10: a pause that cannot be is a configuration error before any iteration", async () => {
    rig = new Rig(doneAt(2));
    await expect(rig.register(withOptions(scriptLoop(), { delayMs: "5", maxDelayMs: "4" }))).rejects.toThrow(
      /maxDelayMs/,
    );
  });
});

describe("errors of the work", () => {
  const flaky: CommandScript = ({ number }) =>
    number === 2 ? { exitCode: 1, stderr: "no luck" } : say(number < 4 ? "continue" : "done", number);

  it("O-2, O-6: an error counts as an iteration, leaves the state, and stands in history and outputs", async () => {
    rig = new Rig(flaky);
    const runId = await rig.runFlow(withOptions(scriptLoop(long), { continueOnError: "true" }));
    const story = await rig.story(runId);
    expect(story).toMatchObject({
      status: "succeeded",
      decisions: ["continue", "continue", "continue", "done"],
      state: '{"n":4}',
    });
    expect(story.history[1]).toMatchObject({ iteration: 2, error: { code: "exit_nonzero" } });
    expect(rig.runner.calls[2]?.files["AGENTFLOW_WHILE_STATE"]?.text).toBe('{"n":1}');
  });

  it("O-6: the outputs go downstream: completed, succeeded, failed, errors", async () => {
    rig = new Rig(flaky);
    const slots = ["completed", "succeeded", "failed", "errors"];
    const ir = withOptions(scriptLoop(long), { continueOnError: "true" });
    for (const slot of slots) {
      ir.nodes[slot] = node("display.code");
      ir.edges.push(edge(`loop.next → ${slot}.prev`), edge(`loop.${slot} → ${slot}.content`));
    }
    ir.edges.sort(compareEdges);
    const { outputs } = await rig.story(await rig.runFlow(ir));
    const shown = new Map(outputs.map(({ node: id, value }) => [id, value]));
    expect(slots.slice(0, 3).map((slot) => shown.get(slot))).toEqual(["true", "3", "1"]);
    expect(JSON.parse(shown.get("errors") ?? "")).toEqual([
      { iteration: 2, code: "exit_nonzero", message: expect.stringContaining("no luck") },
    ]);
  });

  it("O-2: an answer that breaks the contract and an error of the Condition are never tolerated", async () => {
    rig = new Rig(() => "not json");
    const runId = await rig.runFlow(withOptions(scriptLoop(long), { continueOnError: "true" }));
    expect(await rig.story(runId)).toMatchObject({ status: "failed", code: "stdout_not_json_object" });
    rig.close();
    rig = new Rig(({ command }) => (command === "judge" ? { exitCode: 1 } : "{}"));
    const other = await rig.runFlow(withOptions(subflowLoop(long), { continueOnError: "true" }));
    expect(await rig.story(other)).toMatchObject({ status: "failed", code: "exit_nonzero", iterations: 0 });
  });

  it("O-2, O-6: a Body's error is tolerated too; the decision that ends is no success", async () => {
    rig = new Rig(({ command, number }) => {
      if (command === "judge") return number < 6 ? "continue" : "done";
      return number === 2 ? { exitCode: 1 } : '{"n":7}';
    });
    const runId = await rig.runFlow(withOptions(subflowLoop(long), { continueOnError: "true" }));
    expect(await rig.story(runId)).toMatchObject({ status: "succeeded", state: '{"n":7}' });
    expect((await rig.store.work.checkpoint(runId, '["loop"]'))?.checkpoint).toMatchObject({
      succeeded: 2,
      failed: 1,
    });
  });

  it("O-3: a failed attempt is followed by others of the same iteration and key, with pauses that are due times", async () => {
    const script: CommandScript = ({ number }) =>
      number < 3 ? { exitCode: 1, takesMs: 10 } : say("done", number);
    const retries = '{"max":2,"delayMs":1000,"backoffFactor":3}';
    const { runId, times } = await timesOf(withOptions(scriptLoop(long), { retries }), script);
    expect(times).toEqual([0, 1010, 4020]);
    const keys = rig.runner.calls.map(({ env }) => env["AGENTFLOW_WHILE_IDEMPOTENCY_KEY"]);
    expect(new Set(keys).size).toBe(1);
    const story = await rig.story(runId);
    expect(story).toMatchObject({ status: "succeeded", decisions: ["done"] });
    expect(story.history[0]).toMatchObject({ iteration: 1, elapsedMs: 20 });
    expect(story.loop?.elapsedMs).toBe(4020);
  });

  it("O-3, L-51: attempts after errors are apart from those after lost workers", async () => {
    rig = new Rig(({ number }) => (number < 4 ? { exitCode: 1 } : say("done", number)), { maxAttempts: 1 });
    const runId = await rig.runFlow(withOptions(scriptLoop(long), { retries: '{"max":3}' }));
    expect(await rig.story(runId)).toMatchObject({ status: "succeeded", iterations: 1 });
  });

  it("O-3: when the attempts are used up the error is tolerated if the loop does, else it ends the run", async () => {
    const broken: CommandScript = () => ({ exitCode: 1 });
    rig = new Rig(broken);
    const runId = await rig.runFlow(withOptions(scriptLoop(long), { retries: '{"max":2}' }));
    expect(await rig.story(runId)).toMatchObject({ status: "failed", code: "exit_nonzero", iterations: 0 });
    expect(rig.runner.calls).toHaveLength(3);
    rig.close();
    rig = new Rig(broken);
    const options = { retries: '{"max":1}', continueOnError: "true", onExhausted: "stop" };
    const other = await rig.runFlow(withOptions(scriptLoop({ maxIterations: "2" }), options));
    expect(await rig.story(other)).toMatchObject({
      status: "succeeded",
      decisions: ["continue", "continue"],
    });
    expect(rig.runner.calls).toHaveLength(4);
  });

  it("O-3, L-19: steps with effects that ended are not done again by the next attempt", async () => {
    rig = new Rig(({ command, number }) => {
      if (command === "judge") return number === 1 ? "continue" : "done";
      return number === 2 ? { exitCode: 1 } : '{"n":1}';
    });
    const runId = await rig.runFlow(withOptions(subflowLoop(long), { retries: '{"max":1}' }));
    expect(await rig.story(runId)).toMatchObject({ status: "succeeded", decisions: ["continue", "done"] });
    expect(rig.runner.calls.map(({ command }) => command)).toEqual([
      "judge",
      "work",
      "work",
      "judge",
      "downstream",
    ]);
  });

  it("O-4: stop at the limit goes on downstream with the last state; so does a loop of no iterations", async () => {
    for (const [maxIterations, state] of [
      ["2", '{"n":2}'],
      ["0", '{"n":0}'],
    ] as const) {
      rig = new Rig(doneAt(9));
      const runId = await rig.runFlow(withOptions(scriptLoop({ maxIterations }), { onExhausted: "stop" }));
      const story = await rig.story(runId);
      expect(story).toMatchObject({ status: "succeeded", iterations: Number(maxIterations), state });
      expect(story.outputs).toEqual([{ node: "after", value: state }]);
      rig.close();
    }
  });
});
