import { afterEach, describe, expect, it } from "vitest";
import { Rig, scriptLoop } from "./testing/index.ts";

let rig: Rig;
afterEach(() => rig.close());

/** A script loop under guards whose script answers `continue` with these states, the last one again and again. */
async function looping(guards: object, ...states: unknown[]): Promise<string> {
  rig = new Rig(({ env }) => {
    const n = Math.min(Number(env["AGENTFLOW_WHILE_ITERATION"]), states.length);
    return JSON.stringify({ decision: "continue", state: states[n - 1], summary: "going on" });
  });
  const ir = scriptLoop({ maxIterations: "12", state: '"start"' });
  ir.nodes["loop"]!.pins["guards"] = { json: JSON.stringify(guards) };
  return rig.runFlow(ir);
}

const eventsOf = (runId: string) =>
  rig.store.tables.events.get(runId)!.filter(({ type }) => type === "guard-tripped");

describe("loop guards", () => {
  it("OP-7: a loop that gets nowhere is parked with its evidence; a resume lets counting begin anew", async () => {
    const runId = await looping({ noProgress: 3 }, "a");
    const story = await rig.story(runId);
    expect(story).toMatchObject({
      ...{
        status: "waiting",
        iterations: 4,
        state: '"a"',
        decisions: ["continue", "continue", "continue", "wait"],
      },
      loop: { summary: "Guard noProgress (3): the state has not changed for 3 iterations." },
    });
    expect(eventsOf(runId)).toMatchObject([
      { guard: "noProgress", iteration: 4, onTrip: "wait", details: { iterations: 3 } },
    ]);
    await rig.resume(runId);
    await rig.drain();
    expect(await rig.story(runId)).toMatchObject({ status: "waiting", iterations: 7 });
  });

  it("OP-7: a state seen before parks the loop, and the state stays as the iteration made it", async () => {
    const runId = await looping({ oscillation: 4 }, "a", "b", "a", "b");
    expect(await rig.story(runId)).toMatchObject({
      ...{ status: "waiting", iterations: 3, state: '"a"' },
      loop: { summary: "Guard oscillation (4): the state is what it was 2 states ago." },
    });
  });

  it("OP-7: fail ends the run as guard_tripped", async () => {
    const runId = await looping({ growthBytes: 10, onTrip: "fail" }, "a", "b".repeat(20), "c");
    expect(await rig.story(runId)).toMatchObject({
      ...{
        status: "failed",
        iterations: 2,
        decisions: ["continue", "fail"],
        state: JSON.stringify("b".repeat(20)),
      },
      failure: {
        ...{ code: "guard_tripped", node: "loop", iteration: 2 },
        message: "Guard growthBytes (10): the state has grown by 15 bytes to 22.",
        details: { guard: "growthBytes", grownBytes: 15, bytes: 22 },
      },
    });
  });

  it("OP-7: warn tells and goes on", async () => {
    const runId = await looping({ noProgress: 4, onTrip: "warn" }, "a");
    expect(await rig.story(runId)).toMatchObject({ code: "loop_max_iterations", iterations: 12 });
    expect(eventsOf(runId).map(({ iteration }) => iteration)).toEqual([5, 9]);
  });

  it("OP-7: the same judgement follows when every iteration is another worker's", async () => {
    rig = new Rig(() => '{"decision":"continue","state":"a"}');
    const { take } = rig.advanceDeps.recent;
    rig.advanceDeps.recent.take = (...given) => {
      take(...given);
      return null;
    };
    const ir = scriptLoop({ maxIterations: "12" });
    ir.nodes["loop"]!.pins["guards"] = { json: '{"noProgress":3}' };
    expect(await rig.story(await rig.runFlow(ir))).toMatchObject({ status: "waiting", iterations: 4 });
  });

  it("OP-7, L-10: a flow with guards that cannot be read is not registered", async () => {
    await expect(looping({ noProgress: -1 }, "a")).rejects.toThrow("give a whole number from 1");
  });
});
