import { expect, test } from "vitest";
import { testApi } from "../testing/test-api.ts";
import { isLoopback } from "./guard.ts";

test.each([
  "localhost",
  "localhost:4700",
  "127.0.0.1",
  "127.0.0.1:4700",
  "[::1]:4700",
  "LOCALHOST",
  "127.9.8.7",
])("S-19: the machine's own name %s is served", async (host) => {
  const api = await testApi();
  expect((await api.get("/healthz", { host })).statusCode).toBe(200);
});

test.each([
  "evil.example",
  "localhost.evil.example",
  "127.0.0.1.evil.example",
  "evil.example:4700",
  "0.0.0.0",
  "127.0.0.1@evil.example",
  "[::ffff:10.0.0.1]",
  "10.0.0.1",
])(
  "S-19: a page whose name %s was rebound to this machine gets nothing and changes nothing",
  async (host) => {
    const api = await testApi();
    for (const answer of [
      await api.get("/v1/runs", { host }),
      await api.post("/v1/runs", { flow: "count" }, { host }),
      await api.get("/docs", { host }),
    ]) {
      expect(answer.statusCode).toBe(403);
      expect(answer.json()).toMatchObject({ code: "forbidden" });
    }
  },
);

test.each([
  "http://evil.example",
  "null",
  "https://localhost:80",
  "http://localhost:81",
  "http://127.0.0.1:80",
  "file://",
])("S-19: a page of the other origin %s cannot drive the API", async (origin) => {
  const api = await testApi();
  const answer = await api.post("/v1/flows/lint", "{}", { host: "localhost:80", origin });
  expect(answer.statusCode).toBe(403);
  expect(answer.json()).toMatchObject({ code: "forbidden" });
});

test("S-19: pages of the server itself are served", async () => {
  const api = await testApi();
  const answer = await api.get("/v1/runs", { host: "localhost:4700", origin: "http://localhost:4700" });
  expect(answer.statusCode).toBe(200);
});

test("S-19: an API without keys may listen on loopback only", () => {
  expect(["127.0.0.1", "127.0.0.2", "::1", "localhost"].map(isLoopback)).toEqual([true, true, true, true]);
  const open = [
    "0.0.0.0",
    "::",
    "10.0.0.1",
    "example.org",
    "127.0.0.1.example.org",
    "127.1",
    "127.0.0.256",
    "",
  ];
  expect(open.map(isLoopback)).toEqual(open.map(() => false));
});
