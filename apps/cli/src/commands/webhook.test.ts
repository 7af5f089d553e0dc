import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { main } from "../main.ts";

const id = "019b0000-0000-7000-8000-000000000001";
const runId = "019b0000-0000-7000-8000-000000000002";
const at = "2030-01-01T06:30:00.000Z";
const webhook = { id, url: "https://hooks.example/in", events: ["failed"], flow: null };
const delivery = {
  ...{ id, runId, event: "failed", status: "given_up", attempts: 12, nextAt: null },
  ...{ lastError: "status \u001b[31m500", createdAt: at, finishedAt: at },
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

test("F-29: webhook create sends what was asked and shows the secret", async () => {
  answers = { "POST /v1/webhooks": [201, { ...webhook, secret: "whsec_eA==" }] };
  await main(["webhook", "create", webhook.url, "--event", "failed"]);
  expect(asked.map(({ body }) => JSON.parse(body))).toEqual([{ url: webhook.url, events: ["failed"] }]);
  expect(out).toBe(`${id}\nwhsec_eA==\n`);
  expect(err).toContain("not shown again");
});

test("F-29, S-21: webhooks and deliveries are listed, sent anew and removed", async () => {
  const url = `/v1/webhooks/${id}`;
  answers = {
    "GET /v1/webhooks": [200, { items: [{ ...webhook, actor: "local", createdAt: at }] }],
    [`GET ${url}/deliveries?limit=1`]: [200, { items: [delivery], nextCursor: "abc" }],
    [`POST ${url}/deliveries/${id}/redeliver`]: [204, null],
    [`DELETE ${url}`]: [204, null],
  };
  await main(["webhook", "list"]);
  await main(["webhook", "deliveries", id, "--limit", "1"]);
  await main(["webhook", "redeliver", id, id]);
  await main(["webhook", "delete", id]);
  expect(asked.map(({ call }) => call)).toEqual(Object.keys(answers));
  expect(out).toContain("https://hooks.example/in");
  expect(out).toMatch(/given_up +12 +status 500/);
  expect(err).toContain("more with: --cursor abc");
  expect(err).toContain("is due now");
  expect(err).toContain("removed webhook");
});
