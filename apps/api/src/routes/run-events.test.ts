import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { get } from "node:http";
import type { AddressInfo } from "node:net";
import { ApiError, createClient, ServerUnreachable } from "@agentflow/contract";
import type { RunEventAnswer } from "@agentflow/contract";
import { afterEach, expect, test, vi } from "vitest";
import { park, startCount } from "../testing/flow.ts";
import { testApi } from "../testing/test-api.ts";
import type { TestApi } from "../testing/test-api.ts";

const STREAM = { accept: "text/event-stream" };
const PAGES = { accept: "application/json" };
const unknown = "019e4f2c-7c00-7000-8000-000000000001";

let api: TestApi;
afterEach(() => api.app.close());

/** Stores events as the holder of the run would. */
async function happen(runId: string, ...types: string[]): Promise<void> {
  const run = api.store.tables.runs.get(runId)!;
  if (run.status === "queued") await api.store.work.claim({ runId, token: run.token }, "worker-1", 1e9, 5);
  const fence = { runId, token: run.token };
  await api.store.work.appendEvents(
    fence,
    types.map((type) => ({ type, text: 'line\n\rbreak "quoted" \u2028' })),
  );
}

async function listening(): Promise<string> {
  await api.app.listen({ host: "127.0.0.1", port: 0 });
  return `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`;
}

test("L-50: an ended run's events come as one stream, each with its number as id, and the stream ends", async () => {
  api = await testApi();
  const id = await startCount(api);
  await happen(id, "run-started", "node-start");
  await api.post(`/v1/runs/${id}/cancel`);
  const answer = await api.get(`/v1/runs/${id}/events`, STREAM);
  expect(answer.statusCode).toBe(200);
  expect(answer.headers).toMatchObject({
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  });
  const blocks = answer.body.split("\n\n").filter((block) => block.startsWith("id:"));
  const events = blocks.map((block) => {
    const [, seq, json] = /^id: (\d+)\ndata: ([^]*)$/.exec(block) ?? [];
    expect(JSON.parse(json ?? "").seq).toBe(Number(seq));
    return JSON.parse(json ?? "") as RunEventAnswer;
  });
  expect(events.map(({ seq, type }) => [seq, type])).toEqual([
    [1, "run-started"],
    [2, "node-start"],
    [3, "run-cancelled"],
  ]);
  expect(events[0]?.["text"]).toBe('line\n\rbreak "quoted" \u2028');
  expect((await api.get(`/v1/runs/${id}/events`)).body).toBe(answer.body);
});

test("L-50: a stream goes on behind Last-Event-ID; with everything told of an ended run it is 204, which ends reconnecting", async () => {
  api = await testApi();
  const id = await startCount(api);
  await happen(id, "a", "b");
  await api.post(`/v1/runs/${id}/cancel`);
  const rest = await api.get(`/v1/runs/${id}/events`, { ...STREAM, "last-event-id": "2" });
  expect(rest.body.match(/^id: \d+$/gm)).toEqual(["id: 3"]);
  expect((await api.get(`/v1/runs/${id}/events?cursor=1`, STREAM)).body.match(/^id: \d+$/gm)).toHaveLength(2);
  const over = await api.get(`/v1/runs/${id}/events`, { ...STREAM, "last-event-id": "3" });
  expect([over.statusCode, over.body]).toEqual([204, ""]);
  for (const wrong of ["x", "-1", "1.5"]) {
    const answer = await api.get(`/v1/runs/${id}/events`, { ...STREAM, "last-event-id": wrong });
    expect([answer.statusCode, answer.json().code]).toEqual([400, "request_invalid"]);
  }
});

test("3.4: with Accept: application/json events come in pages", async () => {
  api = await testApi();
  const id = await startCount(api);
  await happen(id, "a", "b", "c", "d", "e");
  const first = (await api.get(`/v1/runs/${id}/events?limit=2`, PAGES)).json();
  expect(first.items.map(({ type }: { type: string }) => type)).toEqual(["a", "b"]);
  const second = (await api.get(`/v1/runs/${id}/events?limit=3&cursor=${first.nextCursor}`, PAGES)).json();
  expect(second.items.map(({ seq }: { seq: number }) => seq)).toEqual([3, 4, 5]);
  expect(second.nextCursor).toBeNull();
  expect((await api.get(`/v1/runs/${unknown}/events`, PAGES)).statusCode).toBe(404);
  expect((await api.app.inject({ method: "HEAD", url: `/v1/runs/${id}/events`, headers: STREAM })).body).toBe(
    "",
  );
});

test("L-50, P-78: events are told as they happen, without gaps over a lost connection, until the run has ended", async () => {
  api = await testApi({ eventTimes: { pollMs: 5 } });
  const client = createClient({ url: await listening() });
  const id = await startCount(api);
  const seen: number[] = [];
  const firstPart = new AbortController();
  const watching = (async () => {
    for await (const event of client.streamRunEvents(id, 0, firstPart.signal)) {
      seen.push(event.seq);
      if (seen.length === 2) firstPart.abort();
    }
  })();
  await happen(id, "a");
  await vi.waitFor(() => expect(seen).toEqual([1]));
  await happen(id, "b");
  await watching;
  await happen(id, "c", "d");
  const rest = (async () => {
    for await (const event of client.streamRunEvents(id, seen.at(-1))) seen.push(event.seq);
  })();
  await vi.waitFor(() => expect(seen).toEqual([1, 2, 3, 4]));
  await api.post(`/v1/runs/${id}/cancel`);
  await rest;
  expect(seen).toEqual([1, 2, 3, 4, 5]);
  for await (const _ of client.streamRunEvents(id, 5)) throw new Error("there is nothing more");
  await expect(client.streamRunEvents(unknown).next()).rejects.toThrow(ApiError);
});

test("L-50: a silent stream shows that it is alive, sits out an outage of the database, and ends when the run is deleted", async () => {
  api = await testApi({ eventTimes: { pollMs: 5, heartbeatMs: 20 } });
  const id = await startCount(api);
  const { text, ended } = await openStream(`${await listening()}/v1/runs/${id}/events`);
  await vi.waitFor(() => expect(text()).toMatch(/\n:\n\n:\n\n/));
  api.store.tables.away = true;
  const beats = text().length;
  await vi.waitFor(() => expect(text().length).toBeGreaterThan(beats));
  api.store.tables.away = false;
  await happen(id, "after the outage");
  await vi.waitFor(() => expect(text()).toContain("after the outage"));
  api.store.tables.runs.delete(id);
  await ended;
});

test("S-27: a service that stops ends its streams instead of waiting for them", async () => {
  api = await testApi({ eventTimes: { pollMs: 5 } });
  const id = await startCount(api);
  const { text, ended } = await openStream(`${await listening()}/v1/runs/${id}/events`);
  await vi.waitFor(() => expect(text()).toContain("retry:"));
  await api.app.close();
  await ended;
});

test("3.4: a reader that takes nothing does not make the API read on", async () => {
  api = await testApi({ eventTimes: { pollMs: 5 } });
  const id = await startCount(api);
  const long = "x".repeat(20_000);
  for (let round = 0; round < 40; round += 1) await happen(id, ...Array.from({ length: 100 }, () => long));
  const { response } = await openStream(`${await listening()}/v1/runs/${id}/events`, { reading: false });
  const reads = vi.spyOn(api.store.reads, "events");
  await vi.waitFor(() => expect(response.readableLength).toBeGreaterThan(0));
  const before = reads.mock.calls.length;
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(reads.mock.calls.length - before).toBeLessThan(10);
  response.destroy();
});

test("3.4: a reader that goes away leaves no stream behind", async () => {
  api = await testApi({ eventTimes: { pollMs: 5 } });
  const id = await startCount(api);
  const url = await listening();
  const { response, text } = await openStream(`${url}/v1/runs/${id}/events`);
  await vi.waitFor(() => expect(text()).toContain("retry:"));
  const open = async () => (await api.get("/metrics")).body.match(/^agentflow_event_streams (\d+)$/m)?.[1];
  expect(await open()).toBe("1");
  response.destroy();
  await vi.waitFor(async () => expect(await open()).toBe("0"));
});

test("S-18: a server that is not there is told by the client's stream", async () => {
  api = await testApi();
  const client = createClient({ url: "http://127.0.0.1:9" });
  await expect(client.streamRunEvents(unknown).next()).rejects.toThrow(ServerUnreachable);
  await park(api, await startCount(api));
});

async function openStream(url: string, { reading = true } = {}) {
  const request = get(url, { headers: STREAM });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  let text = "";
  response.on("error", () => {});
  if (reading) response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const ended = new Promise<void>((resolve) => response.on("close", resolve));
  return { response, text: () => text, ended };
}
