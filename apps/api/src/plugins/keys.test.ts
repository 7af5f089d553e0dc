import { operations } from "@agentflow/contract";
import type { Operation, Scope } from "@agentflow/contract";
import { createKey } from "@agentflow/engine";
import { expect, test } from "vitest";
import { countFlow, startCount } from "../testing/flow.ts";
import { testApi } from "../testing/test-api.ts";
import type { TestApi } from "../testing/test-api.ts";

const caller = { actor: "test", remote: "" };
const runId = "019e4f2c-7c00-7000-8000-000000000001";

async function keyOf(api: TestApi, scope: Scope, name: string = scope): Promise<Record<string, string>> {
  const made = await createKey(
    { keys: api.store.keys, newId: () => crypto.randomUUID() },
    { name, scope, caller },
  );
  if (made === null) throw new Error(`the name ${name} is taken`);
  return { authorization: `Bearer ${made.key}` };
}

function addressOf({ path }: Operation): string {
  return path.replace("{name}", "count").replace("{n}", "1").replace("{id}", runId);
}

test("S-19: as soon as there is a key every call but the probes needs one, from this machine too", async () => {
  const api = await testApi();
  expect((await api.get("/v1/runs")).statusCode).toBe(200);
  const key = await keyOf(api, "admin");
  api.clock.advance(1000);
  const answer = await api.get("/v1/runs");
  expect([answer.statusCode, answer.json().code]).toEqual([401, "unauthorized"]);
  expect(answer.headers["www-authenticate"]).toContain("Bearer");
  expect((await api.get("/v1/runs", key)).statusCode).toBe(200);
  for (const url of ["/healthz", "/readyz", "/docs", "/v1/openapi.json"])
    expect((await api.get(url)).statusCode, url).toBe(200);
  await api.store.keys.revoke("admin", caller);
  expect((await api.get("/v1/runs", key)).statusCode).toBe(401);
  api.clock.advance(10_000);
  expect((await api.get("/v1/runs")).statusCode).toBe(200);
});

test("S-19: an API beyond this machine needs a key for every call, also when the last one is revoked", async () => {
  const api = await testApi({ keysRequired: true });
  const host = { host: "agentflow.example" };
  expect((await api.get("/v1/runs", host)).statusCode).toBe(401);
  expect((await api.get("/v1/runs")).statusCode).toBe(401);
  const key = await keyOf(api, "read");
  expect((await api.get("/v1/runs", { ...host, ...key })).statusCode).toBe(200);
  expect((await api.get("/healthz", host)).statusCode).toBe(200);
  await api.store.keys.revoke("read", caller);
  expect((await api.get("/v1/runs", { ...host, ...key })).statusCode).toBe(401);
});

const RANKS: readonly Scope[] = ["read", "run", "admin"];

test.each(RANKS)("S-19: a key of scope %s may do what its scope says and nothing more", async (scope) => {
  const api = await testApi({ keysRequired: true });
  const key = await keyOf(api, scope);
  for (const [id, operation] of Object.entries<Operation>(operations)) {
    const answer = await api.app.inject({
      method: operation.method,
      url: addressOf(operation),
      headers: { ...key, accept: "application/json", host: "localhost", origin: "http://localhost" },
    });
    const allowed = operation.scope === null || RANKS.indexOf(scope) >= RANKS.indexOf(operation.scope);
    if (allowed) expect([401, 403], id).not.toContain(answer.statusCode);
    else
      expect([answer.statusCode, answer.json().details], id).toEqual([
        403,
        { needed: operation.scope, scope },
      ]);
  }
});

test("S-19: what changes flows or removes anything needs admin; runs are steered with run", () => {
  const needs = (wanted: Scope) =>
    Object.entries<Operation>(operations)
      .filter(([, { scope }]) => scope === wanted)
      .map(([id]) => id)
      .toSorted();
  expect(needs("admin")).toEqual([
    "archiveFlow",
    "createWebhook",
    "deleteRun",
    "deleteWebhook",
    "listAudit",
    "listWebhookDeliveries",
    "listWebhooks",
    "redeliverWebhook",
    "registerFlow",
    "resetRun",
    "saveLayout",
    "setFlowLimits",
  ]);
  expect(needs("run")).toEqual([
    "abortBulk",
    "cancelRun",
    "createSchedule",
    "deleteSchedule",
    "forkRun",
    "pauseSchedule",
    "replaceSchedule",
    "rerunRun",
    "resumeRun",
    "resumeSchedule",
    "startBulk",
    "startRun",
  ]);
});

test.each([
  ["no scheme", "afk_abc"],
  ["another scheme", "Basic YTpi"],
  ["nothing", "Bearer "],
  ["a wrong key", `Bearer afk_${"x".repeat(43)}`],
  ["a hash of a key", `Bearer ${"a".repeat(64)}`],
])("S-19: %s is 401 and changes nothing", async (_what, authorization) => {
  const api = await testApi({ keysRequired: true });
  await keyOf(api, "admin");
  const answer = await api.post("/v1/flows", countFlow, { authorization });
  expect([answer.statusCode, answer.json().code]).toEqual([401, "unauthorized"]);
  expect(api.store.tables.flows.size).toBe(0);
});

test("S-19: 20 wrong tries of an address stop it for a while; keys that did well before go on, and so do other addresses", async () => {
  const api = await testApi({ keysRequired: true });
  const good = await keyOf(api, "read");
  const late = await keyOf(api, "read", "late");
  expect((await api.get("/v1/runs", good)).statusCode).toBe(200);
  const wrong = { authorization: `Bearer ${"w".repeat(40)}` };
  for (let tries = 0; tries < 20; tries += 1) expect((await api.get("/v1/runs", wrong)).statusCode).toBe(401);
  const stopped = await api.get("/v1/runs", wrong);
  expect([stopped.statusCode, stopped.json().code]).toEqual([429, "rate_limited"]);
  expect(Number(stopped.headers["retry-after"])).toBeGreaterThan(0);
  expect((await api.get("/v1/runs", late)).statusCode).toBe(429);
  expect((await api.get("/v1/runs", good)).statusCode).toBe(200);
  const elsewhere = await api.app.inject({
    method: "GET",
    url: "/v1/runs",
    headers: late,
    remoteAddress: "192.0.2.9",
  });
  expect(elsewhere.statusCode).toBe(200);
  api.clock.advance(61_000);
  expect((await api.get("/v1/runs", late)).statusCode).toBe(200);
});

test("S-22: audit rows name the key and the address that asked", async () => {
  const api = await testApi();
  const id = await startCount(api);
  const key = await keyOf(api, "run", "ci");
  api.clock.advance(1000);
  await api.app.inject({
    method: "POST",
    url: `/v1/runs/${id}/cancel`,
    headers: key,
    remoteAddress: "127.0.0.9",
  });
  expect(api.store.tables.audits.at(-1)).toMatchObject({
    action: "cancel",
    caller: { actor: "key:ci", remote: "127.0.0.9" },
  });
});

test("S-17: with the database away a call with a key is 503, the probes answer", async () => {
  const api = await testApi({ keysRequired: true });
  const key = await keyOf(api, "run");
  api.store.tables.away = true;
  expect((await api.get("/v1/runs", key)).statusCode).toBe(503);
  expect((await api.get("/healthz")).statusCode).toBe(200);
  expect((await api.get("/readyz")).statusCode).toBe(503);
});

test("S-28: no key is in the log", async () => {
  const api = await testApi({ keysRequired: true });
  const key = await keyOf(api, "read");
  await api.get("/v1/runs", key);
  await api.get("/nope", key);
  expect(api.log.join("\n")).not.toContain(key["authorization"]?.slice(7));
});
