import { expect, test } from "vitest";
import { park, startCount, startWaiting, statusOf } from "../testing/flow.ts";
import { testApi } from "../testing/test-api.ts";

const unknown = "019e4f2c-7c00-7000-8000-000000000001";

test.each(["", "a b", "é", "a".repeat(256), "a\tb"])(
  "3.4: the Idempotency-Key %j is refused",
  async (given) => {
    const api = await testApi();
    const id = await startWaiting(api);
    const headers = { "idempotency-key": given };
    for (const answer of [
      await api.post("/v1/runs", { flow: "count" }, headers),
      await api.post(`/v1/runs/${id}/resume`, {}, headers),
    ]) {
      expect(answer.statusCode).toBe(400);
      expect(answer.json().detail).toContain("Idempotency-Key");
    }
    expect(await statusOf(api, id)).toBe("waiting");
  },
);

test("L-40, S-14: a resume is 202 with the queued run, keeps the payload's exact text and wakes once", async () => {
  const api = await testApi();
  const id = await startWaiting(api);
  api.wakes.length = 0;
  const payload = '{"2":1.0,"1":-0,"__proto__":"\\u0000\\ud800"}';
  const answer = await api.post(`/v1/runs/${id}/resume`, `{"payload": ${payload} }`);
  expect(answer.statusCode, answer.body).toBe(202);
  expect(answer.json()).toMatchObject({ id, status: "queued" });
  expect(api.store.tables.runs.get(id)?.resumePayload).toBe(payload);
  expect(api.store.tables.audits.at(-1)).toMatchObject({
    action: "resume",
    caller: { actor: "local", remote: "127.0.0.1" },
  });
  expect(api.wakes).toHaveLength(1);
});

test("L-40: a payload of null is a payload", async () => {
  const api = await testApi();
  const id = await startWaiting(api);
  await api.post(`/v1/runs/${id}/resume`, { payload: null });
  expect(api.store.tables.runs.get(id)?.resumePayload).toBe("null");
});

test("L-41: new inputs of a resume replace the old ones one by one", async () => {
  const api = await testApi();
  const id = await startCount(api, { inputs: { start: { n: 1 }, note: "old" } });
  await park(api, id);
  const answer = await api.post(`/v1/runs/${id}/resume`, { inputs: { start: { n: 10 } } });
  expect(answer.statusCode, answer.body).toBe(202);
  expect(answer.json().inputs).toEqual({ start: { n: 10 }, note: "old" });
});

test("P-19, AC-57: of 20 resumes at one moment exactly one wins", async () => {
  const api = await testApi();
  const id = await startWaiting(api);
  api.wakes.length = 0;
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => api.post(`/v1/runs/${id}/resume`, { nextIteration: 2 })),
  );
  expect(answers.filter(({ statusCode }) => statusCode === 202)).toHaveLength(1);
  expect(answers.filter(({ statusCode }) => statusCode === 409)).toHaveLength(19);
  expect(api.wakes).toHaveLength(1);
});

test("P-19: a resume that names another iteration is 409 and leaves the run waiting", async () => {
  const api = await testApi();
  const id = await startWaiting(api);
  const answer = await api.post(`/v1/runs/${id}/resume`, { nextIteration: 7 });
  expect(answer.statusCode).toBe(409);
  expect(answer.json()).toMatchObject({
    code: "resume_conflict",
    details: { status: "waiting", nextIteration: 2 },
  });
  expect(await statusOf(api, id)).toBe("waiting");
});

test("3.4: the same Idempotency-Key of a resume is 200, with another body 409 with the status", async () => {
  const api = await testApi();
  const id = await startWaiting(api);
  const key = { "idempotency-key": "approve-1" };
  expect((await api.post(`/v1/runs/${id}/resume`, { payload: 1 }, key)).statusCode).toBe(202);
  expect((await api.post(`/v1/runs/${id}/resume`, { payload: 1 }, key)).statusCode).toBe(200);
  const other = await api.post(`/v1/runs/${id}/resume`, { payload: 2 }, key);
  expect(other.statusCode).toBe(409);
  expect(other.json()).toMatchObject({ code: "idempotency_conflict", details: { status: "queued" } });
});

test("P-21, AC-58: resuming a run that is not waiting is 409 with its status, an unknown one 404", async () => {
  const api = await testApi();
  const id = await startCount(api);
  for (const current of ["queued", "running", "succeeded", "failed", "cancelled"] as const) {
    api.store.tables.runs.get(id)!.status = current;
    const answer = await api.post(`/v1/runs/${id}/resume`);
    expect(answer.statusCode).toBe(409);
    expect(answer.json()).toMatchObject({ code: "resume_conflict", details: { status: current } });
    expect(await statusOf(api, id)).toBe(current);
  }
  for (const nobody of [unknown, "nope", `${id}x`]) {
    for (const call of ["resume", "cancel"])
      expect((await api.post(`/v1/runs/${nobody}/${call}`)).statusCode).toBe(404);
  }
});

test("L-41: a version the flow does not have is 404, and the run is still waiting", async () => {
  const api = await testApi();
  const id = await startWaiting(api);
  const answer = await api.post(`/v1/runs/${id}/resume`, { version: 9 });
  expect([answer.statusCode, answer.json().code]).toEqual([404, "not_found"]);
  expect(await statusOf(api, id)).toBe("waiting");
});

test.each([
  ["a limit outside its grammar", { limit: "1e3" }, 422, "config_invalid"],
  ["a limit above the cap", { limit: "1001" }, 422, "config_invalid"],
  ["a number for a text", { note: 42 }, 422, "input_invalid"],
])(
  "L-10: new inputs with %s are refused at the call, and the run is still waiting",
  async (_what, inputs, code, error) => {
    const api = await testApi();
    const id = await startWaiting(api);
    const answer = await api.post(`/v1/runs/${id}/resume`, { inputs });
    expect([answer.statusCode, answer.json().code], answer.body).toEqual([code, error]);
    expect(await statusOf(api, id)).toBe("waiting");
  },
);
