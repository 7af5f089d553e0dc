import { readdir } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWarmRig, resultOf, type WarmRig } from "../testing/warm-rig.ts";

const modules = {
  "args.mjs": `export default ({ inputs, state, stateText, iteration, idempotencyKey, resume, context, maxIterations, remainingMs, signal, log }) =>
    ({ inputs, state, stateText, iteration, idempotencyKey, resume, context, maxIterations, remainingMs, aborted: signal.aborted, log: typeof log });`,
  "return.mjs": `export default async ({ inputs }) => ({
    text: "plain", json: { a: [1, null] }, nothing: undefined, null: null, zero: 0, no: false,
    promise: Promise.resolve([1]), date: new Date(0) })[inputs.what];`,
  "bad.mjs": `export default ({ inputs }) => ({ big: 1n, fn: () => 1, symbol: Symbol("x"), ring: Object.assign((o) => o, {}) })[inputs.what];`,
  "ring.mjs": `export default () => { const o = {}; o.o = o; return o; };`,
  "throw.mjs": `export default async () => { throw new TypeError("no such thing"); };`,
  "throw-text.mjs": `export default () => { throw "just text"; };`,
  "none.mjs": `export const named = 1;`,
  "syntax.mjs": `export default (`,
  "broken.mjs": `throw new Error("while loading"); export default () => 1;`,
  "common.cjs": `module.exports = ({ inputs }) => "cjs " + inputs.a;`,
  "deep/imports.mjs": `import { twice } from "./twice.mjs"; export default ({ inputs }) => twice(inputs.n);`,
  "deep/twice.mjs": `export const twice = (n) => 2 * n;`,
  "count.mjs": `let calls = 0; export default () => [process.pid, ++calls];`,
  "log.mjs": `export default ({ log, inputs }) => { log("one", { two: 2 }); console.log("three"); console.error("four"); process.stdout.write("five\\n"); return inputs.say; };`,
  "log-bytes.mjs": `export default ({ inputs }) => { process.stderr.write("x".repeat(inputs.bytes)); return "done"; };`,
  "bytes.mjs": `export default ({ inputs }) => inputs.letter.repeat(inputs.count);`,
  "env.mjs": `import { readdirSync, readlinkSync } from "node:fs"; export default () => ({ env: process.env, cwd: process.cwd(), argv: process.execArgv,
    fds: readdirSync("/proc/self/fd").map((fd) => { try { return readlinkSync("/proc/self/fd/" + fd).replace(/\\d+/g, "N"); } catch { return null; } }) });`,
  "child-fds.mjs": `import { execFileSync } from "node:child_process"; export default () => execFileSync("sh", ["-c", "ls -l /proc/self/fd; true"], { encoding: "utf8" });`,
  "cwd.mjs": `export default () => { const at = process.cwd(); process.chdir("/"); return at; };`,
};

let rig: WarmRig;
beforeAll(async () => {
  rig = await openWarmRig(modules);
});
afterAll(() => rig.close());

const call = async (...given: Parameters<WarmRig["call"]>) => resultOf(await rig.call(...given));
const inputs = (value: object) => ({ inputs: JSON.stringify(value) });

describe("what a function is called with", () => {
  it("F-24: everything outside a loop is null", async () => {
    expect(JSON.parse(await call("args.mjs"))).toEqual({
      inputs: {},
      state: null,
      stateText: null,
      iteration: null,
      idempotencyKey: null,
      resume: null,
      context: null,
      maxIterations: null,
      remainingMs: null,
      aborted: false,
      log: "function",
    });
  });

  it("L-15, L-17, L-40: state, iteration, key, resume and context arrive, the exact text of the state too", async () => {
    const given = {
      ...inputs({ a: { b: 1 }, t: "1" }),
      state: '{"2":1,"1":9007199254740991.50}',
      iteration: 7,
      idempotencyKey: "afw_1",
      resume: '{"go":true}',
      context: '{"knowledge":[]}',
      maxIterations: 9,
    };
    expect(JSON.parse(await call("args.mjs", given))).toMatchObject({
      inputs: { a: { b: 1 }, t: "1" },
      state: { 1: 9007199254740992, 2: 1 },
      stateText: '{"2":1,"1":9007199254740991.50}',
      iteration: 7,
      idempotencyKey: "afw_1",
      resume: { go: true },
      context: { knowledge: [] },
      maxIterations: 9,
    });
  });

  it("L-46: names that objects have by nature are plain names of an input", async () => {
    expect(await call("args.mjs", { inputs: '{"__proto__":1,"constructor":2}' })).toContain(
      '"inputs":{"__proto__":1,"constructor":2}',
    );
  });
});

describe("what a function gives back", () => {
  it.each([
    ["text", "text", "plain"],
    ["json", "json", '{"a":[1,null]}'],
    ["nothing", "text", ""],
    ["null", "json", "null"],
    ["zero", "json", "0"],
    ["no", "json", "false"],
    ["promise", "json", "[1]"],
    ["date", "json", '"1970-01-01T00:00:00.000Z"'],
  ])("a result of %s is %s", async (what, form, text) => {
    const outcome = await rig.call("return.mjs", inputs({ what }));
    expect(outcome).toMatchObject({ kind: "returned", form });
    expect(resultOf(outcome)).toBe(text);
  });

  it.each([
    ["bad.mjs", "big"],
    ["bad.mjs", "fn"],
    ["bad.mjs", "symbol"],
    ["ring.mjs", ""],
  ])("a result that has no JSON is told apart from an error of the function: %s %s", async (file, what) => {
    expect(await rig.call(file, inputs({ what }))).toMatchObject({ kind: "not_json" });
  });

  it("L-25: a result of exactly 1 MiB passes, one byte more does not; bytes count, not letters", async () => {
    const size = async (letter: string, count: number) => rig.call("bytes.mjs", inputs({ letter, count }));
    expect(resultOf(await size("a", 1_048_576))).toHaveLength(1_048_576);
    expect(resultOf(await size("é", 524_288))).toHaveLength(524_288);
    for (const [letter, count] of [
      ["a", 1_048_577],
      ["é", 524_289],
    ] as const)
      expect(await size(letter, count)).toMatchObject({
        kind: "too_large",
        stream: "stdout",
        limitBytes: 1_048_576,
      });
    expect(await call("return.mjs", inputs({ what: "text" }))).toBe("plain");
  });
});

describe("a function that fails", () => {
  it("L-19: throws: the message is the outcome, the stack is in the log, and its process lives on", async () => {
    const before = JSON.parse(await call("count.mjs"));
    const outcome = await rig.call("throw.mjs");
    expect(outcome).toMatchObject({ kind: "threw", message: "TypeError: no such thing" });
    expect("stderr" in outcome && outcome.stderr).toMatch(/TypeError: no such thing\n\s+at .*throw\.mjs:1/);
    expect(await rig.call("throw-text.mjs")).toMatchObject({ kind: "threw", message: "just text" });
    expect(JSON.parse(await call("count.mjs"))).toEqual([before[0], before[1] + 1]);
  });

  it.each([
    ["none.mjs", /no function as its default export/],
    ["syntax.mjs", /SyntaxError/],
    ["broken.mjs", /while loading/],
    ["missing.mjs", /Cannot find module/],
  ])("D04: %s cannot be called", async (file, why) => {
    expect(await rig.call(file)).toMatchObject({
      kind: "no_function",
      message: expect.stringMatching(why),
    });
  });
});

describe("a module", () => {
  it("F-23: may be CommonJS, and may import what lies beside it", async () => {
    expect(await call("common.cjs", inputs({ a: "b" }))).toBe("cjs b");
    expect(await call("deep/imports.mjs", inputs({ n: 21 }))).toBe("42");
  });

  it("is loaded once per process, and calls one after the other use the same process", async () => {
    const [pid, first] = JSON.parse(await call("count.mjs"));
    expect(JSON.parse(await call("count.mjs"))).toEqual([pid, first + 1]);
    expect(pid).not.toBe(process.pid);
  });
});

describe("the log of a call", () => {
  it("L-25: has everything it wrote to either stream, in order, and nothing of another call", async () => {
    expect(await rig.call("log.mjs", inputs({ say: "a" }))).toMatchObject({
      kind: "returned",
      stderr: "one { two: 2 }\nthree\nfour\nfive\n",
    });
    expect(await rig.call("count.mjs")).toMatchObject({ kind: "returned", stderr: "" });
  });

  it("L-25: of exactly 256 KiB passes, one byte more ends the process", async () => {
    const [pid] = JSON.parse(await call("count.mjs"));
    const exact = await rig.call("log-bytes.mjs", inputs({ bytes: 262_144 }));
    expect(exact).toMatchObject({ kind: "returned" });
    expect("stderr" in exact && exact.stderr.length).toBe(262_144);
    expect(await rig.call("log-bytes.mjs", inputs({ bytes: 262_145 }))).toMatchObject({
      kind: "too_large",
      stream: "stderr",
      limitBytes: 262_144,
    });
    expect(JSON.parse(await call("count.mjs"))[0]).not.toBe(pid);
  });
});

describe("the surroundings of a function", () => {
  it("F-24, S-20: its environment is that of a command, its folder private, its descriptors its own", async () => {
    const { env, cwd, fds } = JSON.parse(await call("env.mjs"));
    const allowed = ["AGENTFLOW_STEP", "HOME", "LANG", "LISTED", "PATH", "TMPDIR", "TZ"];
    expect(Object.keys(env).filter((name) => !allowed.includes(name))).toEqual([]);
    expect(env).toMatchObject({ LISTED: "yes", TMPDIR: `${cwd}/tmp` });
    expect(cwd.startsWith(`${rig.dataDir}/steps/`)).toBe(true);
    // The log is a named pipe, unlinked as soon as both ends are open.
    const files = fds.filter((name: string | null) => name?.startsWith(rig.dataDir) === true);
    expect(files.filter((name: string) => !name.endsWith(" (deleted)"))).toEqual([]);
  });

  it("S-20: what it starts does not inherit its channel", async () => {
    const own = JSON.parse(await call("env.mjs")).fds as (string | null)[];
    expect(own.filter((name) => name?.startsWith("socket:") === true)).toHaveLength(1);
    const seen = await call("child-fds.mjs");
    expect(seen).toMatch(/ 1 -> /);
    expect(seen.split("\n").filter((line) => / [3-9] -> .*socket:/.test(line))).toEqual([]);
  });

  it("a changed working directory does not reach the next call", async () => {
    const first = await call("cwd.mjs");
    expect(await call("cwd.mjs")).toBe(first);
    expect((await readdir(first)).toSorted()).toEqual(["outputs", "tmp"]);
  });
});
