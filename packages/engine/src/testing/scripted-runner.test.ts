import { expect, test } from "vitest";
import type { CommandStep } from "../ports/runtime.ts";
import { FakeClock } from "./fake-clock.ts";
import { ScriptedRunner } from "./scripted-runner.ts";
import type { CommandScript } from "./scripted-runner.ts";

const never = new AbortController().signal;

function stepOf(given: Partial<CommandStep> = {}): CommandStep {
  return { command: "work", env: {}, files: {}, deadlineMs: null, marker: "run_1", ...given };
}

async function runOnce(script: CommandScript, step = stepOf(), signal = never) {
  const clock = new FakeClock();
  const runner = new ScriptedRunner(clock, script);
  const place = await runner.open("digest");
  const outcome = await place.run(step, signal);
  await place.close();
  return { clock, runner, outcome };
}

const textOf = (stdout: Uint8Array) => new TextDecoder().decode(stdout);

test("L-24: plain text is printed with exit code 0, and the script sees what was asked for", async () => {
  const files = { AGENTFLOW_WHILE_STATE: { fileName: "state.json", text: '{"n":1}', alsoEnv: true } };
  const step = stepOf({ command: "echo hi", env: { AGENTFLOW_WHILE_ITERATION: "2" }, files });
  const { outcome, runner } = await runOnce(
    ({ command, env, files: given, bundleDigest, number }) =>
      `${command} ${env["AGENTFLOW_WHILE_ITERATION"]} ${given["AGENTFLOW_WHILE_STATE"]?.text} ${bundleDigest} ${number}`,
    step,
  );
  expect(outcome).toMatchObject({ kind: "exited", exitCode: 0, stderr: "", elapsedMs: 0 });
  expect(outcome.kind === "exited" && textOf(outcome.stdout)).toBe('echo hi 2 {"n":1} digest 1');
  expect(runner.calls).toMatchObject([step]);
});

test("L-35: active time passes on the clock of the test, other ends stand as scripted", async () => {
  const { outcome, clock } = await runOnce(
    () => ({ takesMs: 700, stdout: "out", stderr: "log", exitCode: 3 }),
    stepOf({ deadlineMs: 700 }),
  );
  expect(outcome).toMatchObject({ kind: "exited", exitCode: 3, stderr: "log", elapsedMs: 700 });
  expect(clock.monotonicMs()).toBe(700);
  const signalled = {
    kind: "signalled",
    signal: "SIGKILL",
    stdout: new Uint8Array(),
    stderr: "",
    elapsedMs: 40,
  } as const;
  const other = await runOnce(() => ({ outcome: signalled }));
  expect(other.outcome).toEqual(signalled);
  expect(other.clock.monotonicMs()).toBe(40);
});

test("L-29: what takes longer than the deadline, or hangs, times out at the deadline", async () => {
  for (const end of [{ takesMs: 701 }, { hang: true } as const]) {
    const { outcome, clock } = await runOnce(() => end, stepOf({ deadlineMs: 700 }));
    expect(outcome).toEqual({ kind: "timed_out", stderr: "", elapsedMs: 700 });
    expect(clock.monotonicMs()).toBe(700);
  }
});

test("L-29: an aborted command ends as aborted: before it starts, while it hangs, and when it ends too late", async () => {
  expect((await runOnce(() => "never", stepOf(), AbortSignal.abort())).runner.calls).toEqual([]);
  const hanging = new AbortController();
  const end = runOnce(() => ({ hang: true }), stepOf(), hanging.signal);
  hanging.abort();
  expect((await end).outcome.kind).toBe("aborted");
  const late = new AbortController();
  const script: CommandScript = () => {
    late.abort();
    return { takesMs: 10, stdout: "late" };
  };
  expect((await runOnce(script, stepOf(), late.signal)).outcome.kind).toBe("aborted");
});

test("F-22: each place has folders of its own, runs one command and is counted until it is closed", async () => {
  const runner = new ScriptedRunner(new FakeClock(), () => "");
  const [one, two] = [await runner.open("d1"), await runner.open("d2")];
  expect(one.nodeRunDir).not.toBe(two.nodeRunDir);
  expect([one.flowDir, two.flowDir]).toEqual(["/bundles/d1", "/bundles/d2"]);
  expect(one.outputsDir.startsWith(`${one.nodeRunDir}/`)).toBe(true);
  await one.run(stepOf(), never);
  await expect(one.run(stepOf(), never)).rejects.toThrow("one command");
  expect(runner.openPlaces).toBe(2);
  await one.close();
  await one.close();
  await two.close();
  expect(runner.openPlaces).toBe(0);
  await expect(two.run(stepOf(), never)).rejects.toThrow("one command");
});
