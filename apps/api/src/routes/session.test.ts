import { createKey } from "@agentflow/engine";
import type { Scope } from "@agentflow/contract";
import { expect, test } from "vitest";
import { testApi } from "../testing/test-api.ts";
import type { TestApi } from "../testing/test-api.ts";
import { startCount } from "../testing/flow.ts";

const caller = { actor: "test", remote: "" };
const page = { host: "flows.example:4700", origin: "http://flows.example:4700" };

async function keyOf(api: TestApi, scope: Scope): Promise<string> {
  const deps = { keys: api.store.keys, newId: () => crypto.randomUUID() };
  const made = await createKey(deps, { name: scope, scope, caller });
  if (made === null) throw new Error(`the name ${scope} is taken`);
  return made.key;
}

async function loggedIn(api: TestApi, key: string, headers = page): Promise<{ cookie: string; set: string }> {
  const answer = await api.post("/v1/session", { key }, headers);
  expect(answer.statusCode).toBe(200);
  const set = String(answer.headers["set-cookie"]);
  return { set, cookie: set.split(";")[0] ?? "" };
}

test("S-19: a key logs a browser in: the cookie is closed to scripts and to other sites, and may do what the key may", async () => {
  const api = await testApi({ keysRequired: true });
  const key = await keyOf(api, "run");
  expect((await api.get("/v1/session", page)).json()).toEqual({ required: true, key: null });
  const { cookie, set } = await loggedIn(api, key);
  expect(set).toMatch(/^agentflow_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/);
  expect(set).not.toContain(key);
  const seen = await api.get("/v1/session", { ...page, cookie });
  expect(seen.json()).toEqual({ required: true, key: { name: "run", scope: "run" } });
  expect((await api.get("/v1/runs", { ...page, cookie })).statusCode).toBe(200);
  expect((await api.get("/v1/audit", { ...page, cookie })).json().code).toBe("forbidden");
  const tls = await loggedIn(api, key, { ...page, origin: "https://flows.example:4700" });
  expect(tls.set).toMatch(/; Secure$/);
});

test("S-19: no other page can use the session, log in or log out", async () => {
  const api = await testApi();
  const id = await startCount(api);
  const key = await keyOf(api, "admin");
  api.clock.advance(1000);
  expect((await api.get("/v1/runs")).statusCode).toBe(401);
  const { cookie } = await loggedIn(api, key);
  const cancel = (headers: Record<string, string>) =>
    api.post(`/v1/runs/${id}/cancel`, undefined, { cookie, ...headers });
  for (const headers of [
    { host: page.host },
    { ...page, origin: "null" },
    { ...page, origin: "http://evil.example" },
    { ...page, origin: `http://${page.host}.evil.example` },
    { ...page, origin: "http://flows.example" },
  ]) {
    expect((await cancel(headers)).json().code, JSON.stringify(headers)).toBe("forbidden");
    expect((await api.post("/v1/session", { key }, headers)).json().code).toBe("forbidden");
    const out = await api.app.inject({
      method: "DELETE",
      url: "/v1/session",
      headers: { cookie, ...headers },
    });
    expect(out.statusCode).toBe(403);
  }
  expect((await cancel(page)).statusCode).toBe(200);
  expect(api.store.tables.audits.at(-1)).toMatchObject({ action: "cancel", caller: { actor: "key:admin" } });
});

test("S-19: a session ends with its logout, with its key and with the day", async () => {
  const api = await testApi({ keysRequired: true });
  const admin = await keyOf(api, "admin");
  const first = await loggedIn(api, admin);
  const second = await loggedIn(api, admin);
  const third = await loggedIn(api, await keyOf(api, "read"));
  const status = async (cookie: string) => (await api.get("/v1/runs", { ...page, cookie })).statusCode;
  const out = await api.app.inject({
    method: "DELETE",
    url: "/v1/session",
    headers: { ...page, cookie: first.cookie },
  });
  expect([out.statusCode, String(out.headers["set-cookie"])]).toEqual([
    204,
    expect.stringContaining("Max-Age=0"),
  ]);
  expect([await status(first.cookie), await status(second.cookie)]).toEqual([401, 200]);
  await api.store.keys.revoke("admin", caller);
  expect([await status(second.cookie), await status(third.cookie)]).toEqual([401, 200]);
  api.clock.advance(12 * 3_600_000 + 1);
  expect(await status(third.cookie)).toBe(401);
});

test("S-19: wrong keys are limited by address at the login as everywhere", async () => {
  const api = await testApi({ keysRequired: true });
  const key = await keyOf(api, "read");
  for (let tries = 0; tries < 20; tries += 1)
    expect((await api.post("/v1/session", { key: "wrong" }, page)).statusCode).toBe(401);
  const stopped = await api.post("/v1/session", { key }, page);
  expect([stopped.statusCode, stopped.json().code]).toEqual([429, "rate_limited"]);
  for (const body of [{}, { key: 1 }, { key, more: 1 }, "[]"])
    expect((await api.post("/v1/session", body, page)).statusCode).toBe(400);
});

test("S-19: a made-up cookie is no session, and the key in a header needs no Origin", async () => {
  const api = await testApi({ keysRequired: true });
  const key = await keyOf(api, "run");
  for (const cookie of ["agentflow_session=", `agentflow_session=${"a".repeat(43)}`, "other=1"])
    expect((await api.get("/v1/runs", { ...page, cookie })).statusCode, cookie).toBe(401);
  const bearer = { authorization: `Bearer ${key}`, cookie: `agentflow_session=${"a".repeat(43)}` };
  expect((await api.get("/v1/runs", bearer)).statusCode).toBe(200);
});
