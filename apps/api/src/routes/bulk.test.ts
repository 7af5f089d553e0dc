import { runBulkStep, sha256 } from "@agentflow/engine";
import { defaultRegistry } from "@agentflow/core";
import { expect, test } from "vitest";
import { park, startCount, statusOf } from "../testing/flow.ts";
import { testApi } from "../testing/test-api.ts";
import type { TestApi } from "../testing/test-api.ts";

const nobody = "019e4f2c-7c00-7000-8000-00000000dead";

/** Deals with all there is, as the processes do. */
async function work(api: TestApi): Promise<void> {
  let made = 0;
  const deps = {
    ...{ store: api.store.requests, bulk: api.store.bulk, registry: defaultRegistry, sha256 },
    relay: { wake: () => undefined },
    caps: { maxIterations: 1000, maxTimeoutMs: 1e9 },
    newId: () => `019e4f2c-7c00-7000-8000-${String(++made).padStart(12, "0")}`,
    parseSource: () => ({ ir: null, findings: [], positions: new Map(), fields: new Map() }),
  };
  for (let paceMs = 0 as number | null; paceMs !== null; paceMs = await runBulkStep(deps, 30_000))
    api.clock.advance(paceMs);
}

async function waiting(api: TestApi, count: number): Promise<string[]> {
  const ids = [];
  for (let i = 0; i < count; i += 1) {
    const id = await startCount(api, { tags: [`t${i}`] });
    await park(api, id);
    ids.push(id);
  }
  return ids;
}

test("3.4: a preview tells how many runs it would be about and does nothing", async () => {
  const api = await testApi();
  const ids = await waiting(api, 2);
  const body = { action: "resume", filter: { flow: "count" }, preview: true };
  const answer = await api.post("/v1/bulk", body);
  expect(answer.statusCode, answer.body).toBe(200);
  expect(answer.json().count).toBe(2);
  expect(
    answer
      .json()
      .sample.map(({ id }: { id: string }) => id)
      .toSorted(),
  ).toEqual(ids.toSorted());
  expect((await api.get("/v1/bulk")).json()).toEqual({ items: [], nextCursor: null });
  await work(api);
  for (const id of ids) expect(await statusOf(api, id)).toBe("waiting");
});

test("3.4: a bulk resume is accepted, goes on at its pace, and tells what became of each run", async () => {
  const api = await testApi();
  const ids = await waiting(api, 3);
  const key = { "idempotency-key": "approve-all" };
  const body = { action: "resume", ids: [...ids, nobody], payload: { ok: true }, perSecond: 2 };
  const accepted = await api.post("/v1/bulk", body, key);
  expect(accepted.statusCode, accepted.body).toBe(202);
  const { id } = accepted.json() as { id: string };
  expect(accepted.headers.location).toBe(`/v1/bulk/${id}`);
  expect(accepted.json()).toMatchObject({ status: "running", total: 4, done: 0, perSecond: 2, filter: null });
  expect((await api.post("/v1/bulk", body, key)).json()).toMatchObject({ id });
  const other = await api.post("/v1/bulk", { ...body, perSecond: 3 }, key);
  expect([other.statusCode, other.json().code]).toEqual([409, "idempotency_conflict"]);
  await api.post(`/v1/runs/${ids[1]}/cancel`);
  await work(api);
  expect((await api.get(`/v1/bulk/${id}`)).json()).toMatchObject({
    ...{ status: "done", done: 4, outcomes: { resumed: 2, not_waiting: 1, not_found: 1 } },
  });
  const runs = (await api.get(`/v1/bulk/${id}/runs`)).json().items;
  expect(runs.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
    ...["resumed", "not_waiting", "resumed", "not_found"],
  ]);
  expect(runs[1].message).toContain("cancelled");
  const refused = (await api.get(`/v1/bulk/${id}/runs?outcome=not_found`)).json();
  expect(refused.items).toEqual([
    { runId: nobody, outcome: "not_found", message: expect.any(String), startedId: null },
  ]);
  expect(await statusOf(api, ids[0]!)).toBe("queued");
  expect(api.store.tables.runs.get(ids[0]!)?.resumePayload).toBe('{"ok":true}');
});

test("3.4, S-22: a bulk cancel audits each run, in the name of who asked for it", async () => {
  const api = await testApi();
  const ids = await waiting(api, 2);
  await api.post("/v1/bulk", { action: "cancel", filter: { status: ["waiting"] } });
  await work(api);
  for (const id of ids) expect(await statusOf(api, id)).toBe("cancelled");
  const acts = api.store.tables.audits.filter(({ action }) => action === "bulk" || action === "cancel");
  expect(acts.map(({ action, caller }) => [action, caller.actor])).toEqual([
    ...[
      ["bulk", "local"],
      ["cancel", "local"],
      ["cancel", "local"],
    ],
  ]);
});

test("3.4: a bulk rerun starts a linked run for each, once, also when a step is repeated", async () => {
  const api = await testApi();
  const [id] = await waiting(api, 1);
  await api.post(`/v1/runs/${id}/cancel`);
  const { id: bulk } = (await api.post("/v1/bulk", { action: "rerun", filter: { tag: "t0" } })).json() as {
    id: string;
  };
  const lost = await api.store.bulk.take("dies", 1);
  expect(lost?.items).toHaveLength(1);
  api.clock.advance(5000);
  await work(api);
  const [run] = (await api.get(`/v1/bulk/${bulk}/runs`)).json().items;
  expect(run).toMatchObject({ runId: id, outcome: "started", startedId: expect.any(String) });
  const list = (await api.get("/v1/runs?tag=t0")).json().items as { id: string; rerunOf: string | null }[];
  expect(list.filter(({ rerunOf }) => rerunOf === id).map((one) => one.id)).toEqual([run.startedId]);
});

test("3.4: an abort stops what was not dealt with, and can be repeated", async () => {
  const api = await testApi();
  const ids = await waiting(api, 2);
  const { id } = (await api.post("/v1/bulk", { action: "cancel", filter: {} })).json() as { id: string };
  for (let twice = 0; twice < 2; twice += 1) {
    const aborted = await api.post(`/v1/bulk/${id}/abort`);
    expect(aborted.statusCode).toBe(200);
    expect(aborted.json()).toMatchObject({ status: "aborted", total: 2, done: 0 });
  }
  await work(api);
  for (const one of ids) expect(await statusOf(api, one)).toBe("waiting");
});

test.each([
  ["neither ids nor a filter", { action: "cancel" }],
  ["both ids and a filter", { action: "cancel", ids: [nobody], filter: {} }],
  ["an unknown action", { action: "delete", filter: {} }],
  ["an unknown filter", { action: "cancel", filter: { colour: "red" } }],
  ["a payload for a cancel", { action: "cancel", filter: {}, payload: 1 }],
  ["inputs for a cancel", { action: "cancel", filter: {}, inputs: {} }],
  ["no pace at all", { action: "cancel", filter: {}, perSecond: 0 }],
])("3.4, S-15: %s is refused, and nothing is stored", async (_what, body) => {
  const api = await testApi();
  const answer = await api.post("/v1/bulk", body);
  expect([answer.statusCode, answer.json().code], answer.body).toEqual([400, "request_invalid"]);
  expect(api.store.tables.bulks.size).toBe(0);
});

test("3.4: an action that is not there is 404 at every call", async () => {
  const api = await testApi();
  for (const path of [`/v1/bulk/${nobody}`, "/v1/bulk/x", `/v1/bulk/${nobody}/runs`])
    expect((await api.get(path)).statusCode).toBe(404);
  expect((await api.post(`/v1/bulk/${nobody}/abort`)).statusCode).toBe(404);
});
