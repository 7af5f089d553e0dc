import { expect, test } from "vitest";
import { startCount } from "../testing/flow.ts";
import { testApi } from "../testing/test-api.ts";

test("K-3: workers and sizes are told; an idle worker counts in the stats", async () => {
  const api = await testApi();
  const sign = { version: "1.0.0", queue: "redis", concurrency: 3, draining: false };
  await api.store.fleet.signIn({ id: "host:7", ...sign });
  const { items } = (await api.get("/v1/workers")).json();
  expect(items).toMatchObject([{ id: "host:7", ...sign, alive: true, holding: 0 }]);
  expect((await api.get("/v1/stats")).json().workers).toBe(1);
  expect((await api.get("/v1/size")).json().tables.map(({ table }: { table: string }) => table)).toContain(
    "run",
  );
});

test("S-22: the audit is told to whoever may, and a wrong query is refused", async () => {
  const api = await testApi();
  const id = await startCount(api);
  await api.post(`/v1/runs/${id}/cancel`);
  const page = (await api.get(`/v1/audit?run=${id}`)).json();
  expect(page).toMatchObject({ items: [{ action: "cancel", runId: id, details: null }], nextCursor: null });
  expect((await api.get("/v1/audit?limit=0")).statusCode).toBe(400);
  expect((await api.get("/v1/audit?who=me")).statusCode).toBe(400);
  expect((await api.get("/v1/audit?cursor=bm9uZQ")).json().code).toBe("request_invalid");
});
