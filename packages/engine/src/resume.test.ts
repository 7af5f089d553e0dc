import { afterEach, describe, expect, it } from "vitest";
import type { Ir } from "@agentflow/core";
import { Rig, flow, loopPins, node, scriptLoop } from "./testing/index.ts";

let rig: Rig;
afterEach(() => rig.close());

function answering(...answers: string[]): Rig {
  let next = 0;
  rig = new Rig(() => answers[Math.min(next++, answers.length - 1)] ?? "");
  return rig;
}

/** A loop whose initial state is the input `start`. */
function loopWithInput(): Ir {
  const pins = loopPins({});
  delete pins["state"];
  return flow({
    nodes: {
      start: node("provide.json", { pins: { value: { json: '{"n":0,"a":1}' } } }),
      before: node("tool.nodejs", { script: "before" }),
      loop: node("control.while", { script: "decide", pins }),
    },
    edges: ["start.value → loop.state", "before.next → loop.prev"],
    roots: ["before"],
  });
}

const wait = '{"decision":"wait"}';

describe("resume", () => {
  it("AC-57, P-19: of twenty simultaneous resumes one wins, and one iteration runs", async () => {
    answering(wait);
    const runId = await rig.runFlow(scriptLoop());
    const kinds = (await Promise.all(Array.from({ length: 20 }, () => rig.resume(runId)))).map(
      ({ kind }) => kind,
    );
    expect(kinds.filter((kind) => kind === "resumed")).toHaveLength(1);
    expect(kinds.filter((kind) => kind === "not_waiting")).toHaveLength(19);
    await rig.drain();
    expect(rig.runner.calls).toHaveLength(2);
  });

  it("3.4, P-17: a buffered resume that comes while the iteration runs carries the run on without a sweep", async () => {
    const resumes: Promise<{ kind: string }>[] = [];
    rig = new Rig(({ number }) => {
      if (number > 1) return '{"decision":"done"}';
      resumes.push(rig.resume(runId, { buffer: true, payload: '{"early":1}' }));
      return wait;
    });
    await rig.register(scriptLoop());
    const runId = await rig.start();
    await rig.drain();
    expect(await Promise.all(resumes)).toEqual([{ kind: "kept" }]);
    expect(await rig.story(runId)).toMatchObject({ status: "succeeded", decisions: ["wait", "done"] });
    expect(rig.runner.calls[1]?.files["AGENTFLOW_WHILE_RESUME"]?.text).toBe('{"early":1}');
  });

  it("P-19: a resume that names another iteration than the run's changes nothing", async () => {
    answering(wait);
    const runId = await rig.runFlow(scriptLoop());
    expect(await rig.resume(runId, { nextIteration: 1 })).toMatchObject({
      kind: "other_iteration",
      nextIteration: 2,
    });
    expect(await rig.story(runId)).toMatchObject({ status: "waiting" });
    expect(await rig.resume(runId, { nextIteration: 2 })).toMatchObject({ kind: "resumed" });
  });

  it("P-21: an unknown run is not found", async () => {
    answering(wait);
    expect(await rig.resume("00000000-0000-7000-8000-999999999999")).toEqual({ kind: "not_found" });
  });

  it("AC-48, P-25, P-51: equal inputs in another key order keep the checkpoint", async () => {
    answering("before", wait, '{"decision":"done"}');
    const runId = await rig.runFlow(loopWithInput(), { start: '{"n":0,"a":1.0}' });
    await rig.resume(runId, { inputs: new Map([["start", '{"a":1,"n":0}']]) });
    await rig.drain();
    expect(await rig.story(runId)).toMatchObject({
      status: "succeeded",
      decisions: ["wait", "done"],
      loop: { epoch: 0 },
    });
  });

  it("AC-49, L-41, L-44: a changed initial state resets: iteration 1, empty history, elapsed 0, other keys", async () => {
    answering("before", wait, wait);
    const runId = await rig.runFlow(loopWithInput());
    const before = await rig.story(runId);
    await rig.resume(runId, { inputs: new Map([["start", '{"n":10}']]) });
    await rig.drain();
    const after = await rig.story(runId);
    expect(after).toMatchObject({
      status: "waiting",
      state: '{"n":10}',
      decisions: ["wait"],
      loop: { epoch: 1, iterations: 1 },
    });
    expect(after.history[0]?.idempotencyKey).not.toBe(before.history[0]?.idempotencyKey);
    expect(await rig.store.reads.history(runId, { path: null, epoch: 0, limit: 10 })).toMatchObject({
      items: before.history,
    });
    const events = (rig.store.tables.events.get(runId) ?? []).map(({ type }) => type);
    expect(events).toContain("loop-reset");
    expect(rig.runner.calls.filter(({ command }) => command === "before")).toHaveLength(1);
  });

  it("L-43: raising only maxIterations is a changed input too", async () => {
    answering(wait);
    const runId = await rig.runFlow(scriptLoop({ maxIterations: "5" }));
    const version = await rig.register(scriptLoop({ maxIterations: "6" }));
    await rig.resume(runId, { version });
    await rig.drain();
    expect(await rig.story(runId)).toMatchObject({ loop: { epoch: 1, maxIterations: 6 } });
  });

  it("L-38: another label and another spelling of the same limits are no change", async () => {
    answering(wait);
    const runId = await rig.runFlow(scriptLoop({ timeout: "10s" }));
    const other = scriptLoop({ timeout: "10000ms" });
    other.nodes["loop"]!.label = "Another label";
    const version = await rig.register(other);
    await rig.resume(runId, { version });
    await rig.drain();
    expect(await rig.story(runId)).toMatchObject({ loop: { epoch: 0, iterations: 2 } });
  });

  it("AC-51: one more space in the script is a change", async () => {
    answering(wait);
    const runId = await rig.runFlow(scriptLoop());
    const other = scriptLoop();
    other.nodes["loop"]!.script = "decide ";
    const version = await rig.register(other);
    await rig.resume(runId, { version });
    await rig.drain();
    expect(await rig.story(runId)).toMatchObject({ loop: { epoch: 1 } });
  });

  it("L-10: a version that could not run is refused at the call, and the run still waits", async () => {
    answering(wait);
    const runId = await rig.runFlow(loopWithInput());
    const unknown = await rig.resume(runId, { inputs: new Map([["nobody", "1"]]) });
    expect(unknown).toMatchObject({ kind: "invalid", failures: [{ code: "input_unknown" }] });
    expect(await rig.resume(runId, { version: 99 })).toEqual({ kind: "version_not_found" });
    expect(await rig.story(runId)).toMatchObject({ status: "waiting" });
  });

  it("L-7: a loop that has begun keeps the limit it was admitted with when the cap is lowered", async () => {
    answering(wait, '{"decision":"done"}');
    const runId = await rig.runFlow(scriptLoop({ maxIterations: "500" }));
    Object.assign(rig.advanceDeps.caps, { maxIterations: 10 });
    await rig.resume(runId);
    await rig.drain();
    expect(await rig.story(runId)).toMatchObject({ status: "succeeded", iterations: 2 });
  });
});

describe("a checkpoint that cannot be trusted", () => {
  type Row = {
    schema: number;
    state: string;
    stateDigest: string;
    fingerprint: string;
    elapsedMs: number;
    nextIteration: number;
    decision: string | null;
  };
  type History = Rig["store"]["tables"]["history"];
  type Spoil = (row: Row, history: History) => void;
  const broken: [string, Spoil][] = [
    ["AC-54: unknown schema version", (row) => (row.schema = 99)],
    ["AC-54: blank state", (row) => (row.state = "")],
    ["AC-54: truncated state", (row) => (row.state = row.state.slice(0, -1))],
    ["AC-54: another digest", (row) => (row.stateDigest = "0".repeat(64))],
    ["AC-54: negative elapsed time", (row) => (row.elapsedMs = -1)],
    ["AC-54: iteration count differs from the last entry", (row) => (row.nextIteration = 7)],
    ["AC-54: another last decision than the history's", (row) => (row.decision = "continue")],
    ["AC-53: history emptied", (_row, history) => history.clear()],
    [
      "AC-54: an unknown decision in the history",
      (_row, history) => {
        for (const [key, row] of history)
          history.set(key, { ...row, entry: { ...row.entry, decision: "maybe" as never } });
      },
    ],
    ["a malformed fingerprint", (row) => (row.fingerprint = "nonsense")],
    ["a blank fingerprint", (row) => (row.fingerprint = "")],
  ];
  it.each(broken)(
    "L-41, %s: failed closed, nothing executed, the row kept as it is",
    async (_title, spoil) => {
      answering(wait);
      const runId = await rig.runFlow(scriptLoop());
      spoilCheckpoint(runId, spoil);
      const rows = [...rig.store.tables.checkpoints];
      const calls = rig.runner.calls.length;
      await rig.resume(runId);
      await rig.drain();
      expect((await rig.view(runId)).failure).toMatchObject({ code: "checkpoint_corrupt" });
      expect(rig.runner.calls).toHaveLength(calls);
      expect([...rig.store.tables.checkpoints]).toEqual(rows);
    },
  );

  it("L-41: a changed input resets even when the checkpoint is garbage too", async () => {
    answering("before", wait);
    const runId = await rig.runFlow(loopWithInput());
    spoilCheckpoint(runId, (row) => (row.state = ""));
    await rig.resume(runId, { inputs: new Map([["start", '{"n":10}']]) });
    await rig.drain();
    expect(await rig.story(runId)).toMatchObject({ status: "waiting", loop: { epoch: 1 } });
  });

  function spoilCheckpoint(runId: string, spoil: Spoil): void {
    for (const [key, row] of rig.store.tables.checkpoints) {
      if (!key.includes(runId)) continue;
      const copy = { ...row.checkpoint } as Row;
      spoil(copy, rig.store.tables.history);
      rig.store.tables.checkpoints.set(key, { ...row, checkpoint: copy as never });
    }
  }
});
