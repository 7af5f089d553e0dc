import { afterEach, describe, expect, it } from "vitest";
import { resetRun } from "./reset-run.ts";
import { Rig, scriptLoop } from "./testing/index.ts";

let rig: Rig;
afterEach(() => rig.close());

const caller = { actor: "operator", remote: "192.0.2.1" };
const reset = (runId: string) => resetRun(rig.requestDeps, { runId, caller });

/** A run that was parked, tampered with and resumed. */
async function corrupted(...answers: string[]): Promise<string> {
  let next = 0;
  rig = new Rig(() => answers[Math.min(next++, answers.length - 1)] ?? "");
  const runId = await rig.runFlow(scriptLoop());
  for (const [key, row] of rig.store.tables.checkpoints)
    rig.store.tables.checkpoints.set(key, { ...row, checkpoint: { ...row.checkpoint, state: "{" } });
  await rig.resume(runId, { payload: '"late"' });
  await rig.drain();
  expect((await rig.view(runId)).failure).toMatchObject({ code: "checkpoint_corrupt" });
  return runId;
}

describe("reset", () => {
  it("L-42, L-44: the loop starts over from its initial state in a new epoch, with other keys, and the run goes on to its end", async () => {
    const runId = await corrupted('{"decision":"wait","state":{"n":7}}', '{"decision":"done"}');
    const [old] = (await rig.story(runId)).history;
    expect(await reset(runId)).toMatchObject({ kind: "reset" });
    await rig.drain();
    expect(await rig.story(runId)).toMatchObject({
      ...{ status: "succeeded", failure: null, state: '{"n":0}', decisions: ["done"] },
      loop: { epoch: 1, iterations: 1 },
    });
    const before = await rig.store.reads.history(runId, { path: null, epoch: 0, limit: 10 });
    expect(before).toMatchObject({ items: [old] });
    expect((await rig.story(runId)).history[0]?.idempotencyKey).not.toBe(old?.idempotencyKey);
    const [, second] = rig.runner.calls;
    expect(second?.env["AGENTFLOW_WHILE_ITERATION"]).toBe("1");
    expect(second?.files).not.toHaveProperty("AGENTFLOW_WHILE_RESUME");
    const types = (rig.store.tables.events.get(runId) ?? []).map(({ type }) => type);
    expect(types.slice(types.indexOf("run-failed"))).toEqual([
      ...["run-failed", "run-reset", "loop-reset", "while-iteration-start", "while-iteration-done"],
      "run-succeeded",
    ]);
    const told = rig.store.tables.events.get(runId)?.find(({ type }) => type === "loop-reset");
    expect(told).toMatchObject({ epoch: 1, changed: ["reset by an operator"] });
  });

  it("S-22: the reset is audited; a run that is not corrupt is refused", async () => {
    const runId = await corrupted('{"decision":"wait"}');
    await reset(runId);
    expect(rig.store.tables.audits.at(-1)).toMatchObject({ runId, action: "reset", caller });
    expect(await reset(runId)).toEqual({ kind: "refused", status: "queued" });
    await rig.drain();
    expect(await reset(runId)).toEqual({ kind: "refused", status: "waiting" });
    expect(await reset("00000000-0000-7000-8000-999999999999")).toEqual({ kind: "not_found" });
  });

  it("L-51: a worker that dies before it has reset the loop leaves that to the next one", async () => {
    const runId = await corrupted('{"decision":"wait"}', '{"decision":"done"}');
    await reset(runId);
    const { token } = rig.store.tables.runs.get(runId)!;
    await rig.store.work.claim({ runId, token }, "dead", 1000, 5);
    rig.clock.advance(60_000);
    await rig.settle();
    expect(await rig.story(runId)).toMatchObject({ status: "succeeded", loop: { epoch: 1, iterations: 1 } });
  });
});
