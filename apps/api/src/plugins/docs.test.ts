import { openApiDocument } from "@agentflow/contract";
import { ERRORS } from "@agentflow/core";
import { expect, test } from "vitest";
import { testApi } from "../testing/test-api.ts";

test("S-18: /v1/openapi.json is the contract's document", async () => {
  const api = await testApi();
  const answer = await api.get("/v1/openapi.json");
  expect(answer.headers["content-type"]).toContain("application/json");
  expect(answer.json()).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
});

test("3.4, S-21: /docs is a page that loads everything from here, under a strict policy", async () => {
  const api = await testApi();
  const page = await api.get("/docs");
  expect(page.statusCode).toBe(200);
  const policy = String(page.headers["content-security-policy"]);
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  expect(page.body).not.toMatch(/<script(?![^>]*\ssrc=)|<style|style=|\son\w+=/);
  const links = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link ?? "");
  expect(links.length).toBeGreaterThan(4);
  for (const link of links) {
    expect(link).toMatch(/^\/docs\//);
    expect((await api.get(link)).statusCode, link).toBe(200);
  }
  expect((await api.get("/docs/static/swagger-initializer.js")).body).not.toMatch(/validatorUrl: "http/);
});

test("3.4: every code has its place at /docs/errors", async () => {
  const api = await testApi();
  const { body } = await api.get("/docs/errors");
  for (const code of Object.keys(ERRORS)) expect(body).toContain(`id="${code}"`);
});

test("S-21: every answer carries security headers, and no answer is stored on the way", async () => {
  const api = await testApi();
  for (const url of ["/v1/runs", "/nope", "/healthz", "/docs", "/v1/openapi.json"]) {
    const { headers } = await api.get(url);
    expect(headers["content-security-policy"], url).toContain("frame-ancestors 'none'");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["x-frame-options"]).toBe("DENY");
    expect(headers["referrer-policy"]).toBe("no-referrer");
    expect(headers["cache-control"]).toBe("no-store");
  }
});
