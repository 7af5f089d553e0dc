import { operations } from "@agentflow/contract";
import type { Operation } from "@agentflow/contract";
import { ERRORS } from "@agentflow/core";
import fc from "fast-check";
import { countFlow, startWaiting } from "../../apps/api/src/testing/flow.ts";
import { testApi, type TestApi } from "../../apps/api/src/testing/test-api.ts";
import { must, type Door } from "./doors.ts";
import { mutated, mutatedJson } from "./mutate.ts";
import { goodOperations, WORDS } from "./seeds.ts";

/** A fresh service after so many calls: what they leave behind would fill the memory. */
const CALLS_PER_API = 2000;
const KNOWN_RUN = "<run>";

/** One call as text, so that it can stand in the corpus. */
export type Call = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

const bodies = [
  { flow: "count", inputs: { start: { n: 1 } }, tags: ["a"], priority: 1, version: 1 },
  {
    name: "count",
    source: countFlow.source,
    files: { "a/b.mjs": "x", c: { base64: "AAA=", executable: true } },
  },
  { name: "made", operation: goodOperations[0] ?? null, baseVersion: 1, layout: { nodes: {} } },
  { name: "raw", ir: { schema: 1, nodes: {}, edges: [], subflows: {}, run: null } },
  {
    payload: { ok: true },
    inputs: {},
    version: 1,
    nextIteration: 2,
    buffer: true,
    until: "2030-01-01T00:00:00Z",
  },
  { key: "agf_x" },
  { action: "cancel", filter: { status: "waiting" }, reason: "x" },
  {},
];

const body = fc.oneof(
  { weight: 4, arbitrary: mutatedJson(bodies) },
  mutated(fc.constantFrom(...bodies.map((value) => JSON.stringify(value))), WORDS),
  fc.constantFrom("", "[]", "null", "\ufeff{}", "\0"),
);

const ids = fc.constantFrom(
  KNOWN_RUN,
  "count",
  "1",
  "0",
  "%00",
  "..%2f..",
  "%ff",
  "__proto__",
  "%F0%9F%98%80",
  "a".repeat(1030),
);
const query = mutated(
  fc.constantFrom(
    ...[
      "",
      "",
      "?status=waiting&limit=5",
      "?cursor=eyJ9",
      "?loop=%5B%22loop%22%5D&epoch=0",
      "?limit=500&tag=%00",
    ],
    ...[
      "?createdAfter=2026-01-01T00:00:00Z&sort=createdAt",
      "?iteration=1&cursor=%7B%7D",
      "?status=a&status=b",
    ],
  ),
);
const headers = fc.record(
  {
    "content-type": fc.constantFrom(
      "application/json",
      "application/json",
      "text/plain",
      "application/json; charset=latin1",
      "x",
    ),
    "idempotency-key": mutated(fc.constantFrom("key-1", "a")).map((text) =>
      text.replaceAll(/[^\x20-\x7e\x80-\xff]/g, ""),
    ),
    "if-match": fc.constantFrom("*", '"1.a"', "W/", "x", '"'),
    "content-encoding": fc.constantFrom("gzip", "identity"),
    accept: fc.constant("application/json"),
    "last-event-id": fc.constantFrom("0", "-1", "1e9", "x"),
    origin: fc.constantFrom("http://localhost", "https://elsewhere.example", "null"),
  },
  { requiredKeys: ["content-type"] },
);

const calls: fc.Arbitrary<Call> = fc
  .record({
    operation: fc.constantFrom(...Object.values<Operation>(operations)),
    method: fc.option(fc.constantFrom("PATCH", "DELETE", "PUT", "GET", "POST"), { nil: null, freq: 12 }),
    id: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(KNOWN_RUN, "count", "1") }, ids),
    query,
    headers,
    body,
  })
  .map(({ operation, method, id, query: asked, headers: given, body: sent }) => {
    const path = operation.path.replaceAll(/\{\w+\}/g, id);
    const verb = method ?? operation.method;
    const streams = path.endsWith("/events");
    return {
      method: verb,
      url: `${path}${encodeURI(asked.replaceAll(/\p{Surrogate}/gu, ""))}`,
      // An event stream of a parked run has no end; its pages have.
      headers: { ...given, ...(streams && { accept: "application/json" }) },
      body: verb === "GET" ? "" : sent,
    };
  });

let api: { readonly test: TestApi; readonly runId: string; calls: number } | null = null;

async function freshApi(): Promise<NonNullable<typeof api>> {
  await closeApi();
  const test = await testApi();
  api = { test, runId: await startWaiting(test), calls: 0 };
  return api;
}

export async function closeApi(): Promise<void> {
  await api?.test.app.close();
  api = null;
}

/** Whatever is sent, the answer is ours: no 5xx, and a refusal is a problem with a code of the registry (S-15). */
async function enterApi(text: string): Promise<void> {
  const call = JSON.parse(text) as Call;
  const { test, runId } = api === null || api.calls > CALLS_PER_API ? await freshApi() : api;
  if (api !== null) api.calls += 1;
  const { headers: given, ...bare } = call;
  const answer = await test.app.inject({
    method: bare.method as "GET",
    url: bare.url.replaceAll(KNOWN_RUN, runId),
    headers: given,
    ...(bare.body !== "" && { payload: Buffer.from(bare.body) }),
  });
  must(answer.statusCode < 500, `no answer above 499, but ${answer.statusCode} ${answer.body.slice(0, 300)}`);
  if (answer.statusCode < 400 || call.method === "HEAD") return;
  const type = String(answer.headers["content-type"]);
  must(type.startsWith("application/problem+json"), `a refusal is a problem, not ${type}`);
  const { code } = answer.json() as { code: string };
  must(Object.hasOwn(ERRORS, code), `the code ${code} is in the registry`);
}

export const apiDoor: Door = {
  name: "api",
  share: 0.05,
  input: calls.map((call) => JSON.stringify(call)),
  enter: enterApi,
};
