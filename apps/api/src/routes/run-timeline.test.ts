import { expect, test } from "vitest";
import { countFlow, countSource, park, startCount, startWaiting } from "../testing/flow.ts";
import { testApi } from "../testing/test-api.ts";
import type { TestApi } from "../testing/test-api.ts";

const unknown = "019e4f2c-7c00-7000-8000-000000000001";

/** A run whose loop parked after each of three iterations. */
async function startThrice(api: TestApi): Promise<string> {
  const id = await startCount(api, { tags: ["a"] });
  await park(api, id, '{"n":1.0,"list":["😀"]}');
  for (const state of ['{"n":2,"list":["😀","b"]}', '{"n":3,"list":["😀","b"]}']) {
    await api.post(`/v1/runs/${id}/resume`);
    await park(api, id, state);
  }
  return id;
}

test("OP-7: the state after an iteration is answered byte for byte; without an iteration the latest", async () => {
  const api = await testApi();
  const id = await startThrice(api);
  const states = await Promise.all([0, 1, 2, 3].map((k) => api.get(`/v1/runs/${id}/state?iteration=${k}`)));
  expect(states.map(({ body }) => body)).toEqual([
    ...['{"n":0}', '{"n":1.0,"list":["😀"]}', '{"n":2,"list":["😀","b"]}', '{"n":3,"list":["😀","b"]}'],
  ]);
  expect((await api.get(`/v1/runs/${id}/state`)).body).toBe(states[3]!.body);
  expect((await api.get(`/v1/runs/${id}/state?iteration=1&loop=loop&epoch=0`)).body).toBe(states[1]!.body);
});

test("OP-7: a state that is not kept is 404 and says what is", async () => {
  const api = await testApi();
  const id = await startThrice(api);
  const answer = await api.get(`/v1/runs/${id}/state?iteration=4`);
  expect([answer.statusCode, answer.json()]).toMatchObject([
    404,
    { code: "state_not_kept", details: { loop: '["loop"]', completed: 3, kept: { from: 0, to: 3 } } },
  ]);
});

test("OP-7: before a loop has begun its initial state is known, and a run that is not there is 404", async () => {
  const api = await testApi();
  const id = await startCount(api);
  expect((await api.get(`/v1/runs/${id}/state?iteration=0`)).body).toBe('{"n":0}');
  for (const url of [
    `/v1/runs/${id}/state?iteration=1`,
    `/v1/runs/${unknown}/state?iteration=0`,
    `/v1/runs/${unknown}/diff?from=0&to=1`,
  ]) {
    const answer = await api.get(url);
    expect([answer.statusCode, answer.json().code]).toEqual([404, "not_found"]);
  }
});

test("OP-7: two states differ by a JSON patch", async () => {
  const api = await testApi();
  const id = await startThrice(api);
  const answer = await api.get(`/v1/runs/${id}/diff?from=1&to=2`);
  expect(answer.body).toContain('"value":2');
  expect(answer.json()).toEqual({
    ...{ loop: '["loop"]', epoch: 0, from: 1, to: 2 },
    patch: [
      { op: "replace", path: "/n", value: 2 },
      { op: "add", path: "/list/1", value: "b" },
    ],
  });
  expect((await api.get(`/v1/runs/${id}/diff?from=3&to=3`)).json().patch).toEqual([]);
  const missing = await api.get(`/v1/runs/${id}/diff?from=1&to=9`);
  expect([missing.statusCode, missing.json().code]).toEqual([404, "state_not_kept"]);
});

test.each(["from=1", "from=1&to=x", "from=-1&to=2", "from=1&to=2&more=1", "from=1.5&to=2"])(
  "S-15: diff with ?%s is refused",
  async (query) => {
    const api = await testApi();
    const answer = await api.get(`/v1/runs/${await startWaiting(api)}/diff?${query}`);
    expect([answer.statusCode, answer.json().code]).toEqual([400, "request_invalid"]);
  },
);

test("OP-7, S-14, S-22: a fork is a new run, linked, with a wake and an audit row; the other run stays", async () => {
  const api = await testApi();
  const id = await startThrice(api);
  const before = (await api.get(`/v1/runs/${id}`)).body;
  const wakes = api.wakes.length;
  const answer = await api.post(`/v1/runs/${id}/fork`, { iteration: 1, statePatch: { list: null } });
  const run = answer.json();
  expect([answer.statusCode, run], answer.body).toMatchObject([
    201,
    {
      ...{ flow: "count", version: 1, status: "queued", tags: ["a"], rerunOf: null },
      forkedFrom: { runId: id, loop: '["loop"]', iteration: 1 },
      loops: [{ label: "Count", iterations: 1, nextIteration: 2, maxIterations: 5, timeoutMs: 10_000 }],
    },
  ]);
  expect(answer.headers.location).toBe(`/v1/runs/${run.id}`);
  expect(api.wakes.slice(wakes)).toEqual([{ runId: run.id, token: 1, delayMs: 0 }]);
  expect((await api.get(`/v1/runs/${run.id}/state`)).body).toBe('{"n":1.0}');
  expect((await api.get(`/v1/runs/${run.id}/history`)).json().items).toHaveLength(1);
  expect((await api.get(`/v1/runs/${id}`)).body).toBe(before);
  expect(api.store.tables.audits.at(-1)).toMatchObject({ runId: id, action: "fork" });
});

test("OP-7, 3.4: the same Idempotency-Key gives the same fork, another body conflicts", async () => {
  const api = await testApi();
  const id = await startThrice(api);
  const fork = (body: object) => api.post(`/v1/runs/${id}/fork`, body, { "idempotency-key": "k" });
  const first = await fork({ iteration: 1 });
  const again = await fork({ iteration: 1 });
  expect([again.statusCode, again.json().id]).toEqual([200, first.json().id]);
  const other = await fork({ iteration: 2 });
  expect([other.statusCode, other.json().code]).toEqual([409, "idempotency_conflict"]);
});

test("OP-7: a fork may take another version, inputs and limits", async () => {
  const api = await testApi();
  const id = await startThrice(api);
  await api.post("/v1/flows", { ...countFlow, source: countSource.replace('"5"', '"9"') });
  const given = { iteration: 3, version: 2, inputs: { note: "new" } };
  const newer = await api.post(`/v1/runs/${id}/fork`, given);
  expect(newer.json(), newer.body).toMatchObject({
    version: 2,
    inputs: { note: "new" },
    loops: [{ maxIterations: 9 }],
  });
  const limits = { maxIterations: 4, timeout: "2m" };
  const limited = await api.post(`/v1/runs/${id}/fork`, { iteration: 3, limits });
  expect(limited.json().loops).toMatchObject([{ nextIteration: 4, maxIterations: 4, timeoutMs: 120_000 }]);
});

test.each([
  ["without an iteration", {}, 400, "request_invalid"],
  ["with an unknown field", { iteration: 1, state: {} }, 400, "request_invalid"],
  ["of an iteration that is not kept", { iteration: 4 }, 404, "state_not_kept"],
  ["of a loop that is not there", { iteration: 1, loop: "other" }, 404, "not_found"],
  ["with a version that is not there", { iteration: 1, version: 7 }, 404, "not_found"],
  [
    "with limits that leave no iteration",
    { iteration: 3, limits: { maxIterations: 3 } },
    422,
    "config_invalid",
  ],
  ["with limits above the cap", { iteration: 1, limits: { maxIterations: 5000 } }, 422, "config_invalid"],
  ["with unknown inputs", { iteration: 1, inputs: { nobody: 1 } }, 422, "input_unknown"],
  [
    "with a patch that breaks the JSON policy",
    '{"iteration":1,"statePatch":{"n":9007199254740993}}',
    422,
    "number_not_exact",
  ],
] as const)("OP-7, S-15: a fork %s is refused and nothing is stored", async (_, body, status, code) => {
  const api = await testApi();
  const id = await startThrice(api);
  const answer = await api.post(`/v1/runs/${id}/fork`, body);
  expect([answer.statusCode, answer.json().code], answer.body).toEqual([status, code]);
  expect(api.store.tables.runs.size).toBe(1);
});
