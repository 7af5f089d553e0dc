import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { ServerUnreachable, type RunEventAnswer } from "@agentflow/contract";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { main } from "../main.ts";
import { sampleRun } from "../testing/sample-run.ts";
import { eventText, followEvents, logText } from "./run-watching.ts";

const id = sampleRun().id;
const at = "2026-01-01T00:00:00.000Z";
const log = {
  seq: 1,
  at,
  loop: '["loop"]',
  epoch: 0,
  iteration: 3,
  frame: [],
  node: "step",
  attempt: 1,
  text: "said\n",
};

let out = "";
let server: Server;
let asked: string[] = [];
let answers: Record<string, [status: number, body: unknown]> = {};

beforeEach(async () => {
  [out, asked, answers] = ["", [], {}];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => ((out += String(text)), true));
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  server = createServer((request, response) => {
    const call = `${request.method} ${request.url?.replace(`/v1/runs/${id}`, "")}`;
    asked.push(call);
    const [status, body] = answers[call] ?? [404, {}];
    response.writeHead(status).end(body === null ? undefined : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  vi.stubEnv("AGENTFLOW_URL", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await new Promise((resolve) => server.close(resolve));
});

async function run(...args: string[]): Promise<number> {
  const before = process.exitCode;
  process.exitCode = 0;
  await main(args);
  const code = process.exitCode;
  process.exitCode = before;
  return typeof code === "number" ? code : Number.NaN;
}

test("F-29: logs of all pages are shown, each under whose they are", async () => {
  answers["GET /logs?iteration=3&limit=500"] = [200, { items: [log], nextCursor: "c" }];
  const second = { ...log, loop: null, iteration: null, node: "after", attempt: 2, text: "more" };
  answers["GET /logs?iteration=3&limit=500&cursor=c"] = [200, { items: [second], nextCursor: null }];
  expect(await run("run", "logs", id, "--iteration", "3")).toBe(0);
  expect(out).toBe(`== ${at} step, iteration 3\nsaid\n== ${at} after, attempt 2\nmore\n`);
});

test("F-29, S-21: with --json each entry is a line; what a terminal would obey is not written", async () => {
  const evil = { ...log, text: "\u001b[2Jx\u202e" };
  answers["GET /logs?limit=500"] = [200, { items: [evil], nextCursor: null }];
  expect(await run("run", "logs", id, "--json")).toBe(0);
  expect(JSON.parse(out)).toEqual(evil);
  expect(out).not.toMatch(/[\u001b\u202e]/);
  expect(logText(evil)).toContain("\u001b");
  out = "";
  await run("run", "logs", id);
  expect(out).toBe(`== ${at} step, iteration 3\nx\n`);
});

test("L-50: events of all pages are shown, one a line", async () => {
  const event = { seq: 4, at, type: "node-done", node: "step" };
  answers["GET /events?limit=500&cursor=3"] = [200, { items: [event], nextCursor: "4" }];
  answers["GET /events?limit=500&cursor=4"] = [
    200,
    { items: [{ ...event, seq: 5, type: "run-succeeded" }], nextCursor: null },
  ];
  expect(await run("run", "events", id, "--after", "3")).toBe(0);
  expect(out).toBe(`4 ${at} node-done node="step"\n5 ${at} run-succeeded node="step"\n`);
  expect(eventText({ ...event, text: "a\nb" })).not.toContain("\n");
});

test("L-50: a follower goes on behind the last event after a lost connection", async () => {
  const starts: number[] = [];
  async function* streamRunEvents(_id: string, after = 0): AsyncGenerator<RunEventAnswer> {
    starts.push(after);
    yield { seq: after + 1, at, type: "x" };
    if (starts.length < 3) throw new ServerUnreachable("lost");
  }
  const seen: number[] = [];
  for await (const { seq } of followEvents({ streamRunEvents }, id, 0)) seen.push(seq);
  expect([seen, starts]).toEqual([
    [1, 2, 3],
    [0, 1, 2],
  ]);
});

test("3.4: explain is one sentence", async () => {
  const sentence = "The run is queued behind 3 other runs.";
  answers["GET /explain"] = [200, { status: "queued", reason: "queued", sentence, since: at, until: null }];
  expect(await run("run", "explain", id)).toBe(0);
  expect(out).toBe(`queued since ${at}: ${sentence}\n`);
});

test("3.4: reset, rerun and delete say what became of the run; a refusal is exit code 1", async () => {
  answers["POST /reset"] = [202, sampleRun({ status: "queued" })];
  answers["POST /rerun"] = [201, sampleRun({ id: "01900000-0000-7000-8000-000000000002", rerunOf: id })];
  answers["DELETE "] = [204, null];
  expect(await run("run", "reset", id)).toBe(0);
  expect(await run("run", "rerun", id)).toBe(0);
  expect(await run("run", "delete", id)).toBe(0);
  expect(out.split("\n")).toEqual([
    `${id} is queued, its loop starts over`,
    "01900000-0000-7000-8000-000000000002",
    `${id} is deleted`,
    "",
  ]);
  answers = {};
  expect(await run("run", "delete", id)).toBe(1);
  expect(asked.at(-1)).toBe("DELETE ");
});
