import { afterEach, describe, expect, it } from "vitest";
import { Rig, scriptLoop } from "./testing/index.ts";
import type { ScriptedEnd } from "./testing/index.ts";

type Answer = string | ScriptedEnd;
let rig: Rig;
afterEach(() => rig.close());

/** A rig whose script answers these in order; the last one again and again. */
function answering(...answers: Answer[]): Rig {
  let next = 0;
  rig = new Rig(() => answers[Math.min(next++, answers.length - 1)] ?? "");
  return rig;
}

const say = (decision: string, state?: string, summary?: string): string =>
  `{"decision":"${decision}"${state === undefined ? "" : `,"state":${state}`}${summary === undefined ? "" : `,"summary":"${summary}"`}}`;

describe("decisions of a script loop", () => {
  it("AC-01, L-2: continue twice, then done; downstream runs once with the final state", async () => {
    answering(say("continue", '{"n":1}'), say("continue", '{"n":2}'), say("done", '{"n":3}'));
    const story = await rig.story(await rig.runFlow(scriptLoop()));
    expect(story).toMatchObject({
      status: "succeeded",
      iterations: 3,
      state: '{"n":3}',
      decisions: ["continue", "continue", "done"],
    });
    expect(story.outputs).toEqual([{ node: "after", value: '{"n":3}' }]);
  });

  it("AC-02, AC-14, P-45: a missing state keeps the previous one", async () => {
    answering(say("continue"), say("done"));
    expect(await rig.story(await rig.runFlow(scriptLoop()))).toMatchObject({
      status: "succeeded",
      iterations: 2,
      state: '{"n":0}',
    });
  });

  it("AC-15: null is a value, not absence", async () => {
    answering(say("continue", "null"), say("continue"), say("done"));
    const story = await rig.story(await rig.runFlow(scriptLoop()));
    expect(story).toMatchObject({ status: "succeeded", state: "null", iterations: 3 });
    expect(rig.runner.calls[2]?.files["AGENTFLOW_WHILE_STATE"]?.text).toBe("null");
  });

  it("AC-03, L-20: wait parks the run with its summary, and nothing after the loop runs", async () => {
    answering(say("continue", '{"n":1}'), say("wait", '{"n":2}', "approve"));
    const story = await rig.story(await rig.runFlow(scriptLoop()));
    expect(story).toMatchObject({ status: "waiting", iterations: 2, state: '{"n":2}', outputs: [] });
    expect(story.loop).toMatchObject({ summary: "approve", nextIteration: 3 });
    expect(rig.queue.wakes).toEqual([]);
  });

  it("AC-04, 1.5: fail ends the run as loop_failed with the summary as message; no resume", async () => {
    answering(say("fail", '{"n":9}', "nope"));
    const runId = await rig.runFlow(scriptLoop());
    expect(await rig.story(runId)).toMatchObject({
      status: "failed",
      code: "loop_failed",
      failure: { message: "nope", node: "loop", iteration: 1 },
      state: '{"n":9}',
      decisions: ["fail"],
    });
    expect(await rig.resume(runId)).toMatchObject({ kind: "not_waiting", status: "failed" });
  });

  it("1.5: a fail without a summary says a fixed sentence", async () => {
    answering(say("fail"));
    expect((await rig.story(await rig.runFlow(scriptLoop()))).failure?.message).toMatch(/no summary/);
  });
});

describe("a script that answers badly", () => {
  const cases: [string, Answer, string][] = [
    ["AC-11: upper case", '{"decision":"DONE"}', "decision_invalid"],
    ["AC-20: an unknown field", '{"decision":"done","message":"x"}', "stdout_unknown_field"],
    ["AC-21, P-37: a log line before the object", 'progress\n{"decision":"done"}', "stdout_not_json_object"],
    ["AC-22: nothing", "", "stdout_not_json_object"],
    ["AC-24: a summary that is no text", '{"decision":"done","summary":42}', "summary_invalid"],
    ["P-43: NaN", '{"decision":"continue","state":{"x":NaN}}', "stdout_not_json_object"],
    [
      "P-48: a number that would change",
      '{"decision":"done","state":{"id":9007199254740993}}',
      "number_not_exact",
    ],
    ["P-52: a duplicate key", '{"decision":"wait","decision":"done"}', "duplicate_key"],
    [
      "AC-29, P-41, L-24: exit code 3 after a valid done",
      { stdout: say("done"), exitCode: 3, stderr: "boom" },
      "exit_nonzero",
    ],
    ["L-26: bytes that are no UTF-8", { stdout: new Uint8Array([0xff, 0xfe]) }, "stdout_not_utf8"],
  ];
  it.each(cases)("%s", async (_title, answer, code) => {
    answering(answer);
    const story = await rig.story(await rig.runFlow(scriptLoop()));
    expect(story).toMatchObject({ status: "failed", code, decisions: [], state: '{"n":0}', outputs: [] });
    expect(story.failure).toMatchObject({ node: "loop", iteration: 1 });
  });

  it("AC-29: the error carries the exit code and the end of stderr", async () => {
    answering({ stdout: say("done"), exitCode: 3, stderr: "disk full" });
    const { failure } = await rig.story(await rig.runFlow(scriptLoop()));
    expect(failure).toMatchObject({ details: { exitCode: 3, signal: null, stderrTail: "disk full" } });
    expect(failure?.message).toMatch(/code 3.*disk full/);
  });

  it("P-02: an error in iteration 2 of 5 leaves the state after iteration 1, and nothing further runs", async () => {
    answering(say("continue", '{"n":1}'), { exitCode: 1 });
    const story = await rig.story(await rig.runFlow(scriptLoop()));
    expect(story).toMatchObject({
      status: "failed",
      code: "exit_nonzero",
      iterations: 1,
      state: '{"n":1}',
      decisions: ["continue"],
    });
    expect(rig.runner.calls).toHaveLength(2);
  });
});

describe("what a script is given", () => {
  it("AC-19, L-22, L-23: state, iteration, limits and key; the state of the round before", async () => {
    answering(say("continue", '{"n":1}'), say("done"));
    const { history } = await rig.story(await rig.runFlow(scriptLoop()));
    const second = rig.runner.calls[1];
    expect(second?.env).toEqual({
      AGENTFLOW_WHILE_ITERATION: "2",
      AGENTFLOW_WHILE_MAX_ITERATIONS: "5",
      AGENTFLOW_WHILE_TIMEOUT_MS: "10000",
      AGENTFLOW_WHILE_REMAINING_MS: "10000",
      AGENTFLOW_WHILE_IDEMPOTENCY_KEY: history[1]?.idempotencyKey,
    });
    expect(second?.files["AGENTFLOW_WHILE_STATE"]).toMatchObject({ text: '{"n":1}', alsoEnv: true });
    expect(second?.files["AGENTFLOW_WHILE_RESUME"]).toBeUndefined();
    const inputs = '{"state":{"n":0},"maxIterations":"5","timeout":"10s"}';
    expect(second?.files["AGENTFLOW_INPUTS_JSON"]?.text).toBe(inputs);
  });

  it("L-40: a payload reaches exactly the next iteration, untouched", async () => {
    answering(say("wait"), say("continue"), say("done"));
    const runId = await rig.runFlow(scriptLoop());
    await rig.resume(runId, { payload: '{"2":-0,"1":1.0}' });
    await rig.drain();
    expect(rig.runner.calls[1]?.files["AGENTFLOW_WHILE_RESUME"]?.text).toBe('{"2":-0,"1":1.0}');
    expect(rig.runner.calls[2]?.files["AGENTFLOW_WHILE_RESUME"]).toBeUndefined();
  });
});

describe("what a loop shows when it has ended", () => {
  const ends: [string, Answer, Parameters<typeof scriptLoop>[0], object][] = [
    ["done", say("done", '{"n":2}', "s2"), {}, { decision: "done", iterations: 2, summary: "s2" }],
    ["wait", say("wait", '{"n":2}', "s2"), {}, { decision: "wait", iterations: 2, summary: "s2" }],
    ["fail", say("fail", '{"n":2}', "s2"), {}, { decision: "fail", iterations: 2, summary: "s2" }],
    ["the limit", "", { maxIterations: "1" }, { decision: "continue", iterations: 1, summary: "s1" }],
    ["a timeout", { hang: true }, {}, { decision: "continue", iterations: 1, summary: "s1" }],
    ["a step error", { exitCode: 1 }, {}, { decision: "continue", iterations: 1, summary: "s1" }],
  ];
  it.each(ends)("L-4: %s shows the last completed iteration", async (_end, last, pins, shown) => {
    answering(say("continue", '{"n":1}', "s1"), last);
    const { loop, state } = await rig.story(await rig.runFlow(scriptLoop(pins)));
    expect(loop).toMatchObject(shown);
    expect(state).toBe(`{"n":${loop?.iterations}}`);
  });
});

describe("limits", () => {
  it("AC-37, P-01, L-13: never more rounds than the limit", async () => {
    answering(say("continue", '{"n":1}'), say("continue", '{"n":2}'));
    const story = await rig.story(await rig.runFlow(scriptLoop({ maxIterations: "2" })));
    expect(story).toMatchObject({
      status: "failed",
      code: "loop_max_iterations",
      iterations: 2,
      state: '{"n":2}',
      decisions: ["continue", "continue"],
    });
    expect(rig.runner.calls).toHaveLength(2);
    expect(story.failure).toMatchObject({ iteration: 2, message: expect.stringMatching(/2/) });
  });

  it("AC-38, L-13: done on the last allowed iteration is a success", async () => {
    answering(say("continue"), say("done"));
    expect(await rig.story(await rig.runFlow(scriptLoop({ maxIterations: "2" })))).toMatchObject({
      status: "succeeded",
      iterations: 2,
    });
  });

  it("AC-35, L-6: zero iterations are legal and end by the limit", async () => {
    answering(say("done"));
    expect(await rig.story(await rig.runFlow(scriptLoop({ maxIterations: "0" })))).toMatchObject({
      status: "failed",
      code: "loop_max_iterations",
      iterations: 0,
    });
    expect(rig.runner.calls).toHaveLength(0);
  });

  it("AC-44, L-32: a timeout inside an iteration leaves no trace in state or history", async () => {
    answering({ takesMs: 5000, stdout: say("done", '{"n":7}') });
    const story = await rig.story(await rig.runFlow(scriptLoop({ timeout: "100ms" })));
    expect(story).toMatchObject({
      status: "failed",
      code: "loop_timeout",
      iterations: 0,
      state: '{"n":0}',
      decisions: [],
    });
    expect(story.failure?.message).toMatch(/100 ms/);
    expect(story.loop?.elapsedMs).toBe(100);
  });

  it("AC-40, L-36: the counter is cumulative over resumes", async () => {
    answering(say("continue"), say("wait"), say("continue"));
    const runId = await rig.runFlow(scriptLoop({ maxIterations: "3" }));
    await rig.resume(runId);
    await rig.drain();
    expect(await rig.story(runId)).toMatchObject({
      status: "failed",
      code: "loop_max_iterations",
      iterations: 3,
    });
  });

  it("AC-42, L-35, L-36: active time is cumulative, parked time is free", async () => {
    answering({ takesMs: 600, stdout: say("wait") }, { takesMs: 600, stdout: say("done") });
    const runId = await rig.runFlow(scriptLoop({ timeout: "1s" }));
    rig.clock.advance(3_600_000);
    await rig.resume(runId);
    await rig.drain();
    expect(rig.runner.calls[1]?.deadlineMs).toBe(400);
    expect(await rig.story(runId)).toMatchObject({
      status: "failed",
      code: "loop_timeout",
      iterations: 1,
      loop: { elapsedMs: 1000 },
    });
  });

  it("L-35: elapsed time is the sum of the rows, and a wall clock that jumps does not touch it", async () => {
    rig = new Rig((call) => {
      rig.clock.jumpWall(-3_600_000);
      return { takesMs: 20, stdout: say(call.number === 3 ? "done" : "continue") };
    });
    const story = await rig.story(await rig.runFlow(scriptLoop()));
    expect(story.history.map(({ elapsedMs }) => elapsedMs)).toEqual([20, 20, 20]);
    expect(story.loop?.elapsedMs).toBe(60);
  });
});

describe("idempotency keys", () => {
  it("AC-62, AC-65, L-14: differ by iteration, look as promised, and stay when the run goes on", async () => {
    answering(say("continue"), say("wait"), say("done"));
    const runId = await rig.runFlow(scriptLoop());
    const before = (await rig.story(runId)).history;
    await rig.resume(runId);
    await rig.drain();
    const { history } = await rig.story(runId);
    expect(history.slice(0, 2)).toEqual(before);
    expect(new Set(history.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(3);
    for (const { idempotencyKey } of history) expect(idempotencyKey).toMatch(/^afw_[0-9a-f]{32}$/);
  });

  it("AC-63: two runs of one flow with equal inputs have different keys", async () => {
    answering(say("done"));
    const first = await rig.runFlow(scriptLoop());
    const second = await rig.start();
    await rig.drain();
    const keys = await Promise.all(
      [first, second].map(async (id) => (await rig.story(id)).history[0]?.idempotencyKey),
    );
    expect(keys[0]).not.toBe(keys[1]);
  });
});
