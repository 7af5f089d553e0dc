import { Validator } from "@seriousme/openapi-schema-validator";
import { openApiDocument } from "@agentflow/contract";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect, test } from "vitest";
import { countFlow, park, startCount } from "./testing/flow.ts";
import { testApi } from "./testing/test-api.ts";

type Described = {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
};
const document = openApiDocument() as { paths: Record<string, Record<string, Described>> };
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document, "api");

const nobody = "019e4f2c-7c00-7000-8000-00000000dead";
const pointer = (...parts: readonly string[]): string =>
  `api#/${parts.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")}`;

/** The path of the document that an address is an instance of; the one with the fewest parameters. */
function templateOf(url: string): string | undefined {
  const [path = ""] = url.split("?");
  return Object.keys(document.paths)
    .filter((template) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path))
    .toSorted((a, b) => a.split("{").length - b.split("{").length)[0];
}

type Answer = { readonly statusCode: number; readonly headers: object; readonly body: string };

/** What an answer has that the document does not say; the operation it belongs to. */
function judge(method: string, url: string, answer: Answer): { operation: string; problem: string | null } {
  const template = templateOf(url) ?? "";
  const described = document.paths[template]?.[method.toLowerCase()];
  if (described === undefined) return { operation: "", problem: "no such operation" };
  const operation = described.operationId;
  const response = described.responses[answer.statusCode];
  if (response === undefined) return { operation, problem: `${answer.statusCode} is not described` };
  if (response.content === undefined)
    return { operation, problem: answer.body === "" ? null : "a body is not described" };
  const type = String((answer.headers as Record<string, unknown>)["content-type"]).split(";")[0] ?? "";
  if (!Object.hasOwn(response.content, type)) return { operation, problem: `${type} is not described` };
  if (!type.endsWith("json")) return { operation, problem: null };
  const at = [
    "paths",
    template,
    method.toLowerCase(),
    "responses",
    String(answer.statusCode),
    "content",
    type,
  ];
  const check = ajv.compile({ $ref: pointer(...at, "schema") });
  return { operation, problem: check(JSON.parse(answer.body)) ? null : ajv.errorsText(check.errors) };
}

test("S-18: an independent validator takes the document for OpenAPI 3.1", async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
});

test("S-18: the judge of answers finds what the document does not say", () => {
  const answer = (statusCode: number, body: unknown, type = "application/json"): Answer => ({
    ...{ statusCode, body: JSON.stringify(body), headers: { "content-type": type } },
  });
  expect(judge("GET", "/healthz", answer(200, { status: "ok" }))).toEqual({
    operation: "getHealth",
    problem: null,
  });
  for (const wrong of [
    answer(200, { status: "fine" }),
    answer(200, {}),
    answer(418, {}),
    answer(200, {}, "text/html"),
  ])
    expect(judge("GET", "/healthz", wrong).problem).not.toBeNull();
  expect(judge("GET", "/nowhere", answer(200, {})).problem).not.toBeNull();
});

test("S-18, 3.4: every call answers as the document says, in good and in bad", async () => {
  const api = await testApi();
  const seen = new Set<string>();
  const problems: string[] = [];
  const call = async (
    method: "GET" | "POST" | "PUT" | "DELETE",
    url: string,
    body?: unknown,
    headers = {},
  ) => {
    const answer = await api.app.inject({
      ...{ method, url },
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
    const { operation, problem } = judge(method, url, answer);
    seen.add(operation);
    if (problem !== null) problems.push(`${method} ${url} ${answer.statusCode}: ${problem}`);
    return answer;
  };
  const json = { accept: "application/json" };

  await call("POST", "/v1/flows", countFlow);
  await call("POST", "/v1/flows", countFlow);
  await call("POST", "/v1/flows", { name: "bad", source: "nonsense" });
  await call("POST", "/v1/flows/lint", { ...countFlow, source: "const x = 1;" });
  for (const url of ["/v1/flows", "/v1/flows/count", "/v1/flows/count/versions/1", "/v1/flows/none"])
    await call("GET", url);
  const { layoutTag } = (await call("GET", "/v1/flows/count")).json() as { layoutTag: string };
  const match = { "if-match": `"${layoutTag}"` };
  await call("PUT", "/v1/flows/count/layout", { nodes: {} }, match);
  await call("PUT", "/v1/flows/count/layout", { nodes: {} }, { "if-match": '"other"' });
  await call("PUT", "/v1/flows/count/limits", { maxRunning: 3, maxRunningPerKey: null });
  await call("PUT", "/v1/flows/count/limits", {});

  const id = await startCount(api, { tags: ["a"], concurrencyKey: "k" });
  const key = { "idempotency-key": "k" };
  const started = await call("POST", "/v1/runs", { flow: "count" }, key);
  const other = (started.json() as { id: string }).id;
  await call("POST", "/v1/runs", { flow: "count" }, key);
  await call("POST", "/v1/runs", { flow: "count", inputs: { nope: 1 } });
  await call("POST", `/v1/runs/${id}/resume`, {});
  await park(api, id);
  for (const part of ["", "/state", "/history", "/logs", "/explain"]) {
    await call("GET", `/v1/runs/${id}${part}`);
    await call("GET", `/v1/runs/${nobody}${part}`);
  }
  await call("GET", `/v1/runs/${id}/events`, undefined, json);
  await call("GET", "/v1/runs?limit=1&status=waiting");
  await call("GET", "/v1/runs?limit=0");
  await call("POST", `/v1/runs/${id}/resume`, { until: "2999-01-01T00:00:00Z" });
  await call("POST", `/v1/runs/${id}/resume`, { until: null });
  await call("POST", `/v1/runs/${id}/resume`, { payload: 1 });
  await call("POST", `/v1/runs/${id}/cancel`);
  await call("GET", `/v1/runs/${id}/events`);
  await call("POST", `/v1/runs/${id}/reset`);
  await call("POST", `/v1/runs/${id}/rerun`, {});
  await call("DELETE", `/v1/runs/${id}`);

  await call("POST", "/v1/bulk", { action: "cancel", filter: {}, preview: true });
  const { id: bulk } = (await call("POST", "/v1/bulk", { action: "cancel", ids: [other] })).json() as {
    id: string;
  };
  await call("POST", "/v1/bulk", { action: "cancel" });
  for (const url of ["/v1/bulk", `/v1/bulk/${bulk}`, `/v1/bulk/${bulk}/runs`, `/v1/bulk/${nobody}`])
    await call("GET", url);
  await call("POST", `/v1/bulk/${bulk}/abort`);
  const plan = { flow: "count", cron: "30 6 * * 1-5", timeZone: "Europe/Berlin", inputs: {} };
  const made = await call("POST", "/v1/schedules", plan);
  const schedule = `/v1/schedules/${(made.json() as { id: string }).id}`;
  for (const wrong of [{ cron: "x" }, { flow: "none" }, { inputs: { nope: 1 } }])
    await call("POST", "/v1/schedules", { ...plan, ...wrong });
  await call("PUT", schedule, { ...plan, overlap: "queue" });
  for (const act of ["pause", "resume"]) await call("POST", `${schedule}/${act}`);
  for (const url of ["/v1/schedules", schedule]) await call("GET", url);
  await call("DELETE", schedule);
  const url = "https://hooks.example/in";
  const hook = `/v1/webhooks/${((await call("POST", "/v1/webhooks", { url })).json() as { id: string }).id}`;
  await park(api, await startCount(api));
  await call("GET", "/v1/webhooks");
  const sent = (await call("GET", `${hook}/deliveries`)).json() as { items: { id: string }[] };
  await call("POST", `${hook}/deliveries/${sent.items[0]?.id}/redeliver`);
  await call("DELETE", hook);
  await call("DELETE", "/v1/flows/count");
  for (const url of [
    "/v1/stats",
    "/healthz",
    "/readyz",
    "/metrics",
    "/v1/workers",
    "/v1/size",
    "/v1/audit",
    "/v1/session",
  ])
    await call("GET", url);
  await call("POST", "/v1/session", { key: "wrong" });
  await call("DELETE", "/v1/session");

  // Every call, those of this test included, about what is not there and with a body that says nothing.
  for (const [template, methods] of Object.entries(document.paths)) {
    const url = template.replaceAll(
      /\{(\w+)\}/g,
      (_, name: string) => ({ name: "none", n: "1" })[name] ?? nobody,
    );
    for (const method of Object.keys(methods).map(
      (one) => one.toUpperCase() as "GET" | "POST" | "PUT" | "DELETE",
    ))
      await call(method, url, method === "GET" || method === "DELETE" ? undefined : {}, json);
  }
  expect(problems).toEqual([]);
  const described = Object.values(document.paths).flatMap((path) => Object.values(path));
  expect(described.map(({ operationId }) => operationId).filter((one) => !seen.has(one))).toEqual([]);
});
