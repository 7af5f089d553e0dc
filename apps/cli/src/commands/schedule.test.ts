import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { main } from "../main.ts";

const at = "2030-01-01T06:30:00.000Z";
const id = "019b0000-0000-7000-8000-000000000001";
const runId = "019b0000-0000-7000-8000-000000000002";
const schedule = {
  ...{ id, flow: "tidy", version: null, inputs: {}, tags: [], priority: null, concurrencyKey: null },
  ...{ cron: "30 6 * * *", timeZone: "UTC", overlap: "skip", catchUp: "one", jitterMs: 0, paused: false },
  ...{ nextAt: at, next: [at], lastTick: at, lastOutcome: "failed", lastMessage: "no \u001b[31mflow" },
  ...{ lastRunId: runId, actor: "local", createdAt: at, updatedAt: at },
};
let out = "";
let err = "";
let server: Server;
let asked: { call: string; body: string }[] = [];
let answers: Record<string, readonly [number, unknown]> = {};

beforeEach(async () => {
  [out, err, asked, answers] = ["", "", [], {}];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => ((out += String(text)), true));
  vi.spyOn(process.stderr, "write").mockImplementation((text) => ((err += String(text)), true));
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const call = `${request.method} ${request.url}`;
    asked.push({ call, body });
    const [status, answer] = answers[call] ?? [404, {}];
    response.writeHead(status).end(status === 204 ? "" : JSON.stringify(answer));
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

test("F-29: schedule create sends the plan and says the next tick", async () => {
  answers = { "POST /v1/schedules": [201, schedule] };
  await main(["schedule", "create", "tidy", "30 6 * * *", "--overlap", "queue", "--jitter-ms", "500"]);
  const plan = { flow: "tidy", cron: "30 6 * * *", overlap: "queue", jitterMs: 500 };
  expect(asked.map(({ body }) => JSON.parse(body))).toEqual([plan]);
  expect([out, err]).toEqual([`${id}\n`, `its next tick is ${at}\n`]);
});

test("F-29, S-21: a schedule is shown with its ticks and why the latest one started nothing", async () => {
  answers = { [`GET /v1/schedules/${id}`]: [200, schedule] };
  await main(["schedule", "show", id]);
  expect(out).toBe(
    [
      `${id}  tidy  active`,
      "30 6 * * *  UTC, overlap skip, catch-up one, jitter 0 ms",
      `  next ${at}`,
      `last ${at}: failed, no flow`,
      `last run ${runId}\n`,
    ].join("\n"),
  );
});

test("F-29: schedules are listed, replaced, paused, resumed and removed", async () => {
  const url = `/v1/schedules/${id}`;
  answers = {
    "GET /v1/schedules?limit=1": [200, { items: [schedule], nextCursor: "abc" }],
    [`PUT ${url}`]: [200, schedule],
    [`POST ${url}/pause`]: [200, { ...schedule, paused: true, nextAt: null, next: [] }],
    [`POST ${url}/resume`]: [200, schedule],
    [`DELETE ${url}`]: [204, null],
  };
  await main(["schedule", "list", "--limit", "1"]);
  await main(["schedule", "replace", id, "tidy", "0 0 * * *", "--tag", "a"]);
  await main(["schedule", "pause", id]);
  await main(["schedule", "resume", id]);
  await main(["schedule", "delete", id]);
  expect(asked.map(({ call }) => call)).toEqual(Object.keys(answers));
  expect(JSON.parse(asked[1]!.body)).toEqual({ flow: "tidy", cron: "0 0 * * *", tags: ["a"] });
  expect(out).toContain(`tidy  paused`);
  expect(err).toContain("more with: --cursor abc");
  expect(err).toContain("removed schedule");
});
