import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDatabase, createEmptyDatabase } from "@agentflow/store/testing";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { AGENTFLOW, Command } from "../support/cli.ts";
import { freePort } from "../support/free-port.ts";

type Check = { readonly name: string; readonly status: string; readonly text: string };

let folder: string;
const closers: (() => Promise<void>)[] = [];
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "agentflow-doctor-"))));
afterAll(async () => {
  for (const close of closers) await close();
  rmSync(folder, { recursive: true, force: true });
});

/** What the doctor says of an installation, by name; the tests' PostgreSQL is one whose fsync is off. */
async function examined(
  env: Readonly<Record<string, string>>,
): Promise<{ code: number | null; by: Map<string, Check> }> {
  const given = { AGENTFLOW_DATA_DIR: folder, AGENTFLOW_QUEUE: "postgres", ...env };
  const { code, stdout } = await new Command(process.execPath, [AGENTFLOW, "doctor", "--json"], given).ended;
  const { checks } = JSON.parse(stdout) as { checks: Check[] };
  const by = new Map<string, Check>();
  for (const check of checks)
    by.set(check.name, { ...check, text: `${by.get(check.name)?.text ?? ""} ${check.text}` });
  return { code, by };
}

async function database(make: typeof createDatabase): Promise<string> {
  const { url, drop } = await make(inject("postgresUrl"));
  closers.push(drop);
  return url;
}

async function write(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

test("S-29, S-19: settings that lose commits, an open door and missing workers are told at once, with exit code 1", async () => {
  const url = await database(createDatabase);
  const { code, by } = await examined({ DATABASE_URL: url, AGENTFLOW_HOST: "0.0.0.0" });
  expect(code).toBe(1);
  expect(by.get("database")?.text).toContain("fsync is off");
  expect(by.get("schema")?.status).toBe("ok");
  expect(by.get("keys")).toMatchObject({
    status: "fail",
    text: expect.stringContaining("agentflow keys create"),
  });
  expect(by.get("workers")).toMatchObject({
    status: "warn",
    text: expect.stringContaining("agentflow worker"),
  });
  expect(by.get("database")?.text).not.toContain("clock");
});

test("S-23: missing tables and tables of a newer release are two things", async () => {
  const empty = await examined({ DATABASE_URL: await database(createEmptyDatabase) });
  expect(empty.by.get("schema")).toMatchObject({
    status: "fail",
    text: expect.stringContaining("agentflow migrate"),
  });
  expect(empty.by.has("workers")).toBe(false);

  const url = await database(createDatabase);
  const statement =
    "insert into drizzle.__drizzle_migrations (hash, created_at) values ('x', 99999999999999)";
  await write(url, statement);
  const newer = await examined({ DATABASE_URL: url });
  expect(newer.by.get("schema")).toMatchObject({ status: "fail", text: expect.stringContaining("newer") });
});

test("S-17: a database and a queue that do not answer are told as such", async () => {
  const nobody = `127.0.0.1:${await freePort()}`;
  const { code, by } = await examined({
    DATABASE_URL: `postgres://nobody@${nobody}/agentflow`,
    AGENTFLOW_QUEUE: "redis",
    REDIS_URL: `redis://${nobody}`,
  });
  expect(code).toBe(1);
  expect(by.get("database")).toMatchObject({
    status: "fail",
    text: expect.stringContaining("is the server running"),
  });
  expect(by.get("queue")).toMatchObject({ status: "fail", text: expect.stringContaining("does not answer") });
});

test("S-28: an illegal variable is the configuration's", async () => {
  const { code, by } = await examined({ AGENTFLOW_CONCURRENCY: "many" });
  expect(code).toBe(1);
  expect(by.get("configuration")).toMatchObject({
    status: "fail",
    text: expect.stringContaining("AGENTFLOW_CONCURRENCY"),
  });
});
