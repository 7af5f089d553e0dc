import { expect, test } from "vitest";
import { startCount, startWaiting, statusOf } from "../testing/flow.ts";
import { testApi } from "../testing/test-api.ts";

test("P-27, P-30: a parked or queued run is cancelled at once without a worker; again is 200; resume is 409", async () => {
  const api = await testApi();
  for (const id of [await startWaiting(api), await startCount(api)]) {
    const first = await api.post(`/v1/runs/${id}/cancel`);
    expect(first.statusCode).toBe(200);
    expect(first.json()).toMatchObject({
      status: "cancelled",
      failure: { code: "run_cancelled", details: {} },
    });
    const again = await api.post(`/v1/runs/${id}/cancel`);
    expect([again.statusCode, again.json().status]).toEqual([200, "cancelled"]);
    const resumed = await api.post(`/v1/runs/${id}/resume`);
    expect([resumed.statusCode, resumed.json().details.status]).toEqual([409, "cancelled"]);
  }
});

test("P-28: cancelling while a step executes is 202, and the status is cancelled already", async () => {
  const api = await testApi();
  const id = await startCount(api);
  await api.store.work.claim({ runId: id, token: 1 }, "worker-1", 15_000, 5);
  const answer = await api.post(`/v1/runs/${id}/cancel`);
  expect([answer.statusCode, answer.json().status]).toEqual([202, "cancelled"]);
});

test("L-33: cancelling a run that ended otherwise is 409 with its status", async () => {
  const api = await testApi();
  const id = await startCount(api);
  for (const current of ["succeeded", "failed"] as const) {
    api.store.tables.runs.get(id)!.status = current;
    const answer = await api.post(`/v1/runs/${id}/cancel`);
    expect(answer.statusCode).toBe(409);
    expect(answer.json()).toMatchObject({ code: "run_terminal", details: { status: current } });
  }
});

test("P-31: GET, HEAD and OPTIONS on resume and cancel are 405 and use nothing up", async () => {
  const api = await testApi();
  const id = await startWaiting(api);
  for (const call of ["resume", "cancel"]) {
    for (const method of ["GET", "HEAD", "OPTIONS"] as const) {
      const answer = await api.app.inject({ method, url: `/v1/runs/${id}/${call}` });
      expect([answer.statusCode, answer.headers["allow"]]).toEqual([405, "POST"]);
    }
  }
  expect(await statusOf(api, id)).toBe("waiting");
});
