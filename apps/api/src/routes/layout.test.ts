import { expect, test } from "vitest";
import { countFlow } from "../testing/flow.ts";
import { testApi } from "../testing/test-api.ts";
import type { TestApi } from "../testing/test-api.ts";

const box = { x: -1.5, y: 0, width: 240, height: 80 };
const layout = { nodes: { start: box, loop: { ...box, x: 300 } } };

/** PUT of a layout; a text is sent as it is. */
async function put(api: TestApi, body: unknown, ifMatch?: string, flow = "count") {
  return api.app.inject({
    method: "PUT",
    url: `/v1/flows/${flow}/layout`,
    headers: { "content-type": "application/json", ...(ifMatch !== undefined && { "if-match": ifMatch }) },
    payload: typeof body === "string" ? body : JSON.stringify(body),
  });
}

async function registered(): Promise<{ api: TestApi; tag: string }> {
  const api = await testApi();
  await api.post("/v1/flows", countFlow);
  return { api, tag: String((await api.get("/v1/flows/count")).headers["etag"]) };
}

test("3.4: a layout is saved to the newest version with the tag of the one before, and the version stays", async () => {
  const { api, tag } = await registered();
  const before = (await api.get("/v1/flows/count")).json();
  expect(before).toMatchObject({ layout: null, layoutTag: tag.slice(1, -1) });
  const saved = await put(api, layout, tag);
  expect(saved.statusCode, saved.body).toBe(200);
  const shown = await api.get("/v1/flows/count");
  expect(saved.json()).toEqual({ flow: "count", version: 1, layoutTag: shown.json().layoutTag });
  expect(saved.headers["etag"]).toBe(shown.headers["etag"]);
  expect(shown.json()).toEqual({ ...before, layout, layoutTag: shown.json().layoutTag });
  expect((await api.get("/v1/flows/count/versions/1")).headers["etag"]).toBe(shown.headers["etag"]);
});

test("L-46: a layout keeps its exact text", async () => {
  const { api, tag } = await registered();
  const text =
    '{"nodes":{"b":{"height":1.0,"width":1e2,"y":-0,"x":0},"a":{"x":1,"y":1,"width":1,"height":1}}}';
  await put(api, ` ${text} `, tag);
  expect((await api.get("/v1/flows/count")).body).toContain(`"layout":${text},`);
});

test("P-72: a tag that is not the present one is 412 with the one there is, and nothing is saved", async () => {
  const { api, tag } = await registered();
  await put(api, layout, tag);
  const now = (await api.get("/v1/flows/count")).json();
  for (const old of [tag, '"1.0"', `W/"${now.layoutTag}"`]) {
    const answer = await put(api, { nodes: {} }, old);
    expect(answer.statusCode, old).toBe(412);
    expect(answer.json()).toMatchObject({
      code: "precondition_failed",
      details: { newest: 1, layoutTag: now.layoutTag },
    });
  }
  expect((await api.get("/v1/flows/count")).json().layout).toEqual(layout);
});

test("P-72: of two saves at once with one tag one is saved, and a newer version refuses the tag of an older one", async () => {
  const { api, tag } = await registered();
  const both = await Promise.all([put(api, layout, tag), put(api, { nodes: {} }, tag)]);
  expect(both.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 412]);
  const { etag } = (await api.get("/v1/flows/count")).headers;
  await api.post("/v1/flows", { ...countFlow, files: { "scripts/step.mjs": "0" } });
  const late = await put(api, layout, String(etag));
  expect([late.statusCode, late.json().details.newest]).toEqual([412, 2]);
});

test("3.4: If-Match may list tags or be *; without it nothing is saved", async () => {
  const { api, tag } = await registered();
  expect((await put(api, layout, `"1.0", ${tag}`)).statusCode).toBe(200);
  expect((await put(api, { nodes: {} }, "*")).statusCode).toBe(200);
  const without = await put(api, layout);
  expect([without.statusCode, without.json().code]).toEqual([412, "precondition_failed"]);
  expect((await put(api, layout, "1.0")).statusCode).toBe(400);
  expect((await api.get("/v1/flows/count")).json().layout).toEqual({ nodes: {} });
});

test.each([
  ["nothing", ""],
  ["a list", []],
  ["an unknown field", { nodes: {}, zoom: 1 }],
  ["more of a node than place and size", { nodes: { a: { ...box, label: "x" } } }],
  ["a node without a size", { nodes: { a: { x: 0, y: 0 } } }],
])("P-74, F-1: %s is no layout: 400, nothing saved", async (_, body) => {
  const { api, tag } = await registered();
  const answer = await put(api, body, tag);
  expect([answer.statusCode, answer.json().code]).toEqual([400, "request_invalid"]);
  expect((await api.get("/v1/flows/count")).headers["etag"]).toBe(tag);
});

test("3.4: a flow that is not there is 404", async () => {
  const api = await testApi();
  for (const flow of ["nope", "NOPE"]) expect((await put(api, layout, "*", flow)).statusCode).toBe(404);
});
