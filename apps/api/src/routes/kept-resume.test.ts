import { expect, test } from "vitest";
import { park, startCount, startWaiting } from "../testing/flow.ts";
import { testApi } from "../testing/test-api.ts";

const FAR = "2999-01-01T00:00:00.000Z";

test("3.4: a buffered resume before the wait is 202, stays visible in the run and carries it on when it parks", async () => {
  const api = await testApi();
  const id = await startCount(api);
  const key = { "idempotency-key": "early-1" };
  const kept = await api.post(`/v1/runs/${id}/resume`, { buffer: true, payload: { ok: 1 } }, key);
  expect(kept.statusCode, kept.body).toBe(202);
  expect(kept.json()).toMatchObject({
    status: "queued",
    keptResume: { until: null, nextIteration: null, actor: "local" },
  });
  expect(
    (await api.post(`/v1/runs/${id}/resume`, { buffer: true, payload: { ok: 1 } }, key)).statusCode,
  ).toBe(200);
  const second = await api.post(`/v1/runs/${id}/resume`, { buffer: true });
  expect([second.statusCode, second.json().code]).toEqual([409, "resume_conflict"]);
  expect(second.json().detail).toContain("kept");
  await park(api, id);
  expect((await api.get(`/v1/runs/${id}`)).json()).toMatchObject({ status: "queued", keptResume: null });
  expect(api.store.tables.runs.get(id)?.resumePayload).toBe('{"ok":1}');
});

test("3.4: a resume at a time leaves the run waiting until then, can be moved and taken back", async () => {
  const api = await testApi();
  const id = await startWaiting(api);
  const timed = await api.post(`/v1/runs/${id}/resume`, { until: FAR });
  expect(timed.statusCode, timed.body).toBe(202);
  expect(timed.json()).toMatchObject({ status: "waiting", dueAt: FAR, keptResume: { until: FAR } });
  const explained = (await api.get(`/v1/runs/${id}/explain`)).json();
  expect(explained).toMatchObject({ reason: "parked", until: FAR });
  expect(explained.sentence).toContain(`by itself at ${FAR}`);
  const moved = await api.post(`/v1/runs/${id}/resume`, { until: "2999-01-02T01:00:00+01:00" });
  expect(moved.json().dueAt).toBe("2999-01-02T00:00:00.000Z");
  for (let twice = 0; twice < 2; twice += 1) {
    const back = await api.post(`/v1/runs/${id}/resume`, { until: null });
    expect(back.statusCode).toBe(200);
    expect(back.json()).toMatchObject({ status: "waiting", dueAt: null, keptResume: null });
  }
});

test("3.4: a time that has passed resumes at once", async () => {
  const api = await testApi();
  const id = await startWaiting(api);
  const answer = await api.post(`/v1/runs/${id}/resume`, { until: "2000-01-01T00:00:00Z" });
  expect([answer.statusCode, answer.json().status]).toEqual([202, "queued"]);
});

test.each([
  ["a time without a zone", { until: "2999-01-01T00:00:00" }],
  ["a time that is none", { until: "tomorrow" }],
  ["a buffer that is no boolean", { buffer: "yes" }],
  ["taking back beside something else", { until: null, payload: 1 }],
])("3.4, S-15: %s is refused, and nothing is kept", async (_what, body) => {
  const api = await testApi();
  const id = await startWaiting(api);
  const answer = await api.post(`/v1/runs/${id}/resume`, body);
  expect([answer.statusCode, answer.json().code]).toEqual([400, "request_invalid"]);
  expect((await api.get(`/v1/runs/${id}`)).json()).toMatchObject({ status: "waiting", keptResume: null });
});

test("L-10: a buffered resume with inputs that cannot run is refused at the call", async () => {
  const api = await testApi();
  const id = await startCount(api);
  const answer = await api.post(`/v1/runs/${id}/resume`, { buffer: true, inputs: { limit: "1e3" } });
  expect([answer.statusCode, answer.json().code]).toEqual([422, "config_invalid"]);
  expect((await api.get(`/v1/runs/${id}`)).json().keptResume).toBeNull();
});

test("3.4: without a buffer a resume before the wait is refused, and taking back on an unknown run is 404", async () => {
  const api = await testApi();
  const id = await startCount(api);
  expect((await api.post(`/v1/runs/${id}/resume`, { until: FAR })).statusCode).toBe(409);
  const nobody = "019e4f2c-7c00-7000-8000-00000000dead";
  expect((await api.post(`/v1/runs/${nobody}/resume`, { until: null })).statusCode).toBe(404);
});
