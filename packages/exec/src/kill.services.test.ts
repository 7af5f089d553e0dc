import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStepRig, running, type StepRig, textOf, uniqueSleep, until } from "./testing/step-rig.ts";

let rig: StepRig;
beforeAll(async () => {
  rig = await openStepRig();
});
afterAll(() => rig.close());

/** Runs a command that makes the file `ready` in its folder, and calls back once it is there. */
async function whenReady(
  command: string,
  then: (cwd: string) => Promise<void> | void,
  options: Parameters<StepRig["run"]>[1] = {},
) {
  let cwd = "";
  const outcome = rig.run(command, {
    ...options,
    prepare: (directories) => {
      ({ cwd } = directories);
    },
  });
  await until("the step is ready", () => existsSync(join(cwd, "ready")));
  await then(cwd);
  return outcome;
}

describe("the deadline", () => {
  it("L-29, D1, AC-44: a step over its deadline ends with its whole group", async () => {
    const sleep = uniqueSleep();
    const outcome = await rig.run(`echo note >&2; ${sleep} & ${sleep}`, { deadlineMs: 300 });
    expect(outcome).toMatchObject({ kind: "timed_out", stderr: "note\n" });
    expect(outcome.elapsedMs).toBeGreaterThanOrEqual(299);
    expect(outcome.elapsedMs).toBeLessThan(5000);
    expect(await running(sleep)).toEqual([]);
  });

  it("L-29, AC-45: a step that ignores SIGTERM and has a child holding stdout is dead after the grace of 5 s, and not before", async () => {
    const sleep = uniqueSleep();
    const outcome = await rig.run(`trap '' TERM; ${sleep} & ${sleep}; ${sleep}`, { deadlineMs: 100 });
    expect(outcome.kind).toBe("timed_out");
    expect(outcome.elapsedMs).toBeGreaterThanOrEqual(5000);
    expect(await running(sleep)).toEqual([]);
  });

  it("L-29: a step may use the grace to clean up; it still timed out", async () => {
    const outcome = await rig.run("trap 'echo cleaned >&2; exit 0' TERM; while :; do sleep 0.02; done", {
      deadlineMs: 200,
    });
    expect(outcome).toMatchObject({ kind: "timed_out", stderr: expect.stringContaining("cleaned\n") });
  });

  it("L-29: a stopped process is woken to hear SIGTERM", async () => {
    const sleep = uniqueSleep();
    const outcome = await rig.run(`${sleep} & kill -STOP $!; ${sleep}`, { deadlineMs: 200 });
    expect(outcome.kind).toBe("timed_out");
    expect(outcome.elapsedMs).toBeLessThan(5000);
    expect(await running(sleep)).toEqual([]);
  });

  it("L-29: what left the group is killed as well", async () => {
    const sleep = uniqueSleep();
    const outcome = await rig.run(`setsid sh -c '${sleep}; exit' & ${sleep}`, { deadlineMs: 300 });
    expect(outcome.kind).toBe("timed_out");
    expect(await running(sleep)).toEqual([]);
  });

  it("L-8, P-11, D4: a deadline beyond a 32-bit timer does not fire at once", async () => {
    expect(textOf(await rig.run("sleep 0.1; echo ok", { deadlineMs: 3_000_000_000 }))).toBe("ok\n");
  });
});

describe("an abort", () => {
  it("L-29, AC-87, P-28: kills the running group", async () => {
    const sleep = uniqueSleep();
    const controller = new AbortController();
    const outcome = await whenReady(`${sleep} & touch ready; ${sleep}`, () => controller.abort(), {
      signal: controller.signal,
    });
    expect(outcome.kind).toBe("aborted");
    expect(await running(sleep)).toEqual([]);
  });

  it("P-30: before the start lets nothing start", async () => {
    const sleep = uniqueSleep();
    expect(await rig.run(sleep, { signal: AbortSignal.abort() })).toEqual({ kind: "aborted", elapsedMs: 0 });
    expect(await running(sleep)).toEqual([]);
  });

  it("S-27: may bring a shorter grace for what ignores SIGTERM", async () => {
    const sleep = uniqueSleep();
    const controller = new AbortController();
    const abort = () => controller.abort({ killGraceMs: 100 });
    const outcome = await whenReady(`trap '' TERM; touch ready; ${sleep}; ${sleep}`, abort, {
      signal: controller.signal,
    });
    expect(outcome.kind).toBe("aborted");
    expect(outcome.elapsedMs).toBeLessThan(5000);
    expect(await running(sleep)).toEqual([]);
  });

  it("S-27: shortens the grace that a deadline began, and the step still timed out", async () => {
    const controller = new AbortController();
    const command = "trap 'touch ready' TERM; while :; do sleep 0.02; done";
    const outcome = await whenReady(command, () => controller.abort({ killGraceMs: 0 }), {
      signal: controller.signal,
      deadlineMs: 100,
    });
    expect(outcome.kind).toBe("timed_out");
    expect(outcome.elapsedMs).toBeLessThan(5000);
  });

  it("L-29: without a grace of its own leaves the step 5 s", async () => {
    const controller = new AbortController();
    const outcome = await whenReady(
      "trap '' TERM; touch ready; sleep 60",
      () => controller.abort(new Error("lease lost")),
      { signal: controller.signal },
    );
    expect(outcome.kind).toBe("aborted");
    expect(outcome.elapsedMs).toBeGreaterThanOrEqual(5000);
  });
});
