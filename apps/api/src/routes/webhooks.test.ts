import { expect, test } from "vitest";
import { park, startCount } from "../testing/flow.ts";
import { testApi } from "../testing/test-api.ts";

const nobody = "019e4f2c-7c00-7000-8000-00000000dead";
const url = "https://hooks.example/in";

test("S-22: a webhook is registered with a secret that only this answer shows, listed and removed", async () => {
  const { post, get, delete: remove, store } = await testApi();
  const made = await post("/v1/webhooks", { url, events: ["waiting", "waiting"], flow: "count" });
  expect(made.statusCode, made.body).toBe(201);
  const { id, secret } = made.json() as { id: string; secret: string };
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(made.json()).toEqual({ id, url, events: ["waiting"], flow: "count", secret });
  const list = await get("/v1/webhooks");
  expect(list.json()).toMatchObject({ items: [{ id, url, events: ["waiting"], flow: "count" }] });
  expect(list.body).not.toContain(secret);
  expect((await remove(`/v1/webhooks/${id}`)).statusCode).toBe(204);
  for (const answer of [
    await remove(`/v1/webhooks/${id}`),
    await get(`/v1/webhooks/${id}/deliveries`),
    await post(`/v1/webhooks/${id}/deliveries/${nobody}/redeliver`),
  ])
    expect([answer.statusCode, answer.json().code]).toEqual([404, "not_found"]);
  const acts = store.tables.audits.map(({ action }) => action);
  expect(acts).toEqual(["webhook_create", "webhook_delete"]);
});

test("S-15: an address that is none, or carries credentials, is refused", async () => {
  const { post, get } = await testApi();
  for (const wrong of ["", "hooks.example", "ftp://hooks.example/", "https://me:secret@hooks.example/"]) {
    const answer = await post("/v1/webhooks", { url: wrong });
    expect([answer.statusCode, answer.json().code], wrong).toEqual([400, "request_invalid"]);
  }
  expect((await get("/v1/webhooks")).json()).toEqual({ items: [] });
});

test("3.4: what was sent, or not, is shown per delivery, and is sent anew when asked for", async () => {
  const api = await testApi();
  const { id } = (await api.post("/v1/webhooks", { url })).json() as { id: string };
  const runId = await startCount(api);
  await park(api, runId);
  const [due] = await api.store.webhooks.take("a", 1000, 5);
  await api.store.webhooks.note(due!, { kind: "failed", error: "status 500", retryMs: null });
  const seen = async () => (await api.get(`/v1/webhooks/${id}/deliveries`)).json().items as unknown[];
  const delivery = { id: due!.id, runId, event: "waiting" };
  expect(await seen()).toMatchObject([{ ...delivery, status: "given_up", lastError: "status 500" }]);
  const again = await api.post(`/v1/webhooks/${id}/deliveries/${due!.id}/redeliver`);
  expect(again.statusCode).toBe(204);
  expect(await seen()).toMatchObject([{ ...delivery, status: "pending", attempts: 0 }]);
});
