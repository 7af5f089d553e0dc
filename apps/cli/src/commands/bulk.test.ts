import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { main } from "../main.ts";

const at = "2026-01-01T00:00:00.000Z";
const id = "019b0000-0000-7000-8000-000000000001";
const bulk = {
  ...{ id, action: "resume", status: "running", filter: {}, perSecond: 20, total: 3, done: 2 },
  ...{ outcomes: { resumed: 1, not_waiting: 1 }, actor: "local", createdAt: at, finishedAt: null },
};
let out = "";
let err = "";
let server: Server;
let asked: { call: string; body: string; key: string | undefined }[] = [];
let answers: Record<string, readonly [number, unknown]> = {};

beforeEach(async () => {
  [out, err, asked, answers] = ["", "", [], {}];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => ((out += String(text)), true));
  vi.spyOn(process.stderr, "write").mockImplementation((text) => ((err += String(text)), true));
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const call = `${request.method} ${request.url}`;
    asked.push({ call, body, key: request.headers["idempotency-key"] as string | undefined });
    const [status, answer] = answers[call] ?? [404, {}];
    response.writeHead(status).end(JSON.stringify(answer));
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

test("F-29, L-46: bulk start sends the filter and the payload's exact text, and says how to follow it", async () => {
  answers["POST /v1/bulk"] = [202, bulk];
  await main([
    ...["bulk", "start", "resume", "--flow", "f", "--status", "waiting", "--payload", "1e2"],
    ...["--per-second", "5", "--buffer", "--idempotency-key", "k"],
  ]);
  expect(asked.map(({ key }) => key)).toEqual(["k"]);
  expect(asked[0]?.body).toContain('"payload":1e2');
  expect(JSON.parse(asked[0]!.body)).toEqual({
    ...{
      action: "resume",
      filter: { flow: "f", status: ["waiting"] },
      payload: 100,
      perSecond: 5,
      buffer: true,
    },
  });
  expect(out).toBe(`${id}\n`);
  expect(err).toContain(`agentflow bulk show ${id}`);
});

test("F-29: bulk start --preview shows a count and does nothing else", async () => {
  answers["POST /v1/bulk"] = [200, { count: 0, sample: [] }];
  await main(["bulk", "start", "cancel", "--all", "--preview"]);
  expect(JSON.parse(asked[0]!.body)).toEqual({ action: "cancel", filter: {}, preview: true });
  expect(out).toBe("0 runs\n");
});

test.each([
  ["no runs at all", []],
  ["runs and a filter", ["--run", id, "--flow", "f"]],
  ["a filter and all", ["--all", "--tag", "x"]],
])("F-29: bulk start with %s is wrong usage, and nothing is asked", async (_what, options) => {
  await main(["bulk", "start", "cancel", ...options]);
  expect(process.exitCode).toBe(2);
  expect(asked).toEqual([]);
  expect(err).toContain("--all");
});

test("F-29: bulk show, list, runs and abort tell how far an action has come", async () => {
  answers[`GET /v1/bulk/${id}`] = [200, bulk];
  answers["GET /v1/bulk"] = [200, { items: [bulk], nextCursor: "c" }];
  answers[`POST /v1/bulk/${id}/abort`] = [200, { ...bulk, status: "aborted" }];
  const run = { runId: id, outcome: "not_waiting", message: "The run is cancelled.", startedId: null };
  answers[`GET /v1/bulk/${id}/runs?outcome=not_waiting`] = [200, { items: [run], nextCursor: null }];
  await main(["bulk", "show", id]);
  expect(out).toContain("2 of 3 runs");
  expect(out).toContain("1 not_waiting");
  await main(["bulk", "list"]);
  expect(out).toContain("2/3");
  expect(err).toContain("--cursor c");
  await main(["bulk", "runs", id, "--outcome", "not_waiting"]);
  expect(out).toContain("The run is cancelled.");
  await main(["bulk", "abort", id]);
  expect(out).toContain("aborted");
});
