import { findKey } from "@agentflow/engine";
import { createStore } from "@agentflow/store";
import { createDatabase, type TestDatabase } from "@agentflow/store/testing";
import { afterEach, beforeEach, expect, inject, test, vi } from "vitest";
import { main } from "../main.ts";

let database: TestDatabase;
let out = "";
let err = "";

beforeEach(async () => {
  database = await createDatabase(inject("postgresUrl"));
  vi.stubEnv("DATABASE_URL", database.url);
  vi.spyOn(process.stdout, "write").mockImplementation((text) => ((out += String(text)), true));
  vi.spyOn(process.stderr, "write").mockImplementation((text) => ((err += String(text)), true));
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await database.drop();
});

async function run(...args: string[]): Promise<number> {
  [out, err] = ["", ""];
  const before = process.exitCode;
  process.exitCode = 0;
  await main(args);
  const code = process.exitCode;
  process.exitCode = before;
  return typeof code === "number" ? code : Number.NaN;
}

test("S-19, F-29: a key is shown once, listed without its text, and revoked by name", async () => {
  expect(await run("keys", "list")).toBe(0);
  expect(out).toBe("no keys: the API serves this machine only\n");
  expect(await run("keys", "create", "--scope", "run", "--name", "ci")).toBe(0);
  const key = out.trim();
  expect(key).toMatch(/^afk_[\w-]{43}$/);
  expect(err).toContain("shown only this once");

  const store = createStore({ url: database.url, applicationName: "test", maxConnections: 1 });
  expect(await findKey(store.keys, key)).toMatchObject({ name: "ci", scope: "run" });
  expect(await run("keys", "list", "--json")).toBe(0);
  expect(JSON.parse(out).items).toMatchObject([{ name: "ci", scope: "run", revokedAt: null }]);
  expect(out).not.toContain(key);

  expect(await run("keys", "create", "--scope", "run", "--name", "ci")).toBe(1);
  expect(err).toContain('a key named "ci" already');
  expect(await run("keys", "revoke", "ci")).toBe(0);
  expect(await findKey(store.keys, key)).toBeNull();
  expect(await run("keys", "revoke", "ci")).toBe(1);
  await run("keys", "list");
  expect(out).toMatch(/ci .*revoked 2/);
  await store.close();
});

test("S-19: a key needs a scope, and one of the three", async () => {
  expect(await run("keys", "create")).toBe(2);
  expect(await run("keys", "create", "--scope", "root")).toBe(2);
  expect(err).toContain("read, run, admin");
});
