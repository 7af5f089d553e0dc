import type { Ir } from "@agentflow/core";
import { afterEach, describe, expect, it } from "vitest";
import { Rig, subflowLoop } from "./testing/index.ts";
import type { ScriptedCall } from "./testing/index.ts";

let rig: Rig;
afterEach(() => rig.close());

const stateOf = (call: ScriptedCall): { n: number } =>
  (JSON.parse(call.files["AGENTFLOW_INPUTS_JSON"]?.text ?? "{}") as { state: { n: number } }).state;

/** A loop that ends after `bodies` Bodies; `onBody` is told of each before it answers. */
function counting(bodies: number, onBody: (n: number) => void = () => {}): Rig {
  rig = new Rig((call) => {
    if (call.command === "downstream") return "downstream";
    const { n } = stateOf(call);
    if (call.command === "judge") return n < bodies ? "continue" : "done";
    onBody(n + 1);
    return `{"n":${n + 1}}`;
  });
  return rig;
}

const ordinary = () => subflowLoop({ maxIterations: "200" });

function bursting(json: string): Ir {
  const flow = ordinary();
  const loop = flow.nodes["loop"]!;
  return { ...flow, nodes: { ...flow.nodes, loop: { ...loop, pins: { ...loop.pins, burst: { json } } } } };
}

const all = (bodies: number) => [...Array.from({ length: bodies }, () => "continue"), "done"];

describe("bursts", () => {
  it("L-3: without one, each iteration is a job, and so is what follows the loop", async () => {
    counting(5);
    await rig.runFlow(ordinary());
    expect(rig.outcomes).toHaveLength(7);
  });

  it("S-7, L-14, L-34: a job does as many iterations as the loop allows, each with its own commit, row and key", async () => {
    counting(8);
    const story = await rig.story(await rig.runFlow(bursting('{"iterations":3}')));
    expect(story).toMatchObject({ status: "succeeded", iterations: 9, decisions: all(8), state: '{"n":8}' });
    expect(new Set(story.history.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(9);
    // Nine iterations by threes; what follows the loop is the job of the wake that the last of them left.
    expect(rig.outcomes).toEqual(["committed", "committed", "committed", "finished"]);
  });

  it("S-7: a loop's burst ends when its time is up", async () => {
    counting(6, () => rig.clock.advance(400));
    await rig.runFlow(bursting('{"iterations":1000,"ms":1000}'));
    // 400, 800, 1200 ms: three to a job; Conditions take no time.
    expect(rig.outcomes).toEqual(["committed", "committed", "finished"]);
  });

  it("S-27: it ends at once when others wait or the worker stops", async () => {
    counting(4);
    let waiting = false;
    Object.assign(rig.advanceDeps, { crowded: () => waiting });
    await rig.register(bursting('{"iterations":1000}'));
    const runId = await rig.start();
    waiting = true;
    await rig.drain();
    expect(rig.outcomes).toHaveLength(6);
    expect(await rig.story(runId)).toMatchObject({ status: "succeeded", iterations: 5 });
  });

  it("L-13: a cancel is seen between two iterations of a burst", async () => {
    counting(100, (n) => {
      if (n === 3) void rig.cancel(runId);
    });
    await rig.register(bursting('{"iterations":1000}'));
    const runId = await rig.start();
    await rig.drain();
    expect(await rig.story(runId)).toMatchObject({ status: "cancelled" });
    expect(rig.runner.calls.filter(({ command }) => command === "work")).toHaveLength(3);
  });

  it("S-10: the operator's burst holds for loops that set none, and one of 1 iteration is none", async () => {
    counting(5);
    Object.assign(rig.advanceDeps, { burst: { iterations: 1000, ms: 1000 } });
    await rig.runFlow(ordinary());
    expect(rig.outcomes).toEqual(["finished"]);
    rig.outcomes.length = 0;
    await rig.runFlow(bursting('{"iterations":1}'));
    expect(rig.outcomes).toHaveLength(7);
  });

  it("L-51: a wake that was kept back is in the queue when the next iteration cannot even be claimed", async () => {
    counting(3);
    const { claim } = rig.store.work;
    let claims = 0;
    Object.assign(rig.store.work, {
      claim: (...args: Parameters<typeof claim>) => {
        claims += 1;
        if (claims === 2) throw new Error("no luck");
        return claim(...args);
      },
    });
    await rig.register(bursting('{"iterations":1000}'));
    const runId = await rig.start();
    await expect(rig.drain()).rejects.toThrow("no luck");
    await rig.settle();
    expect(await rig.story(runId)).toMatchObject({ status: "succeeded", iterations: 4, decisions: all(3) });
  });
});
