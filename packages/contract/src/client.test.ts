import { expect, test } from "vitest";
import { ApiError, ServerUnreachable } from "./api-error.ts";
import { createClient } from "./client.ts";

const id = "019e4f2c-7c00-7000-8000-000000000001";
const run = {
  ...{
    id,
    flow: "count",
    version: 1,
    status: "queued",
    failure: null,
    tags: [],
    priority: null,
    concurrencyKey: null,
  },
  ...{
    attempt: 0,
    inDoubt: false,
    leaseOwner: null,
    rerunOf: null,
    forkedFrom: null,
    dueAt: null,
    createdAt: "2026-01-01T00:00:00.000Z",
  },
  ...{
    startedAt: null,
    updatedAt: "2026-01-01T00:00:00.000Z",
    finishedAt: null,
    inputs: {},
    keptResume: null,
    usage: { inputTokens: 0, outputTokens: 0 },
    loops: [],
    outputs: {},
  },
};

type Sent = { url: string; method: string; headers: Record<string, string>; body: string | undefined };

/** A client whose server gives one answer, and what it was sent. */
function clientOf(status: number, answer: unknown, apiKey?: string) {
  const sent: Sent[] = [];
  const text = typeof answer === "string" ? answer : JSON.stringify(answer);
  const fetch = async (url: unknown, init: RequestInit = {}) => {
    const { method = "GET", headers, body } = init;
    sent.push({
      url: String(url),
      method,
      headers: headers as Record<string, string>,
      body: body as string | undefined,
    });
    return new Response(status === 204 ? null : text, { status });
  };
  return { client: createClient({ url: "http://127.0.0.1:4700/", apiKey, fetch }), sent };
}

test("S-18: a call goes to its address with its method, query, key and body", async () => {
  const { client, sent } = clientOf(201, run, "secret");
  const started = await client.startRun({ flow: "count", tags: ["a"] }, { idempotencyKey: "k-1" });
  expect(started).toEqual({ created: true, run });
  expect(sent).toEqual([
    {
      url: "http://127.0.0.1:4700/v1/runs",
      method: "POST",
      headers: {
        accept: "application/json",
        "content-type": "application/json",
        authorization: "Bearer secret",
        "idempotency-key": "k-1",
      },
      body: '{"flow":"count","tags":["a"]}',
    },
  ]);
  const lister = clientOf(200, { items: [], nextCursor: null });
  await lister.client.listRuns({ status: ["queued", "waiting"], tag: "a&b", limit: 2 });
  expect(lister.sent[0]?.url).toBe(
    "http://127.0.0.1:4700/v1/runs?status=queued&status=waiting&tag=a%26b&limit=2",
  );
});

test("S-18: names in the path are escaped", async () => {
  const { client, sent } = clientOf(200, "null");
  await client.getRunState(id, '["loop"]');
  await client.getRunState("../x");
  expect(sent.map(({ url }) => url)).toEqual([
    `http://127.0.0.1:4700/v1/runs/${id}/state?loop=%5B%22loop%22%5D`,
    "http://127.0.0.1:4700/v1/runs/..%2Fx/state",
  ]);
});

test("L-46: inputs and payloads given as texts are sent token for token", async () => {
  const { client, sent } = clientOf(202, run);
  const inputs = new Map([["start", '{"2":1.0,"1":-0}']]);
  await client.resumeRun(id, { payloadText: "1e2", inputs, nextIteration: 3 });
  expect(sent[0]?.body).toBe('{"nextIteration":3,"payload":1e2,"inputs":{"start":{"2":1.0,"1":-0}}}');
});

test("L-46: the state comes back as the text it is", async () => {
  const { client } = clientOf(200, '{"2":1.0,"1":-0}');
  await expect(client.getRunState(id)).resolves.toBe('{"2":1.0,"1":-0}');
});

test("L-40: a payload of null is sent, one left out is not", async () => {
  const { client, sent } = clientOf(202, run);
  await client.resumeRun(id, { payload: null });
  await client.resumeRun(id);
  expect(sent.map(({ body }) => body)).toEqual(['{"payload":null}', "{}"]);
});

test("S-18: a refused call throws what the problem says", async () => {
  const problem = {
    ...{
      type: "/docs/errors#run_terminal",
      title: "t",
      status: 409,
      detail: "The run is failed.",
      code: "run_terminal",
    },
    ...{
      advice: "a",
      details: { status: "failed" },
      docs: "/docs/errors#run_terminal",
      instance: "urn:uuid:1",
    },
  };
  const { client } = clientOf(409, problem);
  const error = await client.cancelRun(id).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status: 409, code: "run_terminal", details: { status: "failed" }, problem });
  expect((error as Error).message).toBe("The run is failed.");
});

test("S-18: an answer that is no problem of ours is still an error with its status", async () => {
  const { client } = clientOf(502, "<html>bad gateway</html>");
  await expect(client.getRun(id)).rejects.toMatchObject({ name: "ApiError", status: 502, code: null });
});

test("S-18: an answer of another shape is not passed on as a run", async () => {
  const { client } = clientOf(200, { hello: "world" });
  await expect(client.getRun(id)).rejects.toThrow("documented shape");
});

test("S-18: fields of a newer server stay in the answer", async () => {
  const { client } = clientOf(200, { ...run, later: 1 });
  await expect(client.getRun(id)).resolves.toHaveProperty("later", 1);
});

test("S-18: no answer is told apart from a refusal", async () => {
  const fetch = async () => Promise.reject(new TypeError("fetch failed"));
  const client = createClient({ url: "http://127.0.0.1:1", fetch });
  await expect(client.getStats()).rejects.toBeInstanceOf(ServerUnreachable);
});

test("S-17: a server that is not ready is an answer, not an error", async () => {
  const { client } = clientOf(503, { status: "unavailable", database: "down", queue: "up" });
  await expect(client.getReadiness()).resolves.toMatchObject({ status: "unavailable", database: "down" });
});

test("S-18: runs are reset, run again and deleted, flows archived, each by its own call", async () => {
  const reset = clientOf(202, run);
  expect(await reset.client.resetRun(id)).toEqual(run);
  const again = clientOf(201, run);
  const inputs = new Map([["start", '{"b":1.0}']]);
  expect(await again.client.rerunRun(id, { inputs, version: 2 }, { idempotencyKey: "k" })).toEqual({
    created: true,
    run,
  });
  const deleted = clientOf(204, "");
  await deleted.client.deleteRun(id);
  const archived = clientOf(200, { flow: "count", archivedAt: "2026-01-01T00:00:00.000Z" });
  await archived.client.archiveFlow("count");
  const calls = [reset, again, deleted, archived].flatMap(({ sent }) => sent);
  expect(calls.map(({ method, url, body }) => [method, url.slice(21), body])).toEqual([
    ["POST", `/v1/runs/${id}/reset`, undefined],
    ["POST", `/v1/runs/${id}/rerun`, '{"version":2,"inputs":{"start":{"b":1.0}}}'],
    ["DELETE", `/v1/runs/${id}`, undefined],
    ["DELETE", "/v1/flows/count", undefined],
  ]);
  expect(calls[1]?.headers["idempotency-key"]).toBe("k");
});

test("S-18: logs, pages of events and explanations are asked for with their query", async () => {
  const empty = { items: [], nextCursor: null };
  const { client, sent } = clientOf(200, empty);
  await client.getRunLogs(id, { iteration: 3, limit: 2 });
  await client.listRunEvents(id, { cursor: 7 });
  expect(sent.map(({ url }) => url.slice(21))).toEqual([
    `/v1/runs/${id}/logs?iteration=3&limit=2`,
    `/v1/runs/${id}/events?cursor=7`,
  ]);
  await expect(client.explainRun(id)).rejects.toThrow("documented shape");
});
