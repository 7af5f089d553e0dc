import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readConfig } from "./config.ts";
import { keepSecretKey } from "./secret-key.ts";

test("L-49: an installation without a key makes one that only its owner can read, and keeps it", () => {
  const folder = mkdtempSync(join(tmpdir(), "agentflow-key-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const dataDir = join(folder, "not", "there");
  const key = keepSecretKey(dataDir);
  expect(keepSecretKey(dataDir)).toBe(key);
  expect(statSync(join(dataDir, "secret.key")).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(dataDir, "secret.key"), "utf8").trim()).toBe(key);
  expect(keepSecretKey(join(folder, "other"))).not.toBe(key);
  const env = { DATABASE_URL: "postgres://h/d", AGENTFLOW_SECRET_KEY: key };
  expect(readConfig("worker", {}, env)).toMatchObject({ ok: true });
});
