import { expect, test } from "vitest";
import { testApi } from "../testing/test-api.ts";

const operation = {
  condition: "payload.n < 3",
  action: { name: "provide.json", params: { value: { n: "{{payload.n + 1}}" } } },
  outputMapping: { n: "n" },
  maxIterations: 10,
};

test("OP-6: POST /v1/flows takes an operation as it stands and registers the nodes state and loop", async () => {
  const api = await testApi();
  const made = await api.post("/v1/flows", { name: "counter", operation });
  expect(made.statusCode, made.body).toBe(201);
  expect(made.json()).toMatchObject({ flow: "counter", version: 1, warnings: [{ code: "D41" }] });
  const shown = (await api.get("/v1/flows/counter")).json();
  expect(Object.keys(shown.ir.nodes)).toEqual(["state", "loop"]);
  expect(shown.contract.inputs).toEqual([{ node: "state", label: "State", type: "json" }]);
  const again = await api.post("/v1/flows", { name: "counter", operation: { ...operation, prompt: null } });
  expect([again.statusCode, again.json().version]).toEqual([200, 1]);
});

test("OP-2, OP-6: none or two operations are body_not_one, and nothing is stored", async () => {
  const api = await testApi();
  const both = { ...operation, prompt: { name: "ask" } };
  for (const given of [{ condition: "true" }, both]) {
    const refused = await api.post("/v1/flows", { name: "counter", operation: given });
    expect([refused.statusCode, refused.json().code]).toEqual([422, "body_not_one"]);
  }
  expect((await api.get("/v1/flows/counter")).statusCode).toBe(404);
});

test("OP-6, D62: an expression outside the grammar is a finding, also in a dry lint", async () => {
  const api = await testApi();
  const bad = { name: "counter", operation: { ...operation, condition: "payload.n = 3" } };
  const refused = await api.post("/v1/flows", bad);
  expect(refused.json()).toMatchObject({
    status: 422,
    code: "flow_invalid",
    details: { findings: expect.arrayContaining([expect.objectContaining({ code: "D62", node: "loop" })]) },
  });
  const linted = await api.post("/v1/flows/lint", bad);
  expect(linted.json().errors).toMatchObject([{ code: "D62", field: "expression" }]);
});

test("OP-6: an unknown member is named, and an operation excludes source and IR", async () => {
  const api = await testApi();
  const unknown = await api.post("/v1/flows", { name: "x", operation: { ...operation, turbo: 5 } });
  expect(unknown.json()).toMatchObject({
    code: "config_invalid",
    detail: expect.stringContaining('"turbo"'),
  });
  const two = await api.post("/v1/flows", { name: "x", operation, source: "" });
  expect(two.json()).toMatchObject({
    code: "request_invalid",
    detail: expect.stringContaining("exactly one of source, ir and operation"),
  });
});
