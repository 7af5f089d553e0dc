import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { running, uniqueSleep, until } from "../testing/step-rig.ts";
import { openWarmRig, resultOf, type WarmRig } from "../testing/warm-rig.ts";

const modules = {
  "pid.mjs": `export default () => process.pid;`,
  "hang.mjs": `import { writeFileSync } from "node:fs"; export default ({ inputs }) => { writeFileSync(inputs.ready, ""); for (;;); };`,
  "polite.mjs": `import { writeFileSync } from "node:fs"; export default ({ inputs, signal, log }) => new Promise((resolve) => {
    const stop = () => { log("stopped by", signal.reason.name); resolve("late"); };
    if (signal.aborted) stop(); else signal.addEventListener("abort", stop);
    writeFileSync(inputs.ready, ""); });`,
  "deaf.mjs": `import { writeFileSync } from "node:fs"; export default ({ inputs }) => { writeFileSync(inputs.ready, ""); return new Promise(() => {}); };`,
  "exit.mjs": `export default ({ inputs, log }) => { log("going"); process.exit(inputs.code); };`,
  "kill.mjs": `export default () => process.kill(process.pid, "SIGKILL");`,
  "uncaught.mjs": `export default () => new Promise(() => { setImmediate(() => { throw new Error("nobody catches this"); }); });`,
  "rejection.mjs": `export default () => { void Promise.reject(new Error("forgotten")); return new Promise(() => {}); };`,
  "heap.mjs": `export default () => { const kept = []; for (;;) kept.push(new Array(100_000).fill(kept.length)); };`,
  "grow.mjs": `const kept = []; export default ({ inputs }) => { kept.push(Buffer.alloc(inputs.bytes, 1)); return process.pid; };`,
  "leave.mjs": `import { spawn } from "node:child_process"; export default ({ inputs }) => {
    spawn("sh", ["-c", inputs.command], { stdio: "ignore", detached: inputs.detached }).unref(); return process.pid; };`,
  "wait-for-child.mjs": `import { execFileSync } from "node:child_process"; export default () => { execFileSync("true"); return process.pid; };`,
  "keep.mjs": `globalThis.kept ??= []; export default ({ inputs }) => { globalThis.kept.push(inputs.value); process.env.KEPT = inputs.value; return { pid: process.pid, kept: globalThis.kept, cwd: process.cwd() }; };`,
  "garbage.mjs": `import { writeSync } from "node:fs"; export default () => { writeSync(3, Buffer.alloc(64, 0xff)); return new Promise(() => {}); };`,
  "huge.mjs": `export default () => ({ all: "x".repeat(64 * 1024 * 1024) });`,
};

let rig: WarmRig;
afterEach(() => rig.close());
const open = async (...rest: [Parameters<typeof openWarmRig>[1]?, string?]) => {
  rig = await openWarmRig(modules, ...rest);
};
const inputs = (value: object) => ({ inputs: JSON.stringify(value) });
const pid = async (options = {}) => Number(resultOf(await rig.call("pid.mjs", options)));
const gone = (process_: number): boolean => {
  try {
    process.kill(process_, 0);
    return false;
  } catch {
    return true;
  }
};

/** Calls a function that makes a file once it is at work, and goes on when it is. */
async function atWork(file: string, then: () => void, options: object = {}) {
  const ready = join(rig.dataDir, "ready");
  const outcome = rig.call(file, { ...inputs({ ready }), ...options });
  await until("the function is at work", () => existsSync(ready));
  then();
  return outcome;
}

describe("the deadline of a call", () => {
  it("L-29, D1: ends a function that spins, a second after its signal, and the next call has a fresh process", async () => {
    await open();
    const first = await pid();
    const outcome = await rig.call("hang.mjs", {
      ...inputs({ ready: join(rig.dataDir, "r") }),
      deadlineMs: 200,
    });
    expect(outcome).toMatchObject({ kind: "timed_out" });
    expect(outcome.elapsedMs).toBeGreaterThanOrEqual(1199);
    await until("its process is gone", () => gone(first));
    expect(await pid()).not.toBe(first);
  });

  it("L-29: aborts the function's signal first; what it answers then does not count", async () => {
    await open();
    await pid();
    const outcome = await rig.call("polite.mjs", {
      ...inputs({ ready: join(rig.dataDir, "r") }),
      deadlineMs: 1000,
    });
    expect(outcome).toMatchObject({ kind: "timed_out", stderr: "stopped by TimeoutError\n" });
    expect(outcome.elapsedMs).toBeLessThan(2000);
  });

  it("L-8: beyond a 32-bit timer does not fire at once", async () => {
    await open();
    expect(await rig.call("pid.mjs", { deadlineMs: 3_000_000_000 })).toMatchObject({ kind: "returned" });
  });
});

describe("an abort of a call", () => {
  it("L-29, AC-87: kills a function that does not listen, and everything it started", async () => {
    await open();
    const first = await pid();
    const controller = new AbortController();
    const outcome = await atWork("deaf.mjs", () => controller.abort(), { signal: controller.signal });
    expect(outcome).toMatchObject({ kind: "aborted" });
    await until("its process is gone", () => gone(first));
  });

  it("S-27: at shutdown gives as little time as its reason says", async () => {
    await open();
    const controller = new AbortController();
    const abortedAt: number[] = [];
    await atWork(
      "deaf.mjs",
      () => {
        abortedAt.push(performance.now());
        controller.abort({ killGraceMs: 0 });
      },
      { signal: controller.signal },
    );
    expect(performance.now() - abortedAt[0]!).toBeLessThan(900);
  });

  it("L-29: before the call starts nothing", async () => {
    await open();
    expect(await rig.call("pid.mjs", { signal: AbortSignal.abort() })).toMatchObject({ kind: "aborted" });
    expect(rig.runner.warmProcesses).toBe(0);
  });
});

describe("a process that dies in a call", () => {
  it.each([
    ["exit.mjs", { code: 0 }, { exitCode: 0, signal: null, stderr: "going\n" }],
    ["exit.mjs", { code: 3 }, { exitCode: 3, signal: null, stderr: "going\n" }],
    ["kill.mjs", {}, { exitCode: null, signal: "SIGKILL" }],
    ["uncaught.mjs", {}, { exitCode: 1, stderr: expect.stringContaining("nobody catches this") }],
    ["rejection.mjs", {}, { exitCode: 1, stderr: expect.stringContaining("forgotten") }],
    ["garbage.mjs", {}, { exitCode: null, signal: null }],
  ])("L-24: fails that call only: %s %o", async (file, given, wanted) => {
    await open();
    const first = await pid();
    expect(await rig.call(file, inputs(given))).toMatchObject({ kind: "died", ...wanted });
    await until("its process is gone", () => gone(first));
    expect(await pid()).not.toBe(first);
  });

  it("of a heap beyond its limit says so in the log", async () => {
    await open({ maxRssBytes: 67_108_864 });
    expect(await rig.call("heap.mjs")).toMatchObject({
      kind: "died",
      stderr: expect.stringContaining("heap"),
    });
  });

  it("L-25: a result of 64 MiB is not read", async () => {
    await open();
    expect(await rig.call("huge.mjs")).toMatchObject({ kind: "too_large", stream: "stdout" });
  });

  it("between two calls goes unnoticed", async () => {
    await open();
    const first = await pid();
    process.kill(first, "SIGKILL");
    await until("the process is gone", () => rig.runner.warmProcesses === 0);
    expect(await pid()).not.toBe(first);
  });
});

describe("what a call leaves running", () => {
  it.each([
    ["in the group", false, (sleep: string) => sleep],
    ["in the group, by a shell that has ended", false, (sleep: string) => `${sleep} &`],
    ["in a session of its own", true, (sleep: string) => `${sleep}; true`],
    ["in a session of its own, by a shell that has ended", false, (sleep: string) => `setsid ${sleep} &`],
  ])("L-28, S-20: is killed with its process: %s", async (_, detached, command) => {
    await open();
    const sleep = uniqueSleep();
    const first = Number(
      resultOf(await rig.call("leave.mjs", inputs({ command: command(sleep), detached }))),
    );
    await until("nobody is left", async () => (await running(sleep)).length === 0);
    expect(await pid()).not.toBe(first);
  });

  it("a child that has ended costs no process", async () => {
    await open();
    const first = Number(resultOf(await rig.call("wait-for-child.mjs")));
    expect(await pid()).toBe(first);
  });
});

describe("the pool", () => {
  it("replaces a process after its number of calls", async () => {
    await open({ maxCalls: 3 });
    const pids = [];
    for (let call = 0; call < 4; call += 1) pids.push(await pid());
    expect(new Set(pids.slice(0, 3)).size).toBe(1);
    expect(pids[3]).not.toBe(pids[0]);
    await until("the old one is gone", () => gone(pids[0]!));
  });

  it("replaces a process that has grown", async () => {
    await open({ maxRssBytes: 134_217_728 });
    const first = Number(resultOf(await rig.call("grow.mjs", inputs({ bytes: 1024 }))));
    expect(Number(resultOf(await rig.call("grow.mjs", inputs({ bytes: 134_217_728 }))))).toBe(first);
    expect(await pid()).not.toBe(first);
    await until("the old one is gone", () => gone(first));
  });

  it("S-20: shows nothing of one flow version to another, folders included", async () => {
    await open();
    const one = JSON.parse(
      resultOf(await rig.call("keep.mjs", { ...inputs({ value: "a" }), version: "one" })),
    );
    const two = JSON.parse(
      resultOf(await rig.call("keep.mjs", { ...inputs({ value: "b" }), version: "two" })),
    );
    const again = JSON.parse(
      resultOf(await rig.call("keep.mjs", { ...inputs({ value: "c" }), version: "one" })),
    );
    expect([one.kept, two.kept, again.kept]).toEqual([["a"], ["b"], ["a", "c"]]);
    expect(again.pid).toBe(one.pid);
    expect(two.cwd).not.toBe(one.cwd);
  });

  it("gives every call of a moment a process of its own, and no more than there may be", async () => {
    await open({ maxProcesses: 2 });
    const wait = { ...inputs({ ready: join(rig.dataDir, "r") }), deadlineMs: 500 };
    const hanging = [rig.call("polite.mjs", wait), rig.call("polite.mjs", wait)];
    const third = rig.call("pid.mjs");
    await until("both are at work", () => rig.runner.warmProcesses === 2);
    expect((await Promise.all(hanging)).map(({ kind }) => kind)).toEqual(["timed_out", "timed_out"]);
    expect(await third).toMatchObject({ kind: "returned" });
    expect(rig.runner.warmProcesses).toBeLessThanOrEqual(2);
  });

  it("L-29: waiting for a process counts: deadline and abort end it", async () => {
    await open({ maxProcesses: 1 });
    const controller = new AbortController();
    const busy = rig.call("deaf.mjs", {
      ...inputs({ ready: join(rig.dataDir, "r") }),
      signal: controller.signal,
    });
    await until("it is at work", () => existsSync(join(rig.dataDir, "r")));
    expect(await rig.call("pid.mjs", { deadlineMs: 50 })).toMatchObject({ kind: "timed_out" });
    const stopped = new AbortController();
    const waiting = rig.call("pid.mjs", { signal: stopped.signal });
    stopped.abort();
    expect(await waiting).toMatchObject({ kind: "aborted" });
    controller.abort();
    await busy;
  });

  it("makes room for another flow version by ending one that idles", async () => {
    await open({ maxProcesses: 1 });
    const first = await pid({ version: "one" });
    expect(await pid({ version: "two" })).not.toBe(first);
    await until("its process is gone", () => gone(first));
  });

  it("ends what idles for long, and its folders", async () => {
    await open({ idleMs: 50 });
    const first = await pid();
    await until("it is gone", () => gone(first) && rig.runner.warmProcesses === 0);
    // What is left is the folder of the named pipes.
    expect(await readdir(join(rig.dataDir, "steps"))).toHaveLength(1);
  });

  it("S-20: at the end of the worker leaves no process and no folder", async () => {
    await open();
    const first = await pid();
    const busy = rig.call("deaf.mjs", inputs({ ready: join(rig.dataDir, "r") }));
    await until("it is at work", () => existsSync(join(rig.dataDir, "r")));
    await rig.runner.close();
    expect((await busy).kind).toBe("died");
    await until("its process is gone", () => gone(first));
    expect(await readdir(join(rig.dataDir, "steps"))).toEqual([]);
  });

  it("S-20: a wrapper stands before the process", async () => {
    await open({}, "/usr/bin/env AGENTFLOW_WRAPPED=yes");
    const environ = await readFile(`/proc/${await pid()}/environ`, "utf8");
    expect(environ).toContain("AGENTFLOW_WRAPPED=yes");
  });

  it("L-51: a wrapper that cannot be executed is a step error, and no process is taken for alive", async () => {
    await open();
    await rig.close();
    rig = await openWarmRig(modules, {}, "/bin/false");
    expect(await rig.call("pid.mjs")).toMatchObject({ kind: "died", exitCode: 1 });
    await until("no process is left", () => rig.runner.warmProcesses === 0);
  });
});
