import { execFileSync, fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient } from "@agentflow/contract";
import { startPostgres } from "@agentflow/host";
import type { EmbeddedPostgres } from "@agentflow/host";
import { migrateQueue } from "@agentflow/queue";
import { createStore, migrate } from "@agentflow/store";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { countFlow } from "./testing/flow.ts";

let folder: string;
let postgres: EmbeddedPostgres;
const children: ChildProcess[] = [];

beforeAll(async () => {
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-b", "apps/api"], {
    cwd: root,
    stdio: "inherit",
  });
  folder = mkdtempSync(join(tmpdir(), "api-postgres-"));
  chmodSync(folder, 0o755);
  postgres = await startPostgres(folder, { fsync: false });
  await migrate(postgres.url);
  await migrateQueue(postgres.url);
});

afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

type Served = {
  child: ChildProcess;
  ended: Promise<{ code: number | null; stderr: string }>;
  url: Promise<string>;
};

function serve(env: Record<string, string> = {}): Served {
  const child = fork(fileURLToPath(new URL("../fixtures/serve.mjs", import.meta.url)), [], {
    silent: true,
    execArgv: [],
    env: { PATH: process.env["PATH"], DATABASE_URL: postgres.url, AGENTFLOW_PORT: "0", ...env },
  });
  children.push(child);
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = once(child, "exit").then(([code]) => ({ code: code as number | null, stderr }));
  const url = once(child, "message").then(([message]) => (message as { url: string }).url);
  return { child, ended, url };
}

test("S-1, S-27: the API serves flows and runs on real Postgres, and SIGTERM ends it with 0", async () => {
  const api = serve();
  const client = createClient({ url: await api.url });
  await expect(client.getReadiness()).resolves.toEqual({ status: "ready", database: "up", queue: "up" });
  const { created, flow } = await client.registerFlow(countFlow);
  expect({ created, flow }).toEqual({ created: true, flow: "count" });
  const start = '{"2":1.0,"1":-0,"__proto__":"\\u0000\\ud800"}';
  const { run } = await client.startRun({ flow: "count", inputs: new Map([["start", start]]), tags: ["é"] });
  await expect(client.getRunText(run.id)).resolves.toContain(`"inputs":{"start":${start}}`);
  await expect(client.listRuns({ tag: "é" })).resolves.toMatchObject({
    items: [{ id: run.id, status: "queued" }],
  });
  await expect(client.getFlow("count")).resolves.toMatchObject({ version: 1, source: countFlow.source });
  await expect(client.resumeRun(run.id)).rejects.toMatchObject({
    status: 409,
    details: { status: "queued" },
  });
  await expect(client.cancelRun(run.id)).resolves.toMatchObject({
    executing: false,
    run: { status: "cancelled" },
  });
  await expect(client.getRunHistory(run.id)).resolves.toEqual({ items: [], nextCursor: null });
  const { runs, queue } = await client.getStats();
  expect(runs).toMatchObject({ cancelled: 1 });
  expect(queue).toEqual({ status: "up", depth: 1 });
  api.child.kill("SIGTERM");
  expect(await api.ended).toMatchObject({ code: 0 });
});

test("S-17, P-60: with Postgres away calls are 503, the process stays up, and serves again when it is back", async () => {
  const api = serve();
  const client = createClient({ url: await api.url });
  await client.registerFlow(countFlow);
  const before = postgres.url;
  await postgres.stop();
  await expect(client.startRun({ flow: "count" })).rejects.toMatchObject({
    status: 503,
    code: "unavailable",
  });
  await expect(client.getReadiness()).resolves.toMatchObject({ status: "unavailable", database: "down" });
  postgres = await startPostgres(folder, { fsync: false, before });
  await vi.waitFor(async () => expect(await client.getReadiness()).toMatchObject({ status: "ready" }), {
    timeout: 20_000,
  });
  await expect(client.startRun({ flow: "count" })).resolves.toMatchObject({ created: true });
  api.child.kill("SIGTERM");
  expect(await api.ended).toMatchObject({ code: 0 });
});

test.each(["0.0.0.0", "::", "example.org"])("S-19: without keys it refuses to listen on %s", async (host) => {
  const { code, stderr } = await serve({ AGENTFLOW_HOST: host }).ended;
  expect(code).toBe(2);
  expect(stderr).toContain("AGENTFLOW_HOST");
  expect(stderr).toContain("127.0.0.1");
});

test("S-19, S-4: with an admin key from a file it listens everywhere and asks every caller for a key", async () => {
  const file = join(folder, "admin-key");
  const apiKey = "operators-own-key-0123456789abcdef";
  writeFileSync(file, `${apiKey}\n`);
  const settings = { AGENTFLOW_HOST: "0.0.0.0", AGENTFLOW_ADMIN_KEY_FILE: file };
  const api = serve(settings);
  const url = (await api.url).replace("0.0.0.0", "127.0.0.1");
  await expect(createClient({ url }).listFlows()).rejects.toMatchObject({ status: 401 });
  const client = createClient({ url, apiKey });
  await client.registerFlow(countFlow);
  const { run } = await client.startRun({ flow: "count" });
  const types: string[] = [];
  const watching = (async () => {
    for await (const { type } of client.streamRunEvents(run.id)) types.push(type);
  })();
  await client.cancelRun(run.id);
  await watching;
  expect(types).toEqual(["run-cancelled"]);
  await expect(client.explainRun(run.id)).resolves.toMatchObject({ reason: "cancelled" });
  await client.deleteRun(run.id);
  await expect(client.getRun(run.id)).rejects.toMatchObject({ status: 404 });
  const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${apiKey}` } });
  expect(await metrics.text()).toMatch(/^process_resident_memory_bytes \d/m);
  api.child.kill("SIGTERM");
  expect(await api.ended).toMatchObject({ code: 0 });

  await closeKeys();
  const again = await serve({ AGENTFLOW_HOST: "0.0.0.0" }).ended;
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("AGENTFLOW_ADMIN_KEY_FILE")]);
});

test.each([
  ["is not there", null],
  ["holds a short key", "short"],
  ["holds two lines", "0123456789abcdef0123456789abcdef\nx"],
])("S-19: an admin key file that %s stops it", async (_what, text) => {
  const file = join(folder, "bad-key");
  rmSync(file, { force: true });
  if (text !== null) writeFileSync(file, text);
  const { code, stderr } = await serve({ AGENTFLOW_ADMIN_KEY_FILE: file }).ended;
  expect(code).toBe(2);
  expect(stderr).toContain("AGENTFLOW_ADMIN_KEY_FILE");
});

/** Revokes every key, as an operator would. */
async function closeKeys(): Promise<void> {
  const store = createStore({ url: postgres.url, applicationName: "test", maxConnections: 1 });
  for (const { id, revokedAt } of await store.keys.list())
    if (revokedAt === null) await store.keys.revoke(id, { actor: "test", remote: "" });
  await store.close();
}

test("S-17: with Redis away runs are stored, the queue is shown as down and readiness stays green", async () => {
  const api = serve({ REDIS_URL: "redis://127.0.0.1:1" });
  const client = createClient({ url: await api.url });
  await client.registerFlow(countFlow);
  const { run } = await client.startRun({ flow: "count" });
  await expect(client.getRun(run.id)).resolves.toMatchObject({ status: "queued" });
  await expect(client.getReadiness()).resolves.toEqual({ status: "ready", database: "up", queue: "down" });
  await expect(client.getStats()).resolves.toMatchObject({ queue: { status: "down", depth: null } });
  api.child.kill("SIGTERM");
  expect(await api.ended).toMatchObject({ code: 0 });
});
