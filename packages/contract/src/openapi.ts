import { ERRORS, layoutSchema } from "@agentflow/core";
import type { ErrorCode } from "@agentflow/core";
import { z } from "zod";
import { bulk, bulkBody, bulkPage, bulkPreview, bulkRun, bulkRunPage } from "./bulk.ts";
import {
  archivedFlow,
  finding,
  flow,
  flowLimits,
  flowPage,
  flowSummary,
  flowVersion,
  lintAnswer,
  registerFlowBody,
  registeredVersion,
  savedLayout,
} from "./flows.ts";
import { eventPage, explanation, logEntry, logPage, runEvent } from "./observed.ts";
import { pathParameters } from "./operation.ts";
import type { Operation, OperationAnswer } from "./operation.ts";
import { operations } from "./operations.ts";
import { failure, problem, PROBLEM_TYPE } from "./problem.ts";
import {
  historyEntry,
  historyPage,
  keptResume,
  loop,
  rerunRunBody,
  resumeRunBody,
  run,
  runPage,
  runSummary,
  startRunBody,
} from "./runs.ts";
import { health, readiness, stats } from "./service.ts";
import { idempotencyKey, noBody } from "./values.ts";

type Json = { readonly [key: string]: unknown };

const named = {
  Problem: problem,
  Failure: failure,
  Finding: finding,
  RegisterFlow: registerFlowBody,
  RegisteredVersion: registeredVersion,
  LintAnswer: lintAnswer,
  FlowSummary: flowSummary,
  FlowPage: flowPage,
  FlowVersion: flowVersion,
  Flow: flow,
  ArchivedFlow: archivedFlow,
  FlowLimits: flowLimits,
  Layout: layoutSchema,
  SavedLayout: savedLayout,
  StartRun: startRunBody,
  ResumeRun: resumeRunBody,
  NoBody: noBody,
  RerunRun: rerunRunBody,
  Run: run,
  RunSummary: runSummary,
  RunPage: runPage,
  KeptResume: keptResume,
  StartBulk: bulkBody,
  BulkPreview: bulkPreview,
  Bulk: bulk,
  BulkPage: bulkPage,
  BulkRun: bulkRun,
  BulkRunPage: bulkRunPage,
  Loop: loop,
  HistoryEntry: historyEntry,
  HistoryPage: historyPage,
  RunEvent: runEvent,
  EventPage: eventPage,
  LogEntry: logEntry,
  LogPage: logPage,
  Explanation: explanation,
  Stats: stats,
  Health: health,
  Readiness: readiness,
};

/** Codes that any call can be answered with. */
const ANY_CALL: readonly ErrorCode[] = ["forbidden", "unavailable", "internal"];
/** Codes that calls which need a key can be answered with beside these. */
const WITH_KEY: readonly ErrorCode[] = ["unauthorized", "rate_limited"];

/** The OpenAPI 3.1 document of the API, made from the same schemas the server checks calls with (S-18). */
export function openApiDocument(): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [id, operation] of Object.entries<Operation>(operations)) {
    const path = (paths[operation.path] ??= {});
    path[operation.method.toLowerCase()] = operationObject(id, operation);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "AgentFlow",
      version: "1",
      description:
        "Durable While loops over HTTP. Unknown fields and parameters are refused; times are UTC; ids are UUIDv7; " +
        "errors are problem details with the codes of /docs/errors.",
    },
    paths,
    components: {
      schemas: componentSchemas(),
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: "Made by `agentflow keys create`; needed as soon as there is a key.",
        },
      },
    },
  };
}

function operationObject(id: string, operation: Operation): Json {
  const { group, summary, body, scope } = operation;
  const codes = [...operation.problems, ...ANY_CALL, ...(scope === null ? [] : WITH_KEY)];
  return {
    operationId: id,
    tags: [group],
    summary,
    ...(scope !== null && { description: `Needs a key of scope ${scope}.`, security: [{}, { apiKey: [] }] }),
    ...optional("parameters", parameters(operation)),
    ...(body && { requestBody: { required: !body.optional, content: json(body.schema) } }),
    responses: { ...problems(codes), ...answers(operation) },
  };
}

function parameters(operation: Operation): readonly Json[] {
  const inPath = (operation.parameters ?? []).map((name) => ({
    name,
    in: "path",
    required: true,
    schema: schemaOf(pathParameters[name]),
  }));
  const inQuery = Object.entries(operation.query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: "query",
    required: false,
    schema: schemaOf(schema),
  }));
  const key = { name: "Idempotency-Key", in: "header", required: false, schema: schemaOf(idempotencyKey) };
  const match = { name: "If-Match", in: "header", required: true, schema: { type: "string" } };
  return [
    ...inPath,
    ...inQuery,
    ...(operation.idempotencyKey ? [key] : []),
    ...(operation.ifMatch ? [match] : []),
  ];
}

function answers(operation: Operation): Json {
  const made = Object.entries(operation.answers).map(([status, answer]) => [status, answerObject(answer)]);
  return Object.fromEntries(made);
}

function answerObject([description, schema, mediaTypes]: OperationAnswer): Json {
  if (schema === null) return { description };
  if (mediaTypes === undefined) return { description, content: json(schema) };
  const shape = (type: string) => (type === "application/json" ? schemaOf(schema) : { type: "string" });
  return {
    description,
    content: Object.fromEntries(mediaTypes.map((type) => [type, { schema: shape(type) }])),
  };
}

/** One response for each HTTP status, naming the codes that have it. */
function problems(codes: readonly ErrorCode[]): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    const { httpStatus } = ERRORS[code];
    byStatus.set(httpStatus, [...(byStatus.get(httpStatus) ?? []), code]);
  }
  const content = { [PROBLEM_TYPE]: { schema: schemaOf(problem) } };
  return Object.fromEntries(
    [...byStatus].map(([status, found]) => [status, { description: found.join(", "), content }]),
  );
}

function json(schema: z.ZodType): Json {
  return { "application/json": { schema: schemaOf(schema) } };
}

function schemaOf(schema: z.ZodType): Json {
  const name = Object.entries<z.ZodType>(named).find(([, one]) => one === schema)?.[0];
  return name === undefined
    ? plain(z.toJSONSchema(schema, { io: "input" }))
    : { $ref: `#/components/schemas/${name}` };
}

/** Input side, because answers may gain fields and must not be described as closed. */
function componentSchemas(): Json {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries<z.ZodType>(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { io: "input", uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, plain(schema)]));
}

/** A JSON Schema without what only stands in documents of its own. */
function plain(schema: Json): Json {
  const { $schema: _schema, $id: _id, id: _name, "~standard": _standard, ...rest } = schema;
  return rest;
}

function optional(key: string, list: readonly unknown[]): Json {
  return list.length === 0 ? {} : { [key]: list };
}
