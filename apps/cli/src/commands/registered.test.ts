import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { main } from "../main.ts";

const at = "2026-01-01T00:00:00.000Z";
const id = "019b0000-0000-7000-8000-000000000001";
let out = "";
let server: Server;
let asked: string[] = [];
let answers: Record<string, unknown> = {};

beforeEach(async () => {
  out = "";
  asked = [];
  answers = {};
  vi.spyOn(process.stdout, "write").mockImplementation((text) => ((out += String(text)), true));
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const answer = answers[`${request.method} ${request.url}`];
    response.writeHead(answer === undefined ? 404 : 200);
    response.end(typeof answer === "string" ? answer : JSON.stringify(answer ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  vi.stubEnv("AGENTFLOW_URL", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  process.exitCode = 0;
  await new Promise((resolve) => server.close(resolve));
});

test("F-29: flow list shows every page of flows", async () => {
  const flow = (name: string) => ({ flow: name, newestVersion: 3, createdAt: at, updatedAt: at });
  answers["GET /v1/flows?limit=500"] = { items: [flow("one")], nextCursor: "c" };
  answers["GET /v1/flows?limit=500&cursor=c"] = { items: [flow("two")], nextCursor: null };
  await main(["flow", "list"]);
  expect(out.split("\n").map((line) => line.split(/ +/))).toEqual([
    ["FLOW", "VERSION", "UPDATED"],
    ["one", "3", at],
    ["two", "3", at],
    [""],
  ]);
});

test("F-29: flow archive says what it did", async () => {
  answers["DELETE /v1/flows/one"] = { flow: "one", archivedAt: at };
  await main(["flow", "archive", "one"]);
  expect(out).toBe("one is archived\n");
});

test("F-29, L-46: run state writes the state's exact text", async () => {
  answers[`GET /v1/runs/${id}/state?loop=count`] = '{"2":-0,"1":1.0}';
  await main(["run", "state", id, "--loop", "count"]);
  expect(out).toBe('{"2":-0,"1":1.0}\n');
});

test("F-29: run history shows all iterations, with --json one entry per line", async () => {
  const entry = { iteration: 1, decision: "wait", summary: "a\nb", elapsedMs: 5, idempotencyKey: "afw_x" };
  answers[`GET /v1/runs/${id}/history?limit=500`] = { items: [entry], nextCursor: null };
  await main(["run", "history", id]);
  expect(out.split("\n")[1]?.split(/ {2,}/)).toEqual(["1", "wait", "5 ms", "a b"]);
  out = "";
  await main(["run", "history", id, "--json"]);
  expect(JSON.parse(out)).toEqual(entry);
});

test("F-29: stats shows counts, queue and what is stuck", async () => {
  const runs = { queued: 1, running: 2, waiting: 3, succeeded: 4, failed: 5, cancelled: 6 };
  const queue = { status: "up", depth: 7 };
  answers["GET /v1/stats"] = { runs, queue, workers: 1, iterationsPerMinute: 60, stuck: 0 };
  await main(["stats"]);
  expect(out).toMatch(/waiting +3\n/);
  expect(out).toMatch(/queue +up, 7 jobs\n/);
  expect(out).toMatch(/stuck +0\n/);
});

const bare = {
  ...{ flow: "one", version: 1, digest: "d", source: null, ir: {}, warnings: [], createdAt: at },
  ...{
    layout: null,
    layoutTag: "tag",
    contract: { inputs: [], outputs: [] },
    archivedAt: null,
    versions: [],
  },
  runs: { queued: 0, running: 0, waiting: 0, succeeded: 0, failed: 0, cancelled: 0 },
};

test("F-29: flow limits shows what is said, changes one limit alone, and takes one away with 0", async () => {
  answers["GET /v1/flows/one"] = { ...bare, limits: { maxRunning: 3, maxRunningPerKey: 1 } };
  answers["PUT /v1/flows/one/limits"] = { maxRunning: null, maxRunningPerKey: null };
  await main(["flow", "limits", "one"]);
  expect(out).toBe("one: 3 runs at a time, 1 per key\n");
  expect(asked).toEqual(["GET /v1/flows/one"]);
  out = "";
  await main(["flow", "limits", "one", "--running", "0"]);
  expect(out).toBe("one: any number of runs at a time, 1 per key\n");
  expect(asked.at(-1)).toBe("PUT /v1/flows/one/limits");
});

test("F-20, F-29: a push of a flow whose layout alone changed saves the layout on the newest version", async () => {
  const folder = await mkdtemp(join(tmpdir(), "agentflow-push-"));
  const box = { x: 1, y: 2, width: 3, height: 4 };
  await writeFile(join(folder, "workspace.flow.js"), "export const run = flow();");
  await writeFile(join(folder, "workspace.layout.json"), JSON.stringify({ nodes: { start: box } }));
  answers["POST /v1/flows"] = { flow: "one", version: 1, digest: "d", warnings: [] };
  answers["GET /v1/flows/one"] = {
    ...{ flow: "one", version: 1, digest: "d", source: null, ir: {}, warnings: [], createdAt: at },
    ...{
      layout: { nodes: { start: { ...box, x: 9 } } },
      layoutTag: "tag",
      contract: { inputs: [], outputs: [] },
    },
    ...{ archivedAt: null, versions: [], limits: { maxRunning: null, maxRunningPerKey: null } },
    runs: { queued: 0, running: 0, waiting: 0, succeeded: 0, failed: 0, cancelled: 0 },
  };
  answers["PUT /v1/flows/one/layout"] = { flow: "one", version: 1, layoutTag: "new" };
  await main(["flow", "push", folder, "--name", "one"]);
  expect(asked).toEqual(["POST /v1/flows", "GET /v1/flows/one", "PUT /v1/flows/one/layout"]);
  expect(out).toMatch(/unchanged/);
  await rm(folder, { recursive: true });
});
