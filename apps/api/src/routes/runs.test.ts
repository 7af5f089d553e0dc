import { expect, test } from "vitest";
import { park, startCount } from "../testing/flow.ts";
import { testApi } from "../testing/test-api.ts";

const unknown = "019e4f2c-7c00-7000-8000-000000000001";

/** What JSON.parse would change: key order, spelling of numbers, -0, escapes, keys of prototypes. */
const ODD_VALUES = [
  '{"zz":1,"b":2,"a":1.0,"c":1e2}',
  '{"2":"two","1":"one"}',
  "[-0,0.0,1E+2,9007199254740991,-9007199254740991,0.1e-7]",
  '{"a\\u0000b":"\\u0000","c":"\\ud800"}',
  '{"__proto__":{"polluted":1},"constructor":1,"prototype":2,"toString":3,"hasOwnProperty":4,"":5,"a.b":6}',
  '"\\\\u0000 typed"',
  '"\\u00e9\\/"',
  "null",
];

test.each(ODD_VALUES)("P-46, P-48, P-49: the input %s comes back token for token", async (value) => {
  const api = await testApi();
  await startCount(api);
  const started = await api.post(
    "/v1/runs",
    `{"flow":"count", "inputs": {"start": ${value}
}}`,
  );
  expect(started.statusCode, started.body).toBe(201);
  expect(started.body).toContain(`"inputs":{"start":${value}},`);
  const shown = await api.get(`/v1/runs/${started.json().id}`);
  expect(shown.body).toContain(`"inputs":{"start":${value}},`);
  expect(Reflect.get({}, "polluted")).toBeUndefined();
});

test.each(ODD_VALUES)("L-46, P-50: the state %s is answered byte for byte", async (state) => {
  const api = await testApi();
  const id = await startCount(api);
  await park(api, id, state);
  for (const query of ["", "?loop=loop", `?loop=${encodeURIComponent('["loop"]')}`]) {
    const answer = await api.get(`/v1/runs/${id}/state${query}`);
    expect(answer.statusCode, answer.body).toBe(200);
    expect(answer.headers["content-type"]).toContain("application/json");
    expect(answer.rawPayload.equals(Buffer.from(state))).toBe(true);
  }
});

test("3.4: a parked run shows its loop with the last three history entries", async () => {
  const api = await testApi();
  const id = await startCount(api);
  for (let round = 1; round <= 4; round += 1) {
    await park(api, id, `{"n":${round}}`);
    if (round < 4) await api.post(`/v1/runs/${id}/resume`);
  }
  const run = (await api.get(`/v1/runs/${id}`)).json();
  expect(run).toMatchObject({ id, status: "waiting", failure: null });
  expect(run.loops).toHaveLength(1);
  const { recent, ...loop } = run.loops[0];
  expect(loop).toEqual({
    ...{
      label: "Count",
      path: '["loop"]',
      status: "waiting",
      decision: "wait",
      iterations: 4,
      nextIteration: 5,
    },
    ...{
      maxIterations: 5,
      timeoutMs: 10_000,
      elapsedMs: 20,
      summary: "approve",
      fingerprint: "f".repeat(64),
      epoch: 0,
      usage: { inputTokens: 0, outputTokens: 0 },
    },
  });
  expect(recent.map(({ iteration }: { iteration: number }) => iteration)).toEqual([2, 3, 4]);
});

test("3.4, L-42: before its loop begins a run has the initial state, an empty history and a loop with 0 iterations", async () => {
  const api = await testApi();
  await startCount(api);
  const body = '{"flow":"count","inputs":{"start":{"b":1.0,"a":[ -0 ]},"limit":"3"}}';
  const { id } = (await api.post("/v1/runs", body)).json();
  for (const query of ["", "?loop=loop"]) {
    expect((await api.get(`/v1/runs/${id}/state${query}`)).body).toBe('{"b":1.0,"a":[-0]}');
    expect((await api.get(`/v1/runs/${id}/history${query}`)).json()).toEqual({ items: [], nextCursor: null });
  }
  const { loops } = (await api.get(`/v1/runs/${id}`)).json();
  expect(loops).toEqual([
    {
      ...{ label: "Count", path: '["loop"]', status: "running", decision: null, iterations: 0 },
      ...{ nextIteration: 1, maxIterations: 3, timeoutMs: 10_000, elapsedMs: 0, summary: "" },
      ...{ fingerprint: "", epoch: 0, usage: { inputTokens: 0, outputTokens: 0 }, recent: [] },
    },
  ]);
  await api.post(`/v1/runs/${id}/cancel`);
  expect((await api.get(`/v1/runs/${id}/state`)).statusCode).toBe(200);
});

test("3.4: before the loop begins the history is empty; unknown loops and runs are 404", async () => {
  const api = await testApi();
  const id = await startCount(api);
  expect((await api.get(`/v1/runs/${id}/history`)).json()).toEqual({ items: [], nextCursor: null });
  for (const url of [
    `${id}/history?loop=nope`,
    `${id}/state?loop=nope`,
    `${unknown}/history`,
    `${unknown}/state`,
    unknown,
    "x",
    "x/state",
    "x/history",
  ]) {
    const answer = await api.get(`/v1/runs/${url}`);
    expect([answer.statusCode, answer.json().code], url).toEqual([404, "not_found"]);
  }
});

test("L-34, S-16: the history comes in order, page by page", async () => {
  const api = await testApi();
  const id = await startCount(api);
  for (let round = 1; round <= 3; round += 1) {
    await park(api, id);
    if (round < 3) await api.post(`/v1/runs/${id}/resume`);
  }
  const first = (await api.get(`/v1/runs/${id}/history?limit=2`)).json();
  expect(first.items[0]).toEqual({
    iteration: 1,
    decision: "wait",
    summary: "approve",
    elapsedMs: 5,
    idempotencyKey: "afw_1",
  });
  const second = (await api.get(`/v1/runs/${id}/history?limit=2&cursor=${first.nextCursor}`)).json();
  const all = [...first.items, ...second.items].map(({ iteration }: { iteration: number }) => iteration);
  expect([all, second.nextCursor]).toEqual([[1, 2, 3], null]);
  expect((await api.get(`/v1/runs/${id}/history?epoch=1`)).json().items).toEqual([]);
});

test("S-16: runs are listed newest first, filtered, page by page, without inputs and loops", async () => {
  const api = await testApi();
  const first = await startCount(api, { tags: ["a"] });
  const second = await startCount(api, { tags: ["a", "b"] });
  const third = await startCount(api);
  await api.post(`/v1/runs/${third}/cancel`);
  const ids = async (query: string) =>
    (await api.get(`/v1/runs${query}`)).json().items.map(({ id }: { id: string }) => id) as string[];
  expect(await ids("")).toEqual([third, second, first]);
  expect(await ids("?sort=created")).toEqual([first, second, third]);
  expect(await ids("?tag=b")).toEqual([second]);
  expect(await ids("?status=queued")).toEqual([second, first]);
  expect(await ids("?status=queued,cancelled&flow=count")).toEqual([third, second, first]);
  expect(await ids("?status=queued&status=cancelled")).toEqual([third, second, first]);
  expect(await ids("?code=run_cancelled")).toEqual([third]);
  expect(await ids("?flow=other")).toEqual([]);
  expect(await ids("?createdBefore=2026-01-01T00:00:00Z")).toEqual([]);
  expect(await ids("?createdAfter=2025-12-31T23:59:59%2B00:00")).toHaveLength(3);
  const page = (await api.get("/v1/runs?limit=2")).json();
  expect(await ids(`?limit=2&cursor=${page.nextCursor}`)).toEqual([first]);
  expect(page.items[0]).not.toHaveProperty("inputs");
  expect(page.items[0]).not.toHaveProperty("loops");
});

test.each([
  ["limit=0", "$.limit"],
  ["limit=501", "$.limit"],
  ["limit=1.5", "$.limit"],
  ["limit=", "$.limit"],
  ["limit=1&limit=2", "$.limit"],
  ["status=done", "$.status"],
  ["status=", "$.status"],
  ["flow=A", "$.flow"],
  ["tag=%00", "$.tag"],
  ["createdAfter=yesterday", "$.createdAfter"],
  ["sort=updated", "$.sort"],
  ["code=A", "$.code"],
  ["page=2", "$.page: unknown field"],
  ["__proto__=1", "unknown field"],
  ["cursor=%00", "$.cursor"],
  ["cursor=abc", "cursor"],
])("3.4: the query ?%s is 400 and says why", async (query, where) => {
  const api = await testApi();
  await startCount(api);
  const answer = await api.get(`/v1/runs?${query}`);
  expect([answer.statusCode, answer.json().code], answer.body).toEqual([400, "request_invalid"]);
  expect(answer.json().detail).toContain(where);
});

test("3.4: limits of 1 and 500 pass", async () => {
  const api = await testApi();
  for (const limit of [1, 500]) expect((await api.get(`/v1/runs?limit=${limit}`)).statusCode).toBe(200);
});
