import { once } from "node:events";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { operations, problem } from "@agentflow/contract";
import type { Operation } from "@agentflow/contract";
import { ERRORS } from "@agentflow/core";
import { ValueRefused } from "@agentflow/engine";
import { expect, test } from "vitest";
import { testApi } from "../testing/test-api.ts";

const id = "019e4f2c-7c00-7000-8000-000000000001";
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

function addressOf({ path }: Operation): string {
  return path.replace("{name}", "count").replace("{n}", "1").replace("{id}", id);
}

test("S-14, P-31: every method an address does not take is 405 with Allow, and changes nothing", async () => {
  const api = await testApi();
  // A flow may be called lint.
  const byAddress = new Map([["/v1/flows/lint", ["GET", "HEAD", "DELETE"]]]);
  for (const operation of Object.values<Operation>(operations)) {
    const methods = operation.method === "GET" ? ["GET", "HEAD"] : [operation.method];
    byAddress.set(addressOf(operation), [...(byAddress.get(addressOf(operation)) ?? []), ...methods]);
  }
  for (const [url, taken] of byAddress) {
    for (const method of METHODS.filter((one) => !taken.includes(one))) {
      const answer = await api.app.inject({ method, url });
      expect(answer.statusCode, `${method} ${url}`).toBe(405);
      expect(answer.headers["allow"]).toBe(taken.toSorted().join(", "));
      if (method !== "HEAD") expect(answer.json()).toMatchObject({ code: "method_not_allowed" });
    }
  }
});

test("S-14: HEAD answers as GET does, without the body", async () => {
  const api = await testApi();
  for (const url of ["/v1/runs", "/v1/flows", "/healthz", "/v1/openapi.json", "/docs", `/v1/runs/${id}`]) {
    const [head, get] = [await api.app.inject({ method: "HEAD", url }), await api.get(url)];
    expect(head.statusCode, url).toBe(get.statusCode);
    expect(head.body).toBe("");
    expect(head.headers["content-length"]).toBe(get.headers["content-length"]);
  }
});

test.each([
  "/nope",
  "/v1",
  "/v1/",
  "/v1/runs/",
  "/v1/runs/x/y/z",
  "/v2/runs",
  "//v1/runs",
  "/v1/flows/lint/x",
])("3.4: the unknown address %s is a 404 problem", async (url) => {
  const api = await testApi();
  const answer = await api.get(url);
  expect(answer.statusCode).toBe(404);
  expect(answer.headers["content-type"]).toContain("application/problem+json");
  expect(answer.json()).toMatchObject({ code: "not_found", status: 404, type: "/docs/errors#not_found" });
});

test("3.4: a problem carries type, title, status, detail, code, details, docs and the request's id", async () => {
  const api = await testApi();
  const found = problem.strict().parse((await api.get("/nope?x=1")).json());
  expect(found).toMatchObject({ title: ERRORS.not_found.text, advice: ERRORS.not_found.advice, details: {} });
  expect(found.docs).toBe("/docs/errors#not_found");
  expect(found.instance).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-7/);
});

test.each(["/%zz", "/v1/flows/%ff", "/v1/flows/%E0%A4%A"])(
  "3.4: the address %s, which is no URL, is a problem with security headers",
  async (url) => {
    const api = await testApi();
    const answer = await api.get(url);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ code: "request_invalid" });
    expect(answer.headers["content-security-policy"]).toContain("default-src 'none'");
  },
);

test("3.4: a name that is far too long is not found", async () => {
  const api = await testApi();
  const answer = await api.get(`/v1/flows/${"a".repeat(5000)}`);
  expect(answer.statusCode).toBe(404);
  expect(answer.body.length).toBeLessThan(1000);
});

test("S-17: with Postgres away every call is 503, and nothing is saved", async () => {
  const api = await testApi();
  api.store.tables.away = true;
  for (const answer of [
    await api.post("/v1/runs", { flow: "count" }),
    await api.post(`/v1/runs/${id}/cancel`),
    await api.post(`/v1/runs/${id}/resume`),
    await api.get("/v1/runs"),
    await api.get(`/v1/runs/${id}/state`),
    await api.get("/v1/stats"),
  ]) {
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toMatchObject({ code: "unavailable" });
    expect(answer.headers["retry-after"]).toBe("1");
  }
  expect((await api.get("/healthz")).statusCode).toBe(200);
});

test("3.4: what nobody expected is a 500 that says nothing of our inside, and stands in the log", async () => {
  const api = await testApi();
  Object.defineProperty(api.store.tables.runs, "values", {
    value: () => {
      throw new Error("canary-4711 at /secret/path");
    },
  });
  const answer = await api.get("/v1/runs");
  expect(answer.statusCode).toBe(500);
  const { code, instance } = problem.parse(answer.json());
  expect(code).toBe("internal");
  expect(answer.body).not.toMatch(/canary|secret|Error/);
  const logged = api.log.join("");
  expect(logged).toContain("canary-4711");
  expect(logged).toContain(instance.replace("urn:uuid:", ""));
});

test("P-46: a value that the database refuses is the caller's, not ours", async () => {
  const api = await testApi();
  Object.defineProperty(api.store.tables.runs, "get", {
    value: () => {
      throw new ValueRefused("invalid byte sequence");
    },
  });
  const answer = await api.get(`/v1/runs/${id}`);
  expect(answer.statusCode).toBe(400);
  expect(answer.json()).toMatchObject({ code: "request_invalid" });
});

test("3.4: what is no HTTP is answered with a problem too", async () => {
  const api = await testApi();
  await api.app.listen({ host: "127.0.0.1", port: 0 });
  const socket = connect((api.app.server.address() as AddressInfo).port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.write("NONSENSE\r\n\r\n");
  await once(socket, "close");
  const [head, body] = Buffer.concat(chunks).toString().split("\r\n\r\n");
  expect(head).toMatch(/^HTTP\/1\.1 400 .*application\/problem\+json/s);
  expect(problem.parse(JSON.parse(body ?? ""))).toMatchObject({ code: "request_invalid", status: 400 });
  await api.app.close();
});

test("S-27: while it stops, calls get 503 and a closed connection", async () => {
  const api = await testApi();
  let refused: Promise<{ statusCode: number; headers: object; body: string }> | null = null;
  api.app.addHook("preClose", async () => void (refused = api.get("/v1/runs")));
  await api.app.close();
  const answer = await refused!;
  expect(answer.statusCode).toBe(503);
  expect(JSON.parse(answer.body)).toMatchObject({ code: "unavailable" });
});
