import { once } from "node:events";
import { request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { testApi } from "../testing/test-api.ts";
import type { TestApi } from "../testing/test-api.ts";

let api: TestApi;
let port: number;
/** Of the answers given, also those that nobody reads. */
const statuses: number[] = [];

beforeAll(async () => {
  api = await testApi();
  api.app.addHook("onSend", async (_request, reply) => void statuses.push(reply.statusCode));
  await api.app.listen({ host: "127.0.0.1", port: 0 });
  ({ port } = api.app.server.address() as AddressInfo);
});

afterAll(() => api.app.close());

type Answer = { readonly status: number; readonly code: string };

/** A call over a real connection; without `content-length` when `chunked`. */
function call(
  path: string,
  chunks: readonly (string | Buffer)[],
  headers: Record<string, string | number>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ host: "127.0.0.1", port, path, method: "POST", headers }, (response) => {
      const received: Buffer[] = [];
      response.on("data", (chunk: Buffer) => received.push(chunk));
      response.on("end", () => {
        const { code } = JSON.parse(Buffer.concat(received).toString()) as { code: string };
        resolve({ status: response.statusCode ?? 0, code });
      });
    });
    sent.on("error", reject);
    for (const chunk of chunks) sent.write(chunk);
    sent.end();
  });
}

const json = { "content-type": "application/json" };

test("S-15: a sender far above the limit gets to read the 413, with and without a length", async () => {
  const mebibyte = Buffer.alloc(1024 * 1024, " ");
  const chunks = Array.from({ length: 24 }, () => mebibyte);
  const chunked = await call("/v1/runs", chunks, { ...json, "transfer-encoding": "chunked" });
  const measured = await call("/v1/runs", chunks, { ...json, "content-length": 24 * 1024 * 1024 });
  expect([chunked, measured]).toEqual([
    { status: 413, code: "body_too_large" },
    { status: 413, code: "body_too_large" },
  ]);
});

test("P-74: a body without a length is read like any other", async () => {
  const headers = { ...json, "transfer-encoding": "chunked" };
  expect(await call("/v1/runs", ['{"fl', 'ow":"nowhere"}'], headers)).toEqual({
    status: 404,
    code: "not_found",
  });
  expect(await call("/v1/runs", [], headers)).toEqual({ status: 400, code: "request_invalid" });
});

test("S-15: bodies that are not UTF-8 are refused", async () => {
  const bytes = Buffer.from([...Buffer.from('{"flow":"'), 0xc3, 0x28, ...Buffer.from('"}')]);
  expect(await call("/v1/runs", [bytes], json)).toEqual({ status: 400, code: "request_invalid" });
});

test("P-74: a caller that goes away in the middle of its body changes nothing and is no error of ours", async () => {
  const sent = httpRequest({
    host: "127.0.0.1",
    port,
    path: "/v1/runs",
    method: "POST",
    headers: { ...json, "content-length": 100 },
  });
  sent.on("error", () => undefined);
  const arrived = once(api.app.server, "request");
  statuses.length = 0;
  sent.write('{"flow":');
  await arrived;
  sent.destroy();
  await vi.waitFor(() => expect(statuses).toEqual([400]));
  expect((await api.get("/v1/runs")).json().items).toEqual([]);
  expect(api.log.join("")).not.toContain("request failed");
});

test("S-15: calls that take no body take little", async () => {
  const path = "/v1/runs/019e4f2c-7c00-7000-8000-000000000001/cancel";
  expect(await call(path, [" ".repeat(2000)], json)).toEqual({ status: 413, code: "body_too_large" });
});
