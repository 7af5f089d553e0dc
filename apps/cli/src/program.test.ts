import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { main } from "./main.ts";

let out: string;
let err: string;
let folder: string;

beforeEach(() => {
  [out, err] = ["", ""];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => ((out += String(text)), true));
  vi.spyOn(process.stderr, "write").mockImplementation((text) => ((err += String(text)), true));
  folder = mkdtempSync(join(tmpdir(), "program "));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** The exit code of a command. */
async function run(...args: string[]): Promise<number> {
  const before = process.exitCode;
  process.exitCode = 0;
  await main(args);
  const code = process.exitCode;
  process.exitCode = before;
  return typeof code === "number" ? code : Number.NaN;
}

test.each([
  ["an unknown command", ["nope"], "unknown command 'nope'"],
  ["an unknown command of a group", ["run", "nope"], "unknown command 'nope'"],
  ["an unknown command of the language", ["flow", "dsl", "format", "."], "unknown command 'format'"],
  ["an unknown option", ["run", "list", "--nope"], "unknown option '--nope'"],
  ["an option that belongs elsewhere", ["migrate", "--port", "1"], "unknown option '--port'"],
  ["a missing argument", ["run", "show"], "missing required argument 'run'"],
  ["too many arguments", ["run", "show", "a", "b"], "too many arguments"],
  ["an option without its value", ["run", "list", "--limit"], "argument missing"],
  ["an illegal choice", ["dev", "--queue", "kafka"], "Allowed choices are postgres, redis"],
  ["an illegal number", ["dev", "--workers", "0"], "expected a whole number from 1"],
  ["no command", [], "Usage: agentflow"],
])("F-29: %s is wrong usage, exit code 2, nothing on stdout", async (_, args, message) => {
  expect(await run(...args)).toBe(2);
  expect(err).toContain(message);
  expect(out).toBe("");
});

test("F-29 S-28: wrong configuration is told at once and ends with 2", async () => {
  vi.stubEnv("AGENTFLOW_PORT", "many");
  vi.stubEnv("AGENTFLOW_CONCURRENCY", "0");
  expect(await run("dev")).toBe(2);
  expect(err).toContain('AGENTFLOW_PORT is "many"');
  expect(err).toContain('AGENTFLOW_CONCURRENCY is "0"');
});

test.each([[["--help"]], [["run", "start", "--help"]], [["dev", "--help"]], [["flow", "dsl", "lint", "-h"]]])(
  "help is no error and shows an example: %j",
  async (args) => {
    expect(await run(...args)).toBe(0);
    expect(out).toMatch(/Examples?:\n {2}agentflow /);
  },
);

test("every command but the services takes --json", async () => {
  for (const command of ["flow push", "run start", "run list", "run cancel", "dev", "migrate", "doctor"]) {
    await run(...command.split(" "), "--help");
    expect(out, command).toContain("--json");
    out = "";
  }
});

test("a server that is not there is told in one sentence", async () => {
  vi.stubEnv("AGENTFLOW_URL", "http://127.0.0.1:9");
  expect(await run("run", "list")).toBe(1);
  expect(err).toContain("no answer from http://127.0.0.1:9; is it running?");
});

test("S-17: a database that is not there is told in one sentence", async () => {
  vi.stubEnv("DATABASE_URL", "postgres://u:secret@127.0.0.1:9/x");
  expect(await run("migrate")).toBe(1);
  expect(err).toMatch(/^agentflow: the database is out of reach .*ECONNREFUSED.*\n$/);
  expect(err).not.toContain("secret");
});

test("S-3: doctor says what is wrong, and what to do", async () => {
  vi.stubEnv("DATABASE_URL", "postgres://u:secret@127.0.0.1:9/x");
  vi.stubEnv("AGENTFLOW_QUEUE", "postgres");
  expect(await run("doctor", "--json")).toBe(1);
  const { ok, checks } = JSON.parse(out);
  expect(ok).toBe(false);
  const database = {
    name: "database",
    status: "fail",
    text: expect.stringContaining("is the server running"),
  };
  expect(checks).toContainEqual(database);
  expect(out).not.toContain("secret");
});

const CLEAN = `import { display, flow, provide } from "agentflow/flow";
const text = provide.text("Text", { value: "hello" });
const shown = display.markdown("Shown", { content: text.value });
export const run = flow("Run", shown);
`;

test("F-29: a flow without findings is fine, offline", async () => {
  writeFileSync(join(folder, "workspace.flow.js"), CLEAN);
  expect(await run("flow", "dsl", "lint", folder)).toBe(0);
  expect({ out, err }).toEqual({ out: "nothing to mend\n", err: "" });
});

test("F-29 2.5: findings are on stderr with their place, exit code 1", async () => {
  writeFileSync(join(folder, "workspace.flow.js"), CLEAN.replace("text.value", "text.nothing"));
  expect(await run("flow", "dsl", "lint", folder)).toBe(1);
  expect(err).toMatch(/^workspace\.flow\.js:3:\d+: error D\d\d \(shown/m);
  expect(out).toBe("");
});

test("F-29: with --json the findings are on stdout", async () => {
  writeFileSync(join(folder, "workspace.flow.js"), CLEAN.replace("text.value", "text.nothing"));
  expect(await run("flow", "dsl", "lint", folder, "--json")).toBe(1);
  const { errors, warnings } = JSON.parse(out);
  expect(errors[0]).toMatchObject({ severity: "error", line: 3, column: expect.any(Number), node: "shown" });
  expect(warnings).toEqual(expect.any(Array));
  expect(err).toBe("");
});

test("2.5: a folder without a flow file is D01", async () => {
  expect(await run("flow", "dsl", "lint", folder, "--json")).toBe(1);
  expect(JSON.parse(out).errors).toEqual([expect.objectContaining({ code: "D01" })]);
});

test("L-7: lint knows the operator's limits", async () => {
  writeFileSync(join(folder, "step.sh"), "echo");
  const loop = `import { control, flow, provide } from "agentflow/flow";
const start = provide.json("Start", { value: {} });
const loop = control.while("Loop", { state: start.value, maxIterations: "900", timeout: "1m" }, file("step.sh"));
export const run = flow("Run", loop);
`;
  writeFileSync(join(folder, "workspace.flow.js"), loop);
  expect(await run("flow", "dsl", "lint", folder)).toBe(0);
  vi.stubEnv("AGENTFLOW_MAX_ITERATIONS", "800");
  expect(await run("flow", "dsl", "lint", folder)).toBe(1);
  expect(err).toContain("D40");
});
