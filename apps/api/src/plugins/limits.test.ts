import { once } from "node:events";
import { connect, type AddressInfo, type Socket } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { startCount } from "../testing/flow.ts";
import { testApi, type TestApi } from "../testing/test-api.ts";
import { connectionLimits, type ConnectionLimits } from "./limits.ts";

const open: TestApi[] = [];
afterEach(async () => {
  for (const api of open.splice(0)) {
    api.app.server.closeAllConnections();
    await api.app.close();
  }
});

/** The real server with limits short enough to wait for. */
async function listening(limits: Partial<ConnectionLimits> = {}): Promise<TestApi> {
  const api = await testApi({ limits: { checkMs: 20, ...limits } });
  open.push(api);
  await api.app.listen({ host: "127.0.0.1", port: 0 });
  return api;
}

const portOf = ({ app }: TestApi): number => (app.server.address() as AddressInfo).port;

type Line = { readonly socket: Socket; readonly said: () => string; readonly closed: Promise<unknown> };

function dial(api: TestApi): Line {
  const socket = connect(portOf(api), "127.0.0.1");
  let said = "";
  socket.setEncoding("utf8").on("data", (text: string) => (said += text));
  socket.on("error", () => {});
  return { socket, said: () => said, closed: once(socket, "close") };
}

/** Writes the text again and again, as callers do who hold a connection as long as they can. */
function drip(line: Line, text: string): void {
  const timer = setInterval(() => line.socket.write(text), 20);
  line.socket.once("close", () => clearInterval(timer));
}

const HEAD = "GET /v1/runs HTTP/1.1\r\nhost: 127.0.0.1\r\n";

async function serves(api: TestApi): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${portOf(api)}/healthz`, { headers: { connection: "close" } });
  expect(answer.status).toBe(200);
}

test("S-15: headers that come a line at a time are cut off, with a problem that says why", async () => {
  const api = await listening({ headersMs: 200, requestMs: 60_000 });
  const lines = Array.from({ length: 20 }, () => dial(api));
  for (const line of lines) {
    line.socket.write(HEAD);
    drip(line, "x-slow: 1\r\n");
  }
  for (const line of lines) {
    await line.closed;
    expect(line.said()).toMatch(/^HTTP\/1\.1 400 [^]*came too slowly/);
  }
  await serves(api);
});

test("S-15: a body that comes a byte at a time is cut off, and nothing is changed", async () => {
  const api = await listening({ headersMs: 200, requestMs: 300 });
  const id = await startCount(api);
  const line = dial(api);
  const head = `POST /v1/runs/${id}/cancel HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n`;
  line.socket.write(`${head}content-length: 100000\r\n\r\n{`);
  drip(line, " ");
  await line.closed;
  expect((await api.get(`/v1/runs/${id}`)).json()).toMatchObject({ status: "queued" });
  await serves(api);
});

test("S-15: headers above 16 KiB, and endlessly many of them, are refused", async () => {
  const api = await listening();
  for (const header of [`x-big: ${"x".repeat(20_000)}\r\n`, "x: y\r\n".repeat(10_000)]) {
    const line = dial(api);
    line.socket.write(`${HEAD}${header}\r\n`);
    await line.closed;
    expect(line.said()).toMatch(/^HTTP\/1\.1 400 [^]*larger than 16 KiB/);
  }
  await serves(api);
});

test("S-15: a connection on which nothing is said is closed", async () => {
  const api = await listening({ idleMs: 200 });
  const line = dial(api);
  await line.closed;
  expect(line.said()).toBe("");
});

test("S-15: who parks as many sockets as there may be locks nobody out", async () => {
  const api = await listening({ connections: 8 });
  const lines = Array.from({ length: 8 }, () => dial(api));
  for (const line of lines) {
    line.socket.write(`${HEAD}\r\n`);
    await vi.waitFor(() => expect(line.said()).toMatch(/^HTTP\/1\.1 200 /));
  }
  // The first one in vain is what makes room.
  await vi.waitFor(() => serves(api));
  await Promise.all(lines.map(({ closed }) => closed));
});

test("S-15: the limits of the service itself are those of docs/security.md", () => {
  expect(connectionLimits).toEqual({
    headersMs: 15_000,
    requestMs: 120_000,
    idleMs: 120_000,
    connections: 4096,
    checkMs: 5000,
  });
});

test("S-19: no page of another origin may read an answer, and a preflight grants nothing", async () => {
  const api = await testApi();
  open.push(api);
  const origin = "https://elsewhere.example";
  const asked = { origin, "access-control-request-method": "POST", "access-control-request-headers": "x-a" };
  const answers = [
    await api.app.inject({ method: "OPTIONS", url: "/v1/runs", headers: asked }),
    await api.get("/v1/runs", { origin }),
    await api.get("/healthz", { origin }),
    await api.get("/v1/openapi.json", { origin }),
    await api.get("/v1/runs"),
  ];
  for (const { headers } of answers)
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  expect(answers.slice(0, 2).map(({ statusCode }) => statusCode)).not.toContain(200);
});
