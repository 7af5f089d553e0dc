import { expect, test } from "vitest";
import { startCount } from "../testing/flow.ts";
import { testApi } from "../testing/test-api.ts";

test("3.4, S-14: a started run is 201 with the run, its place and one wake", async () => {
  const api = await testApi();
  await startCount(api);
  const answer = await api.post("/v1/runs", {
    flow: "count",
    tags: ["a", "é"],
    priority: 5,
    inputs: { start: { n: 3 } },
  });
  expect(answer.statusCode, answer.body).toBe(201);
  const run = answer.json();
  expect(run).toMatchObject({
    ...{ flow: "count", version: 1, status: "queued", failure: null, tags: ["a", "é"], priority: 5 },
    ...{ inputs: { start: { n: 3 } }, outputs: {}, startedAt: null, finishedAt: null },
  });
  expect(run.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/);
  expect(run.createdAt).toMatch(/Z$/);
  expect(run.loops).toMatchObject([{ path: '["loop"]', iterations: 0, nextIteration: 1, maxIterations: 5 }]);
  expect(answer.headers["location"]).toBe(`/v1/runs/${run.id}`);
  expect(api.wakes.filter(({ runId }) => runId === run.id)).toHaveLength(1);
  expect((await api.get(`/v1/runs/${run.id}`)).body).toBe(answer.body);
});

test("3.4: the same Idempotency-Key is the same run, with another body a conflict", async () => {
  const api = await testApi();
  await startCount(api);
  const key = { "idempotency-key": "order-17" };
  const first = await api.post("/v1/runs", '{"flow":"count","inputs":{"start":{"a":1,"b":2}}}', key);
  const same = await api.post("/v1/runs", '{"inputs":{"start":{"b":2,"a":1.0}},"flow":"count"}', key);
  expect([first.statusCode, same.statusCode]).toEqual([201, 200]);
  expect(same.json().id).toBe(first.json().id);
  const other = await api.post("/v1/runs", { flow: "count" }, key);
  expect(other.statusCode).toBe(409);
  expect(other.json()).toMatchObject({
    code: "idempotency_conflict",
    details: { runId: first.json().id, status: "queued" },
  });
  expect((await api.get("/v1/runs")).json().items).toHaveLength(2);
});

test("3.4: an Idempotency-Key of 255 visible characters passes", async () => {
  const api = await testApi();
  await startCount(api);
  const answer = await api.post("/v1/runs", { flow: "count" }, { "idempotency-key": "~".repeat(255) });
  expect(answer.statusCode).toBe(201);
});

test("3.4: unknown flows and versions are 404, unknown inputs 422", async () => {
  const api = await testApi();
  await startCount(api);
  for (const body of [{ flow: "nope" }, { flow: "count", version: 2 }]) {
    const answer = await api.post("/v1/runs", body);
    expect([answer.statusCode, answer.json().code]).toEqual([404, "not_found"]);
  }
  const answer = await api.post("/v1/runs", { flow: "count", inputs: { nope: 1, start: 2 } });
  expect([answer.statusCode, answer.json().code]).toEqual([422, "input_unknown"]);
  expect(answer.json().detail).toContain("nope");
  expect((await api.get("/v1/runs")).json().items).toHaveLength(1);
});
