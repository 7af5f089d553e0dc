import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fastify from "fastify";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testApi } from "../testing/test-api.ts";
import { CONSOLE_PATHS, serveConsole } from "./console.ts";

let folder: string;
let app: FastifyInstance;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "agentflow console "));
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>console</title>");
  writeFileSync(join(folder, "assets", "index-4f2a.js"), "void 0;");
  writeFileSync(join(folder, "secret.txt"), "not for pages");
  app = fastify();
  await serveConsole(app, folder);
});

afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

test.each(CONSOLE_PATHS)("3.5 S-21: %s is the console's page under a strict policy", async (path) => {
  const answer = await app.inject({ url: path.replace(/:\w+/g, "1") });
  expect(answer.statusCode).toBe(200);
  expect(answer.headers["content-type"]).toMatch(/^text\/html/);
  expect(answer.body).toContain("<title>console</title>");
  const policy = String(answer.headers["content-security-policy"]);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).not.toMatch(/unsafe|https?:|data:|\*/);
  expect(answer.headers["cache-control"] ?? "no-store").not.toContain("immutable");
});

test("3.5: assets may be kept for a year, because their names change with them", async () => {
  const answer = await app.inject({ url: "/assets/index-4f2a.js" });
  expect(answer.statusCode).toBe(200);
  expect(answer.headers["content-type"]).toMatch(/javascript/);
  expect(answer.headers["cache-control"]).toContain("immutable");
});

test.each([
  "/assets/../secret.txt",
  "/assets/..%2fsecret.txt",
  "/assets/%2e%2e/secret.txt",
  "/assets/nope.js",
  "/secret.txt",
  "/v1",
  "/v1/runs",
  "/runs/1/x",
  "/nope",
])("3.4: %s is not the console's", async (url) => {
  const answer = await app.inject({ url });
  expect(answer.statusCode).toBe(404);
  expect(answer.body).not.toMatch(/console|not for pages/);
});

test("3.4: with the console on top the API answers unknown addresses with problems as before", async () => {
  const api = await testApi();
  for (const url of ["/nope", "/v1/nope", "/assets/nope.js", "/runs/1/x"]) {
    const answer = await api.get(url);
    expect(answer.statusCode, url).toBe(404);
    expect(answer.json(), url).toMatchObject({ code: "not_found" });
  }
});

test("3.5: without a built console its addresses are not found", async () => {
  const bare = fastify();
  await serveConsole(bare, join(folder, "missing"));
  expect((await bare.inject({ url: "/" })).statusCode).toBe(404);
});
