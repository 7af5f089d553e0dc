import { expect, test } from "vitest";
import { startCount } from "../testing/flow.ts";
import { testApi } from "../testing/test-api.ts";

test("S-17: /readyz is red when Postgres cannot be written, and stays green when only the queue is down", async () => {
  const api = await testApi();
  expect((await api.get("/readyz")).json()).toEqual({ status: "ready", database: "up", queue: "up" });
  api.queue.up = false;
  const without = await api.get("/readyz");
  expect([without.statusCode, without.json()]).toEqual([
    200,
    { status: "ready", database: "up", queue: "down" },
  ]);
  api.store.tables.away = true;
  const red = await api.get("/readyz");
  expect([red.statusCode, red.json()]).toEqual([
    503,
    { status: "unavailable", database: "down", queue: "down" },
  ]);
  expect((await api.get("/healthz")).json()).toEqual({ status: "ok" });
});

test("3.4: /v1/stats counts runs by status and the queue's jobs", async () => {
  const api = await testApi();
  await startCount(api);
  const quiet = { workers: 0, iterationsPerMinute: 0, stuck: 0 };
  const runs = { queued: 1, running: 0, waiting: 0, succeeded: 0, failed: 0, cancelled: 0 };
  expect((await api.get("/v1/stats")).json()).toEqual({ runs, queue: { status: "up", depth: 1 }, ...quiet });
  api.queue.up = false;
  const down = await api.get("/v1/stats");
  expect([down.statusCode, down.json()]).toEqual([
    200,
    { runs, queue: { status: "down", depth: null }, ...quiet },
  ]);
});
