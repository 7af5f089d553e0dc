import { expect, test } from "vitest";
import { startCount, startWaiting, statusOf } from "../testing/flow.ts";
import { testApi } from "../testing/test-api.ts";

const MIB = 1_048_576;

test.each([
  ["no body", undefined, 400, "request_invalid"],
  ["an empty object", "{}", 400, "request_invalid"],
  ["a list", "[]", 400, "request_invalid"],
  ["null", "null", 400, "request_invalid"],
  ["a text", '"x"', 400, "request_invalid"],
  ["white space", " \n", 400, "request_invalid"],
  ["broken JSON", '{"flow":"count"', 400, "request_invalid"],
  ["two values", '{"flow":"count"}{}', 400, "request_invalid"],
  ["a comment", '{"flow":"count"/**/}', 400, "request_invalid"],
  ["NaN", '{"flow":"count","inputs":{"start":NaN}}', 400, "request_invalid"],
  ["an unknown field", '{"flow":"count","flows":1}', 400, "request_invalid"],
  ["a __proto__ field", '{"flow":"count","__proto__":{}}', 400, "request_invalid"],
  ["a number as flow", '{"flow":1}', 400, "request_invalid"],
  ["version 0", '{"flow":"count","version":0}', 400, "request_invalid"],
  ["a version as text", '{"flow":"count","version":"1"}', 400, "request_invalid"],
  ["inputs in a list", '{"flow":"count","inputs":[]}', 400, "request_invalid"],
  ["inputs of null", '{"flow":"count","inputs":null}', 400, "request_invalid"],
  ["a number as tag", '{"flow":"count","tags":[1]}', 400, "request_invalid"],
  ["a tag with a NUL", '{"flow":"count","tags":["\\u0000"]}', 400, "request_invalid"],
  ["the flow twice", '{"flow":"count","flow":"count"}', 422, "duplicate_key"],
  [
    "a key twice deep inside",
    '{"flow":"count","inputs":{"start":[{"a":1,"\\u0061":2}]}}',
    422,
    "duplicate_key",
  ],
  ["a big integer", '{"flow":"count","inputs":{"start":{"id":9007199254740993}}}', 422, "number_not_exact"],
  ["an infinite number", '{"flow":"count","inputs":{"start":1e400}}', 422, "number_not_exact"],
  [
    "100,000 levels",
    `{"flow":"count","inputs":{"start":${"[".repeat(100_000)}${"]".repeat(100_000)}}}`,
    422,
    "state_too_deep",
  ],
])(
  "P-74, L-45: starting with %s is refused within a second and stores nothing",
  async (_what, body, code, error) => {
    const api = await testApi();
    await startCount(api);
    const before = performance.now();
    const answer = await api.post("/v1/runs", body);
    expect(performance.now() - before).toBeLessThan(1000);
    expect([answer.statusCode, answer.json().code], answer.body).toEqual([code, error]);
    expect(answer.headers["content-type"]).toContain("application/problem+json");
    expect((await api.get("/v1/runs")).json().items).toHaveLength(1);
  },
);

test.each([
  ["a list", "[]", 400],
  ["null", "null", 400],
  ["broken JSON", "{", 400],
  ["an unknown field", '{"force":true}', 400],
  ["an iteration that is no number", '{"nextIteration":"2"}', 400],
  ["iteration 0", '{"nextIteration":0}', 400],
  ["inputs in a list", '{"inputs":[1]}', 400],
  ["unknown inputs", '{"inputs":{"nope":1}}', 422],
  ["a payload with a key twice", '{"payload":{"a":1,"a":2}}', 422],
  ["a payload with a big integer", '{"payload":[12345678901234567890]}', 422],
  ["a payload of 513 levels", `{"payload":${"[".repeat(513)}${"]".repeat(513)}}`, 422],
])("P-74: resuming with %s changes nothing, and the run is still resumable", async (_what, body, code) => {
  const api = await testApi();
  const id = await startWaiting(api);
  const answer = await api.post(`/v1/runs/${id}/resume`, body);
  expect(answer.statusCode, answer.body).toBe(code);
  expect(await statusOf(api, id)).toBe("waiting");
  expect((await api.post(`/v1/runs/${id}/resume`, {})).statusCode).toBe(202);
});

test.each([
  ["a list", "[]"],
  ["null", "null"],
  ["broken JSON", "{"],
  ["an unknown field", '{"force":true}'],
])("P-74: cancelling with %s changes nothing", async (_what, body) => {
  const api = await testApi();
  const id = await startCount(api);
  expect((await api.post(`/v1/runs/${id}/cancel`, body)).statusCode).toBe(400);
  expect(await statusOf(api, id)).toBe("queued");
});

test.each([
  "text/plain",
  "application/x-www-form-urlencoded",
  "application/jsonx",
  "application/json; charset=latin1",
  "multipart/form-data",
  "",
])("P-74: a body of the content type %j is 415 and changes nothing", async (type) => {
  const api = await testApi();
  const id = await startWaiting(api);
  const headers = { "content-type": type };
  for (const answer of [
    await api.post("/v1/runs", '{"flow":"count"}', headers),
    await api.post("/v1/flows", "{}", headers),
    await api.post(`/v1/runs/${id}/resume`, "{}", headers),
    await api.post(`/v1/runs/${id}/cancel`, "{}", headers),
  ])
    expect([answer.statusCode, answer.json().code]).toEqual([415, "content_type_invalid"]);
  expect(await statusOf(api, id)).toBe("waiting");
  expect((await api.get("/v1/runs")).json().items).toHaveLength(1);
});

test.each(["gzip", "br", "identity, gzip"])(
  "P-74, S-15: a body that claims the content encoding %j is 415 and starts nothing",
  async (encoding) => {
    const api = await testApi();
    await startCount(api);
    const headers = { "content-type": "application/json", "content-encoding": encoding };
    const answer = await api.post("/v1/runs", '{"flow":"count"}', headers);
    expect([answer.statusCode, answer.json().code], answer.body).toEqual([415, "content_type_invalid"]);
    expect((await api.get("/v1/runs")).json().items).toHaveLength(1);
  },
);

test("S-15: the content encoding identity is no encoding", async () => {
  const api = await testApi();
  await startCount(api);
  const headers = { "content-type": "application/json", "content-encoding": "Identity" };
  expect((await api.post("/v1/runs", '{"flow":"count"}', headers)).statusCode).toBe(201);
});

test.each([undefined, "{}", " { } "])("S-15: resume and cancel take the body %j", async (body) => {
  const api = await testApi();
  const id = await startWaiting(api);
  expect((await api.post(`/v1/runs/${id}/resume`, body)).statusCode).toBe(202);
  expect((await api.post(`/v1/runs/${id}/cancel`, body)).statusCode).toBe(200);
});

test("S-15: no body at all may have any content type", async () => {
  const api = await testApi();
  const id = await startWaiting(api);
  const headers = { "content-type": "application/x-www-form-urlencoded", "content-length": "0" };
  const answer = await api.app.inject({ method: "POST", url: `/v1/runs/${id}/resume`, headers });
  expect(answer.statusCode, answer.body).toBe(202);
});

test("L-31, S-15: an input and a payload of exactly 1 MiB pass, one byte more is 413 and names the place", async () => {
  const api = await testApi();
  const id = await startWaiting(api);
  const text = (bytes: number) => `"${"a".repeat(bytes - 2)}"`;
  const start = (bytes: number) => api.post("/v1/runs", `{"flow":"count","inputs":{"start":${text(bytes)}}}`);
  expect((await start(MIB)).statusCode).toBe(201);
  const tooMuch = await start(MIB + 1);
  expect([tooMuch.statusCode, tooMuch.json().code]).toEqual([413, "state_too_large"]);
  expect(tooMuch.json()).toMatchObject({ details: { path: "$.inputs.start" } });
  expect(tooMuch.json().detail).toMatch(/\$\.inputs\.start.*1048577.*1048576/);
  const refused = await api.post(`/v1/runs/${id}/resume`, `{"payload":${text(MIB + 1)}}`);
  expect([refused.statusCode, refused.json().code]).toEqual([413, "state_too_large"]);
  expect(await statusOf(api, id)).toBe("waiting");
  const resumed = await api.post(`/v1/runs/${id}/resume`, `{"payload": ${" ".repeat(3 * MIB)}${text(MIB)}}`);
  expect(resumed.statusCode).toBe(202);
});

test("AC-26: bytes count, not characters", async () => {
  const api = await testApi();
  await startCount(api);
  const answer = await api.post("/v1/runs", `{"flow":"count","inputs":{"start":"${"漢".repeat(349_525)}"}}`);
  expect([answer.statusCode, answer.json().code]).toEqual([413, "state_too_large"]);
});

test("L-45: an input and a payload may be 512 levels deep", async () => {
  const api = await testApi();
  const id = await startWaiting(api);
  const deep = `${"[".repeat(512)}${"]".repeat(512)}`;
  expect((await api.post("/v1/runs", `{"flow":"count","inputs":{"start":${deep}}}`)).statusCode).toBe(201);
  expect((await api.post(`/v1/runs/${id}/resume`, `{"payload":${deep}}`)).statusCode).toBe(202);
});

test("L-31, L-41, L-45: inputs of a resume obey the same limits, to the byte and to the level", async () => {
  const api = await testApi();
  const text = (bytes: number) => `"${"a".repeat(bytes - 2)}"`;
  const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
  const resume = (id: string, start: string) =>
    api.post(`/v1/runs/${id}/resume`, `{"inputs":{"start":${start}}}`);
  const id = await startWaiting(api);
  for (const [start, status, code] of [
    [text(MIB + 1), 413, "state_too_large"],
    [deep(513), 422, "state_too_deep"],
    ['{"a":1,"a":1}', 422, "duplicate_key"],
  ] as const) {
    const answer = await resume(id, start);
    expect([answer.statusCode, answer.json().code]).toEqual([status, code]);
  }
  expect(await statusOf(api, id)).toBe("waiting");
  for (const start of [text(MIB), deep(512)])
    expect((await resume(await startWaiting(api), start)).statusCode).toBe(202);
});
