import { describe, expect, test } from "vitest";
import { child, counting, repeatLoop, runToRest } from "../testing/repeat-flow.ts";
import { Rig } from "../testing/rig.ts";
import type { CommandScript } from "../testing/scripted-runner.ts";

describe("what a child answers (R-4)", () => {
  test.each<[string, unknown]>([
    ["a text", "true"],
    ["a number", 1],
    ["null", null],
    ["an object", {}],
    ["a blank text", ""],
  ])("R-4: done as %s is decision_invalid", async (_, done) => {
    const { story } = await runToRest(
      repeatLoop(),
      child(() => ({ next: 1, done })),
    );
    expect(story).toMatchObject({ status: "failed", code: "decision_invalid", decisions: [], state: "null" });
    expect(story.failure?.message).toContain("repeat_done of the child child must be a real boolean");
  });

  test("R-4: done as real boolean is judged before the state; true keeps the current one when none comes, null counts", async () => {
    const ir = repeatLoop({ input: { repeat_state: { kept: 1 }, target: 3 } });
    delete ir.subflows["child"]!.outputs["repeat_next_state"];
    const { story } = await runToRest(
      ir,
      child(() => ({ done: true, next: 5 })),
    );
    expect(story).toMatchObject({ status: "succeeded", state: '{"kept":1}' });
    const nulled = await runToRest(
      repeatLoop({ input: { repeat_state: { kept: 1 }, target: 3 } }),
      child(() => ({ done: true, next: null })),
    );
    expect(nulled.story).toMatchObject({ status: "succeeded", state: "null" });
  });

  test("R-4: false without a next state is state_missing, also on the last allowed iteration", async () => {
    const ir = repeatLoop({ maxIterations: 1 });
    delete ir.subflows["child"]!.outputs["repeat_next_state"];
    const { story } = await runToRest(
      ir,
      child(() => ({ done: false, next: 5 })),
    );
    expect(story).toMatchObject({ status: "failed", code: "state_missing", decisions: [] });
  });

  test("R-4: a child that fails is body_failed with its reason, whatever else is wrong", async () => {
    const { story } = await runToRest(repeatLoop(), () => ({ exitCode: 3, stderr: "no luck" }));
    expect(story).toMatchObject({ status: "failed", code: "body_failed", failure: { node: "step" } });
    expect(story.failure?.message).toMatch(/The child child failed: .*3/s);
    expect(story.failure?.details).toMatchObject({ cause: "exit_nonzero" });
  });

  test("O-2, R-4: a child that fails is tolerated where the loop says so, a wrong answer is not", async () => {
    let failures = 0;
    const flaky: CommandScript = (call) =>
      call.command === "step" && failures++ === 0 ? { exitCode: 1 } : counting(call);
    const tolerated = await runToRest(repeatLoop({ continueOnError: true }), flaky);
    expect(tolerated.story).toMatchObject({
      status: "succeeded",
      decisions: ["continue", "continue", "continue", "done"],
    });
    expect(tolerated.story.history[0]?.error).toMatchObject({ code: "body_failed" });
    const wrong = await runToRest(
      repeatLoop({ continueOnError: true }),
      child(() => ({ next: 1, done: "yes" })),
    );
    expect(wrong.story).toMatchObject({ status: "failed", code: "decision_invalid" });
  });
});

test("R-5: exhausted is loop_max_iterations, nothing of it goes out, state and history stay readable", async () => {
  const { story } = await runToRest(repeatLoop({ maxIterations: 2, target: 9 }));
  expect(story).toMatchObject({
    status: "failed",
    code: "loop_max_iterations",
    state: '{"count":2}',
    decisions: ["continue", "continue"],
    outputs: [],
  });
});

describe("cancel and deadline (R-8)", () => {
  test("R-8: a cancel stops the running child and nothing of its iteration is kept", async () => {
    const rig = new Rig(async (call) => {
      if (call.number < 4) return counting(call);
      await rig.cancel(call.marker.split("_")[0] ?? "");
      rig.clock.advance(6000);
      return { hang: true };
    });
    const runId = await rig.runFlow(repeatLoop());
    expect(await rig.story(runId)).toMatchObject({
      status: "cancelled",
      state: '{"count":1}',
      decisions: ["continue"],
    });
    rig.close();
  });

  test("R-8: a cancel ends a pause at once, and nothing wakes afterwards", async () => {
    const rig = new Rig(counting);
    const runId = await rig.runFlow(repeatLoop({ delayMs: 30_000 }));
    expect(await rig.story(runId)).toMatchObject({ status: "running", iterations: 1 });
    expect(await rig.cancel(runId)).toMatchObject({ kind: "cancelled" });
    await rig.settle();
    expect(await rig.story(runId)).toMatchObject({ status: "cancelled", iterations: 1 });
    rig.close();
  });

  test("R-8: the timeout ends a child that hangs, and a pause that would outlast it", async () => {
    const hanging = await runToRest(repeatLoop({ timeout: "2s" }), () => ({ hang: true }));
    expect(hanging.story).toMatchObject({ status: "failed", code: "loop_timeout", decisions: [] });
    const paused = await runToRest(repeatLoop({ timeout: "2s", delayMs: 30_000 }));
    expect(paused.story).toMatchObject({
      status: "failed",
      code: "loop_timeout",
      decisions: ["continue"],
      state: '{"count":1}',
    });
  });
});
