import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { main } from "../main.ts";
import { readIrFile } from "./json-file.ts";

let out: string;
let err: string;
let folder: string;

beforeEach(() => {
  [out, err] = ["", ""];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => ((out += String(text)), true));
  vi.spyOn(process.stderr, "write").mockImplementation((text) => ((err += String(text)), true));
  folder = mkdtempSync(join(tmpdir(), "json "));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const operation = {
  condition: "payload.n < 3",
  action: { name: "provide.json", params: { value: { n: "{{payload.n + 1}}" } } },
  outputMapping: { n: "n" },
  maxIterations: 10,
};

/** A file of the folder with a content. */
function given(content: unknown): string {
  const path = join(folder, "counter.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

async function run(...words: string[]): Promise<number | string | null | undefined> {
  const before = process.exitCode;
  process.exitCode = 0;
  await main(words);
  const code = process.exitCode;
  process.exitCode = before;
  return code;
}

test("OP-6: an operation in a file is linted as the flow it becomes", async () => {
  expect(await run("flow", "dsl", "lint", given(operation))).toBe(0);
  expect(await run("flow", "dsl", "lint", given({ ...operation, condition: "payload.n = 3" }))).toBe(1);
  expect(err).toContain("error D62 (loop.expression)");
});

test("OP-6: an operation in a file is printed as the flow file it becomes", async () => {
  expect(await run("flow", "dsl", "print", given(operation))).toBe(0);
  expect(out).toContain('"payload.n < 3", action("provide.json", {"value":{"n":"{{payload.n + 1}}"}})');
});

test("OP-2, OP-6: a file with two operations, and one that holds neither flow nor operation, say what is wrong", async () => {
  expect(await run("flow", "dsl", "lint", given({ ...operation, prompt: { name: "ask" } }))).toBe(1);
  expect(err).toContain("it has action and prompt. (body_not_one)");
  expect(await run("flow", "push", given({ hello: 1 }))).toBe(1);
  expect(err).toContain('it has no "hello"');
  expect(await run("flow", "push", given("{"))).toBe(1);
  expect(err).toContain("is not JSON");
});

test("F-19: an IR in a file stays what it is", async () => {
  const ir = '{"schema":1,"nodes":{},"edges":[],"subflows":{},"run":null}';
  expect(await readIrFile(given(ir))).toBe(ir);
  expect(await run("flow", "dsl", "lint", given('{"schema":2,"nodes":{}}'))).toBe(1);
  expect(err).toContain("D06");
});

test("OP-6: push sends the flow under the name of the file, and registers it once", async () => {
  const sent: unknown[] = [];
  vi.stubEnv("AGENTFLOW_URL", "http://127.0.0.1:9");
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_url, init) => {
    sent.push(JSON.parse(init?.body as string));
    const answer = { flow: "counter", version: 1, digest: "d", warnings: [] };
    return new Response(JSON.stringify(answer), { status: 201 });
  });
  expect(await run("flow", "push", given(operation)), err).toBe(0);
  expect(out).toContain("counter version 1");
  expect(sent).toMatchObject([{ name: "counter", ir: { nodes: { state: {}, loop: {} } } }]);
  vi.unstubAllEnvs();
});
