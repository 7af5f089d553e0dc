import { expect, test } from "vitest";
import { countFlow } from "../testing/flow.ts";
import { testApi } from "../testing/test-api.ts";

const nobody = "019e4f2c-7c00-7000-8000-00000000dead";
const plan = { flow: "count", cron: "30 6 * * 1-5" };

async function api() {
  const one = await testApi();
  expect((await one.post("/v1/flows", countFlow)).statusCode).toBe(201);
  const put = (url: string, body: unknown) =>
    one.app.inject({
      ...{ method: "PUT", url, payload: JSON.stringify(body) },
      headers: { "content-type": "application/json" },
    });
  const make = async (given: object = {}) => {
    const answer = await one.post("/v1/schedules", { ...plan, ...given });
    expect(answer.statusCode, answer.body).toBe(201);
    return answer.json() as { id: string; next: string[]; nextAt: string };
  };
  return { ...one, put, make };
}

test("3.4: a schedule tells its next ticks, in its time zone, and what it was not told is said", async () => {
  const { make, get } = await api();
  const made = await make({ timeZone: "Asia/Tokyo" });
  expect(made).toMatchObject({
    ...{ ...plan, version: null, inputs: {}, tags: [], overlap: "skip", catchUp: "one", jitterMs: 0 },
    ...{ paused: false, lastTick: null, lastOutcome: null, lastRunId: null },
  });
  expect(made.next).toHaveLength(5);
  for (const tick of made.next) expect(tick).toMatch(/T21:30:00\.000Z$/);
  expect(Date.parse(made.nextAt)).toBe(Date.parse(made.next[0]!));
  expect((await get(`/v1/schedules/${made.id}`)).json()).toEqual(made);
  expect((await get("/v1/schedules")).json()).toEqual({ items: [made], nextCursor: null });
});

test("3.4, S-14: a schedule is replaced, paused, resumed and removed, and what is not there is not found", async () => {
  const { make, get, put, post, delete: remove, store } = await api();
  const url = `/v1/schedules/${(await make()).id}`;
  const replaced = await put(url, { ...plan, cron: "0 0 1 * *", overlap: "allow", tags: ["monthly"] });
  expect(replaced.statusCode, replaced.body).toBe(200);
  expect(replaced.json()).toMatchObject({ cron: "0 0 1 * *", overlap: "allow", tags: ["monthly"] });
  expect((await post(`${url}/pause`)).json()).toMatchObject({ paused: true, nextAt: null, next: [] });
  expect((await post(`${url}/resume`, {})).json()).toMatchObject({
    ...{ paused: false, nextAt: expect.any(String) },
  });
  expect((await remove(url)).statusCode).toBe(204);
  for (const answer of [
    await get(url),
    await remove(url),
    await post(`${url}/pause`),
    await put(`/v1/schedules/${nobody}`, plan),
    await get("/v1/schedules/nonsense"),
  ])
    expect([answer.statusCode, answer.json().code]).toEqual([404, "not_found"]);
  const acts = ["create", "update", "pause", "resume", "delete"].map((act) => `schedule_${act}`);
  expect(store.tables.audits.map(({ action }) => action)).toEqual(acts);
});

test("3.4, S-15: what could not start, or is no plan, is refused and nothing is stored", async () => {
  const { post, get } = await api();
  const wrong = [
    [{ ...plan, cron: "every day" }, 400, "request_invalid"],
    [{ ...plan, cron: "0 0 * * * *" }, 400, "request_invalid"],
    [{ ...plan, timeZone: "Nowhere/Land" }, 400, "request_invalid"],
    [{ ...plan, jitterMs: 3_600_001 }, 400, "request_invalid"],
    [{ ...plan, every: "5m" }, 400, "request_invalid"],
    [{ cron: plan.cron }, 400, "request_invalid"],
    [{ ...plan, flow: "nothing" }, 404, "not_found"],
    [{ ...plan, version: 9 }, 404, "not_found"],
    [{ ...plan, inputs: { nope: 1 } }, 422, "input_unknown"],
  ] as const;
  for (const [body, status, code] of wrong) {
    const answer = await post("/v1/schedules", body);
    expect([answer.statusCode, answer.json().code], JSON.stringify(body)).toEqual([status, code]);
  }
  expect((await get("/v1/schedules")).json()).toEqual({ items: [], nextCursor: null });
});
