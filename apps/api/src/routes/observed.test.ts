import { expect, test } from "vitest";
import { park, startCount, startWaiting } from "../testing/flow.ts";
import { testApi } from "../testing/test-api.ts";
import type { TestApi } from "../testing/test-api.ts";

const unknown = "019e4f2c-7c00-7000-8000-000000000001";

async function claim(api: TestApi, runId: string) {
  const token = api.store.tables.runs.get(runId)?.token ?? 0;
  const outcome = await api.store.work.claim({ runId, token }, "worker-1", 15_000, 5);
  if (outcome.kind !== "claimed") throw new Error(outcome.kind);
  return outcome.claim;
}

test("3.4: logs show what each step said, of one iteration or of all, page by page", async () => {
  const api = await testApi();
  const id = await startCount(api);
  const held = await claim(api, id);
  for (const iteration of [1, 2, 2]) {
    const scope = { loop: '["loop"]', epoch: 0, iteration };
    const log = {
      scope,
      frame: '[["loop","body",1]]',
      node: "step",
      attempt: 1,
      text: `é <b>${iteration}</b>`,
    };
    await api.store.work.appendLog(held, log);
  }
  const all = (await api.get(`/v1/runs/${id}/logs`)).json();
  expect(all.items[0]).toEqual({
    ...{ seq: 1, at: expect.stringMatching(/Z$/), loop: '["loop"]', epoch: 0, iteration: 1 },
    ...{ frame: [["loop", "body", 1]], node: "step", attempt: 1, text: "é <b>1</b>" },
  });
  expect([all.items.length, all.nextCursor]).toEqual([3, null]);
  const one = (await api.get(`/v1/runs/${id}/logs?iteration=2&limit=1`)).json();
  expect(one.items).toHaveLength(1);
  const rest = (await api.get(`/v1/runs/${id}/logs?iteration=2&cursor=${one.nextCursor}`)).json();
  expect([rest.items.length, rest.nextCursor]).toEqual([1, null]);
});

test.each(["iteration=0", "iteration=x", "limit=0", "cursor=abc", "loop=x"])(
  "3.4: logs with ?%s are 400",
  async (query) => {
    const api = await testApi();
    const id = await startCount(api);
    await api.store.work.appendLog(await claim(api, id), {
      ...{ scope: { loop: "", epoch: 0, iteration: 0 }, frame: "[]", node: "a", attempt: 1, text: "x" },
    });
    const answer = await api.get(`/v1/runs/${id}/logs?${query}`);
    expect([answer.statusCode, answer.json().code]).toEqual([400, "request_invalid"]);
  },
);

test("3.4: explain says in one sentence why a run is not moving", async () => {
  const api = await testApi();
  const explain = async (id: string) => (await api.get(`/v1/runs/${id}/explain`)).json();
  const queued = await startCount(api);
  expect(await explain(queued)).toMatchObject({ status: "queued", reason: "queued", until: null });
  const parked = await startWaiting(api);
  expect(await explain(parked)).toMatchObject({
    ...{ status: "waiting", reason: "parked" },
    sentence: 'The loop Count decided to wait: "approve". Resume it to go on with iteration 2.',
  });
  await api.post(`/v1/runs/${parked}/cancel`);
  expect(await explain(parked)).toMatchObject({ reason: "cancelled" });
  await claim(api, queued);
  expect((await explain(queued)).sentence).toContain("worker-1 executes");
  api.clock.advance(60_000);
  expect(await explain(queued)).toMatchObject({ reason: "stuck" });
});

test("3.4: logs and explanations of unknown runs are 404", async () => {
  const api = await testApi();
  await park(api, await startCount(api));
  for (const call of ["logs", "explain", "events"])
    for (const id of [unknown, "x"]) expect((await api.get(`/v1/runs/${id}/${call}`)).statusCode).toBe(404);
});
