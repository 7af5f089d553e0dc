import { expect, test } from "vitest";
import { startCount } from "../testing/flow.ts";
import { testApi } from "../testing/test-api.ts";

const put = (api: Awaited<ReturnType<typeof testApi>>, flow: string, body: unknown) =>
  api.app.inject({
    ...{ method: "PUT", url: `/v1/flows/${flow}/limits`, payload: JSON.stringify(body) },
    headers: { "content-type": "application/json" },
  });

test("3.4, A22: limits are set, shown with the flow, hold at the next claim, and explain says so", async () => {
  const api = await testApi();
  const first = await startCount(api, { concurrencyKey: "tenant-1", priority: 5 });
  const second = await startCount(api, { concurrencyKey: "tenant-1" });
  const limits = { maxRunning: null, maxRunningPerKey: 1 };
  const set = await put(api, "count", limits);
  expect([set.statusCode, set.json()], set.body).toEqual([200, limits]);
  expect((await api.get("/v1/flows/count")).json().limits).toEqual(limits);
  expect((await api.get(`/v1/runs/${first}`)).json()).toMatchObject({
    concurrencyKey: "tenant-1",
    priority: 5,
  });
  const claim = async (runId: string) =>
    (await api.store.work.claim({ runId, token: api.store.tables.runs.get(runId)!.token }, "w", 15_000, 5))
      .kind;
  expect([await claim(first), await claim(second)]).toEqual(["claimed", "limited"]);
  const explained = (await api.get(`/v1/runs/${second}/explain`)).json();
  expect(explained).toMatchObject({ reason: "limited", status: "queued" });
  expect(explained.sentence).toContain("limit");
});

test("P-12: a rerun keeps the concurrency key", async () => {
  const api = await testApi();
  const id = await startCount(api, { concurrencyKey: "k" });
  await api.post(`/v1/runs/${id}/cancel`);
  expect((await api.post(`/v1/runs/${id}/rerun`)).json()).toMatchObject({ concurrencyKey: "k", rerunOf: id });
});

test("3.4: the same Idempotency-Key with another concurrency key is another request", async () => {
  const api = await testApi();
  await startCount(api);
  const key = { "idempotency-key": "start-1" };
  const start = (concurrencyKey?: string) => api.post("/v1/runs", { flow: "count", concurrencyKey }, key);
  expect(
    [await start("a"), await start("a"), await start("b"), await start()].map((one) => one.statusCode),
  ).toEqual([...[201, 200, 409, 409]]);
});

test.each([
  ["a limit of nothing", { maxRunning: 0, maxRunningPerKey: null }],
  ["one limit alone", { maxRunning: 1 }],
  ["an unknown limit", { maxRunning: 1, maxRunningPerKey: null, perDay: 1 }],
])("3.4, S-15: %s is refused", async (_what, body) => {
  const api = await testApi();
  await startCount(api);
  const answer = await put(api, "count", body);
  expect([answer.statusCode, answer.json().code]).toEqual([400, "request_invalid"]);
  expect((await api.get("/v1/flows/count")).json().limits).toEqual({
    maxRunning: null,
    maxRunningPerKey: null,
  });
});

test("3.4: limits of a flow that is not there are 404", async () => {
  const api = await testApi();
  for (const flow of ["nope", "NOPE!"])
    expect((await put(api, flow, { maxRunning: 1, maxRunningPerKey: null })).statusCode).toBe(404);
});
