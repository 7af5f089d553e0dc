import { expect, test } from "vitest";
import { countFlow, park, startCount, startWaiting, statusOf } from "../testing/flow.ts";
import { testApi } from "../testing/test-api.ts";
import type { TestApi } from "../testing/test-api.ts";

const unknown = "019e4f2c-7c00-7000-8000-000000000001";

/** A run that failed because its checkpoint did not hold together. */
async function startCorrupt(api: TestApi): Promise<string> {
  const id = await startWaiting(api);
  await api.post(`/v1/runs/${id}/resume`);
  const { token } = api.store.tables.runs.get(id)!;
  const claimed = await api.store.work.claim({ runId: id, token }, "worker-1", 15_000, 5);
  if (claimed.kind !== "claimed") throw new Error(claimed.kind);
  const failure = { code: "checkpoint_corrupt", message: "broken", node: "loop", iteration: null } as const;
  await api.store.work.finishRun(claimed.claim, { status: "failed", failure }, []);
  return id;
}

test("3.4, L-42, S-22: a run with a corrupt checkpoint is reset: 202, queued, a wake, an audit row; again it is 409", async () => {
  const api = await testApi();
  const id = await startCorrupt(api);
  const before = api.wakes.length;
  const answer = await api.post(`/v1/runs/${id}/reset`, {});
  expect([answer.statusCode, answer.json()], answer.body).toMatchObject([
    202,
    { id, status: "queued", failure: null },
  ]);
  expect(api.wakes).toHaveLength(before + 1);
  expect(api.store.tables.audits.at(-1)).toMatchObject({
    ...{ runId: id, action: "reset" },
    caller: { actor: "local", remote: "127.0.0.1" },
  });
  const again = await api.post(`/v1/runs/${id}/reset`);
  expect([again.statusCode, again.json()]).toMatchObject([
    409,
    { code: "reset_conflict", details: { status: "queued" } },
  ]);
});

test.each(["waiting", "cancelled"])("L-33: a run that is %s cannot be reset", async (status) => {
  const api = await testApi();
  const id = await startWaiting(api);
  if (status === "cancelled") await api.post(`/v1/runs/${id}/cancel`);
  const answer = await api.post(`/v1/runs/${id}/reset`);
  expect([answer.statusCode, answer.json().details.status]).toEqual([409, status]);
  expect(await statusOf(api, id)).toBe(status);
});

test("P-12: an ended run is refused a resume; run again it is a new run with a link, its inputs and counters at zero", async () => {
  const api = await testApi();
  await startCount(api);
  const start = '{"b":1.0,"a":-0}';
  const first = await api.post(
    "/v1/runs",
    `{"flow":"count","inputs":{"start":${start}},"tags":["a"],"priority":7}`,
  );
  const { id } = first.json();
  await park(api, id);
  await api.post(`/v1/runs/${id}/cancel`);
  expect((await api.post(`/v1/runs/${id}/resume`)).statusCode).toBe(409);
  const again = await api.post(`/v1/runs/${id}/rerun`);
  expect(again.statusCode, again.body).toBe(201);
  const run = again.json();
  expect(run).toMatchObject({
    ...{ flow: "count", version: 1, status: "queued", tags: ["a"], priority: 7, rerunOf: id, attempt: 0 },
    loops: [{ iterations: 0, elapsedMs: 0 }],
  });
  expect(run.id).not.toBe(id);
  expect(again.body).toContain(`"inputs":{"start":${start}},`);
  expect(again.headers["location"]).toBe(`/v1/runs/${run.id}`);
  expect(api.wakes.at(-1)).toMatchObject({ runId: run.id });
  expect(await statusOf(api, id)).toBe("cancelled");
  expect((await api.get("/v1/runs")).json().items[0]).toMatchObject({ id: run.id, rerunOf: id });
});

test("3.4: a rerun takes inputs one by one and another version, and says what is wrong with them", async () => {
  const api = await testApi();
  const id = await startCount(api, { inputs: { start: { n: 1 }, note: "old" } });
  const given = await api.post(`/v1/runs/${id}/rerun`, { inputs: { note: "new" } });
  expect(given.json().inputs).toEqual({ start: { n: 1 }, note: "new" });
  const cases = [
    [{ inputs: { nobody: 1 } }, 422, "input_unknown"],
    [{ inputs: { note: 1 } }, 422, "input_invalid"],
    [{ inputs: { limit: "1001" } }, 422, "config_invalid"],
    [{ version: 9 }, 404, "not_found"],
    [{ payload: 1 }, 400, "request_invalid"],
    ["[]", 400, "request_invalid"],
  ] as const;
  for (const [body, status, code] of cases) {
    const answer = await api.post(`/v1/runs/${id}/rerun`, body);
    expect([answer.statusCode, answer.json().code], answer.body).toEqual([status, code]);
  }
  expect((await api.get("/v1/runs")).json().items).toHaveLength(2);
});

test("3.4: one Idempotency-Key reruns once", async () => {
  const api = await testApi();
  const id = await startCount(api);
  const key = { "idempotency-key": "again-1" };
  const first = await api.post(`/v1/runs/${id}/rerun`, undefined, key);
  const same = await api.post(`/v1/runs/${id}/rerun`, {}, key);
  expect([first.statusCode, same.statusCode, same.json().id]).toEqual([201, 200, first.json().id]);
  const other = await api.post(`/v1/runs/${id}/rerun`, { inputs: { note: "x" } }, key);
  expect([other.statusCode, other.json().code]).toEqual([409, "idempotency_conflict"]);
});

test("3.4, S-22: parked, queued and ended runs are deleted with all they left; 204 without a body, then 404", async () => {
  const api = await testApi();
  const parked = await startWaiting(api);
  const queued = await startCount(api);
  const ended = await startCount(api);
  await api.post(`/v1/runs/${ended}/cancel`);
  for (const id of [parked, queued, ended]) {
    const answer = await api.delete(`/v1/runs/${id}`);
    expect([answer.statusCode, answer.body]).toEqual([204, ""]);
    expect(answer.headers).not.toHaveProperty("content-type");
    for (const url of [`/v1/runs/${id}`, `/v1/runs/${id}/events`, `/v1/runs/${id}/logs`])
      expect((await api.get(url)).statusCode, url).toBe(404);
    expect((await api.delete(`/v1/runs/${id}`)).statusCode).toBe(404);
    expect(api.store.tables.audits.at(-1)).toMatchObject({ runId: id, action: "delete" });
  }
});

test("3.4: a running run is not deleted: 409 with its status", async () => {
  const api = await testApi();
  const id = await startCount(api);
  const { token } = api.store.tables.runs.get(id)!;
  await api.store.work.claim({ runId: id, token }, "worker-1", 15_000, 5);
  const answer = await api.delete(`/v1/runs/${id}`);
  expect([answer.statusCode, answer.json()]).toMatchObject([
    409,
    { code: "run_active", details: { status: "running" } },
  ]);
  expect(await statusOf(api, id)).toBe("running");
});

test("3.4: a flow with live runs is not archived, and they are named; without any it is, and comes back when registered", async () => {
  const api = await testApi();
  const id = await startCount(api);
  const refused = await api.delete("/v1/flows/count");
  expect([refused.statusCode, refused.json()]).toMatchObject([
    409,
    { code: "flow_in_use", details: { runs: [id] } },
  ]);
  await api.post(`/v1/runs/${id}/cancel`);
  const archived = await api.delete("/v1/flows/count");
  expect([archived.statusCode, archived.json()]).toEqual([
    200,
    { flow: "count", archivedAt: expect.stringMatching(/Z$/) },
  ]);
  expect((await api.delete("/v1/flows/count")).json()).toEqual(archived.json());
  expect((await api.get("/v1/flows")).json().items).toEqual([]);
  expect((await api.post("/v1/runs", { flow: "count" })).statusCode).toBe(404);
  expect((await api.post(`/v1/runs/${id}/rerun`)).statusCode).toBe(404);
  expect((await api.get("/v1/flows/count")).json()).toMatchObject({ version: 1, ...archived.json() });
  await api.post("/v1/flows", countFlow);
  expect((await api.post("/v1/runs", { flow: "count" })).statusCode).toBe(201);
  expect((await api.delete("/v1/flows/nope")).statusCode).toBe(404);
});

test("P-21, P-74: unknown runs are 404; a body that is none changes nothing", async () => {
  const api = await testApi();
  const id = await startWaiting(api);
  for (const nobody of [unknown, "nope"]) {
    for (const call of ["reset", "rerun"])
      expect((await api.post(`/v1/runs/${nobody}/${call}`)).statusCode).toBe(404);
    expect((await api.delete(`/v1/runs/${nobody}`)).statusCode).toBe(404);
  }
  for (const body of ["[]", "{", '{"a":1}', "null"]) {
    expect((await api.post(`/v1/runs/${id}/reset`, body)).statusCode, body).toBe(400);
    expect((await api.delete(`/v1/runs/${id}`, body)).statusCode, body).toBe(400);
  }
  expect(await statusOf(api, id)).toBe("waiting");
});
