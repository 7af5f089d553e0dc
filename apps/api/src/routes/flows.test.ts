import { bundleLimits } from "@agentflow/engine";
import { expect, test } from "vitest";
import { countFlow, countSource, startCount } from "../testing/flow.ts";
import { testApi } from "../testing/test-api.ts";

type Findings = { code: string; message: string }[];

test("3.4, F-2: a flow is registered once; the same again is the same version, a change is the next", async () => {
  const api = await testApi();
  const first = await api.post("/v1/flows", countFlow);
  expect(first.statusCode, first.body).toBe(201);
  expect(first.json()).toMatchObject({ flow: "count", version: 1, warnings: [] });
  expect(first.json().digest).toMatch(/^[0-9a-f]{64}$/);
  expect(first.headers["location"]).toBe("/v1/flows/count/versions/1");
  const again = await api.post("/v1/flows", countFlow);
  expect([again.statusCode, again.json()]).toEqual([200, first.json()]);
  const changed = await api.post("/v1/flows", { ...countFlow, files: { "scripts/step.mjs": "0" } });
  expect([changed.statusCode, changed.json().version]).toEqual([201, 2]);
  expect(changed.json().digest).not.toBe(first.json().digest);
});

test("F-19: the IR a version shows can be registered itself", async () => {
  const api = await testApi();
  await api.post("/v1/flows", countFlow);
  const shown = await api.get("/v1/flows/count");
  const { ir } = shown.json();
  const copy = await api.post("/v1/flows", { name: "copy", ir, files: countFlow.files });
  expect(copy.statusCode, copy.body).toBe(201);
  expect((await api.get("/v1/flows/copy")).json()).toMatchObject({ source: null, ir });
});

test("3.4: a version shows its source, IR, layout and what a run takes and shows", async () => {
  const api = await testApi();
  const layout =
    '{"nodes":{"start":{"x":1.0,"y":-0,"width":1e2,"height":2},"note":{"height":1,"width":1,"y":0,"x":0}}}';
  const body = JSON.stringify(countFlow);
  await api.post("/v1/flows", `${body.slice(0, -1)},"layout":${layout}}`);
  const answer = await api.get("/v1/flows/count/versions/1");
  expect(answer.json()).toMatchObject({
    flow: "count",
    version: 1,
    source: countSource,
    contract: {
      inputs: [
        { node: "start", label: "Start", type: "json" },
        { node: "note", label: "Note", type: "text" },
        { node: "limit", label: "Limit", type: "text" },
      ],
      outputs: [
        { node: "report", label: "Report" },
        { node: "noted", label: "Noted" },
      ],
    },
  });
  expect(answer.body).toContain(`"layout":${layout},`);
  const flow = await api.get("/v1/flows/count");
  expect(flow.body.startsWith(answer.body.slice(0, -1))).toBe(true);
  expect(flow.headers["etag"]).toBe(answer.headers["etag"]);
});

test("3.4: a flow shows its versions, newest first, and its runs by status", async () => {
  const api = await testApi();
  await startCount(api);
  await api.post("/v1/flows", { ...countFlow, files: {} });
  const { version, versions, runs, archivedAt } = (await api.get("/v1/flows/count")).json();
  expect([version, versions.map((one: { version: number }) => one.version)]).toEqual([2, [2, 1]]);
  expect(archivedAt).toBeNull();
  expect(runs).toEqual({ queued: 1, running: 0, waiting: 0, succeeded: 0, failed: 0, cancelled: 0 });
});

test("3.4: unknown flows and versions are 404", async () => {
  const api = await testApi();
  await api.post("/v1/flows", countFlow);
  for (const url of [
    "nope",
    "NOPE",
    "a%2Fb",
    "count/versions/2",
    "count/versions/0",
    "count/versions/x",
    "count/versions/01",
    "nope/versions/1",
  ]) {
    const answer = await api.get(`/v1/flows/${url}`);
    expect(answer.statusCode, url).toBe(404);
    expect(answer.json()).toMatchObject({ code: "not_found" });
  }
});

test("P-68: lint errors are 422 with the whole list, nothing is stored, and lint gives the same list", async () => {
  const api = await testApi();
  const flow = { ...countFlow, source: `${countSource}\nfor (;;) {}\nconst odd = tool.unknown("X", {});` };
  const answer = await api.post("/v1/flows", flow);
  expect(answer.statusCode).toBe(422);
  const { code, details } = answer.json() as { code: string; details: { findings: Findings } };
  expect(code).toBe("flow_invalid");
  expect(details.findings.map((finding) => finding.code)).toEqual(expect.arrayContaining(["D02", "D07"]));
  const linted = await api.post("/v1/flows/lint", flow);
  expect(linted.statusCode).toBe(200);
  const { errors, warnings } = linted.json() as { errors: Findings; warnings: Findings };
  expect([...errors, ...warnings]).toEqual(expect.arrayContaining(details.findings));
  expect(errors.length + warnings.length).toBe(details.findings.length);
  expect((await api.get("/v1/flows")).json().items).toEqual([]);
});

test("3.4: lint stores nothing of a good flow either", async () => {
  const api = await testApi();
  const answer = await api.post("/v1/flows/lint", countFlow);
  expect([answer.statusCode, answer.json()]).toEqual([200, { errors: [], warnings: [] }]);
  expect((await api.get("/v1/flows")).json()).toEqual({ items: [], nextCursor: null });
});

test("3.4, P-72: a baseVersion that is not the newest is 412 and names the newest", async () => {
  const api = await testApi();
  expect((await api.post("/v1/flows", { ...countFlow, baseVersion: 0 })).statusCode).toBe(201);
  const next = { ...countFlow, files: { "scripts/step.mjs": "0" } };
  const outdated = await api.post("/v1/flows", { ...next, baseVersion: 0 });
  expect(outdated.statusCode).toBe(412);
  expect(outdated.json()).toMatchObject({ code: "precondition_failed", details: { newest: 1 } });
  expect((await api.post("/v1/flows", { ...next, baseVersion: 1 })).json()).toMatchObject({ version: 2 });
});

test("F-2: files come as text, as text with a mode, or as base64, and are kept byte for byte", async () => {
  const api = await testApi();
  const bytes = Buffer.from([0, 255, 10, 13, 128]);
  const register = (files: object) =>
    api.post("/v1/flows", { ...countFlow, files: { ...countFlow.files, ...files } });
  const binary = await register({ "data.bin": { base64: bytes.toString("base64") } });
  expect(binary.statusCode, binary.body).toBe(201);
  const text = await register({ "data.bin": { text: "é\u0000" } });
  const asBase64 = await register({ "data.bin": { base64: Buffer.from("é\u0000").toString("base64") } });
  expect(asBase64.json().digest).toBe(text.json().digest);
  const executable = await register({ "data.bin": { text: "é\u0000", executable: true } });
  expect(executable.json().digest).not.toBe(text.json().digest);
});

test("3.4: a name of 128 characters passes", async () => {
  const api = await testApi();
  const name = `a${"._-0".repeat(32)}`.slice(0, 128);
  expect((await api.post("/v1/flows", { ...countFlow, name })).statusCode).toBe(201);
  expect((await api.get(`/v1/flows/${name}`)).statusCode).toBe(200);
});

test("S-15: a bundle of 16 MiB passes, one byte more is 413", { timeout: 30_000 }, async () => {
  const api = await testApi();
  const used = Buffer.byteLength(countSource) + Buffer.byteLength(countFlow.files["scripts/step.mjs"]);
  const register = (size: number) => {
    const base64 = Buffer.alloc(size, 7).toString("base64");
    return api.post("/v1/flows", { ...countFlow, files: { ...countFlow.files, "big.bin": { base64 } } });
  };
  const exact = await register(bundleLimits.maxBytes - used);
  expect(exact.statusCode, exact.body).toBe(201);
  const more = await register(bundleLimits.maxBytes - used + 1);
  expect([more.statusCode, more.json().code]).toEqual([413, "body_too_large"]);
});

test("S-15: AGENTFLOW_MAX_BUNDLE_BYTES is the limit: exactly so many bytes pass, one more is 413 and names it", async () => {
  const used = Buffer.byteLength(countSource) + Buffer.byteLength(countFlow.files["scripts/step.mjs"]);
  const api = await testApi({ maxBundleBytes: used + 100 });
  for (const url of ["/v1/flows", "/v1/flows/lint"]) {
    const send = (size: number) =>
      api.post(url, { ...countFlow, files: { ...countFlow.files, data: "x".repeat(size) } });
    expect((await send(100)).statusCode).toBeLessThan(300);
    const more = await send(101);
    expect(more.statusCode).toBe(413);
    expect(more.json()).toMatchObject({ code: "body_too_large", details: { limit: used + 100 } });
  }
});

test.each([
  ["../x", "path_unsafe"],
  ["/etc/passwd", "path_unsafe"],
  ["a/../../x", "path_unsafe"],
  ["a\u0000b", "path_unsafe"],
  ["scripts/STEP.mjs", "path_clash"],
])("S-20: the path %j leaves or confuses the bundle and is refused", async (path, problem) => {
  const api = await testApi();
  const answer = await api.post("/v1/flows", { ...countFlow, files: { ...countFlow.files, [path]: "x" } });
  expect(answer.statusCode).toBe(400);
  expect(answer.json()).toMatchObject({ code: "request_invalid", details: { problem } });
  expect(
    (await api.post("/v1/flows/lint", { ...countFlow, files: { ...countFlow.files, [path]: "x" } }))
      .statusCode,
  ).toBe(400);
});

test.each([
  ["no name", { source: countSource }, "$.name"],
  ["an upper-case name", { ...countFlow, name: "Count" }, "$.name"],
  ["a name of 129 characters", { ...countFlow, name: "a".repeat(129) }, "$.name"],
  ["neither source nor IR", { name: "count" }, "exactly one"],
  ["source and IR", { ...countFlow, ir: {} }, "exactly one"],
  ["an unknown field", { ...countFlow, sauce: 1 }, "$.sauce: unknown field"],
  ["a source that is no text", { name: "count", source: 1 }, "$.source"],
  ["a source with a NUL", { name: "count", source: "a\u0000" }, "$.source"],
  ["files in a list", { ...countFlow, files: [] }, "$.files"],
  ["a file without content", { ...countFlow, files: { a: {} } }, "$.files.a"],
  ["a file with two contents", { ...countFlow, files: { a: { text: "", base64: "" } } }, "$.files.a"],
  ["a file that is no base64", { ...countFlow, files: { a: { base64: "%%" } } }, "base64"],
  ["a file with half a pair", { ...countFlow, files: { a: "\ud800" } }, "surrogate"],
  ["a layout in a list", { ...countFlow, layout: [] }, "$.layout"],
  ["a layout with more than places", { ...countFlow, layout: { nodes: {}, zoom: 1 } }, "$.layout.zoom"],
  ["a negative base", { ...countFlow, baseVersion: -1 }, "$.baseVersion"],
])("P-74: registering with %s is 400 and says where", async (_what, body, where) => {
  const api = await testApi();
  for (const url of ["/v1/flows", "/v1/flows/lint"]) {
    const answer = await api.post(url, body);
    expect(answer.statusCode, answer.body).toBe(400);
    expect(answer.json()).toMatchObject({ code: "request_invalid" });
    expect(answer.json().detail).toContain(where);
  }
  expect((await api.get("/v1/flows")).json().items).toEqual([]);
});

test("S-16: flows are listed by name, page by page", async () => {
  const api = await testApi();
  for (const name of ["b", "a", "c"]) await api.post("/v1/flows", { ...countFlow, name });
  const first = (await api.get("/v1/flows?limit=2")).json();
  expect(first.items.map(({ flow }: { flow: string }) => flow)).toEqual(["a", "b"]);
  expect(first.items[0]).toMatchObject({ newestVersion: 1, createdAt: "2026-01-01T00:00:00.000Z" });
  const second = (await api.get(`/v1/flows?limit=2&cursor=${first.nextCursor}`)).json();
  expect(second.items.map(({ flow }: { flow: string }) => flow)).toEqual(["c"]);
  expect(second.nextCursor).toBeNull();
});
