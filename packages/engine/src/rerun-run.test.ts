import { afterEach, describe, expect, it } from "vitest";
import { rerunRun } from "./rerun-run.ts";
import type { RerunRequest } from "./rerun-run.ts";
import { Rig, flow, loopPins, node } from "./testing/index.ts";

let rig: Rig;
afterEach(() => rig.close());

const rerun = (runId: string, given: Partial<RerunRequest> = {}) =>
  rerunRun(rig.requestDeps, { inputs: null, version: null, idempotencyKey: null, ...given, runId });

/** A loop whose state and note are inputs. */
function inputsFlow() {
  const pins = loopPins({ maxIterations: "2" });
  delete pins["state"];
  return flow({
    nodes: {
      start: node("provide.json", { pins: { value: { json: '{"n":0}' } } }),
      note: node("provide.text", { pins: { value: { text: "none" } } }),
      loop: node("control.while", { script: "decide", pins }),
      shown: node("display.code"),
    },
    edges: ["start.value → loop.state", "loop.next → shown.prev", "note.value → shown.content"],
    roots: ["loop"],
  });
}

describe("rerun", () => {
  it("P-12: a run that hit its limit is refused a resume; run again it starts with counters at zero and a link", async () => {
    rig = new Rig(() => '{"decision":"continue","state":{"n":1}}');
    const runId = await rig.runFlow(inputsFlow(), { start: '{"n":5,"a":1.0}', note: '"kept"' });
    expect(await rig.story(runId)).toMatchObject({ code: "loop_max_iterations", iterations: 2 });
    expect(await rig.resume(runId)).toMatchObject({ kind: "not_waiting", status: "failed" });

    const again = await rerun(runId);
    if (again.kind !== "created") throw new Error(again.kind);
    expect(await rig.view(again.runId)).toMatchObject({
      ...{ status: "queued", rerunOf: runId, version: 1, attempt: 0, loops: [] },
      inputs: '{"start":{"n":5,"a":1.0},"note":"kept"}',
    });
    await rig.drain();
    expect(await rig.story(again.runId)).toMatchObject({ iterations: 2, loop: { epoch: 0 } });
    expect((await rig.view(runId)).status).toBe("failed");
  });

  it("3.4: it keeps version, tags and priority; given inputs replace the old ones one by one", async () => {
    rig = new Rig(() => '{"decision":"done"}');
    await rig.register(inputsFlow());
    const runId = await rig.start({ start: '{"n":5}', note: '"old"' });
    const newer = inputsFlow();
    newer.nodes["loop"]!.script = "decide later";
    await rig.register(newer);
    const again = await rerun(runId, { inputs: new Map([["note", '"new"']]) });
    if (again.kind !== "created") throw new Error(again.kind);
    expect(await rig.view(again.runId)).toMatchObject({
      version: 1,
      inputs: '{"start":{"n":5},"note":"new"}',
    });
    expect(await rerun(runId, { version: 2 })).toMatchObject({ kind: "created" });
    expect(await rerun(runId, { version: 9 })).toMatchObject({ kind: "version_not_found", version: 9 });
    expect(await rerun(runId, { inputs: new Map([["nobody", "1"]]) })).toMatchObject({
      kind: "invalid",
      failures: [{ code: "input_unknown" }],
    });
    expect(await rerun("00000000-0000-7000-8000-999999999999")).toEqual({ kind: "run_not_found" });
  });

  it("3.4: one Idempotency-Key reruns once; the key of the first run is another one's", async () => {
    rig = new Rig(() => '{"decision":"done"}');
    await rig.register(inputsFlow());
    const runId = await rig.start();
    const first = await rerun(runId, { idempotencyKey: "k" });
    expect(await rerun(runId, { idempotencyKey: "k" })).toEqual({
      kind: "existing",
      runId: "runId" in first ? first.runId : "",
    });
    const other = { idempotencyKey: "k", inputs: new Map([["note", '"x"']]) };
    expect(await rerun(runId, other)).toMatchObject({ kind: "conflict" });
  });
});
