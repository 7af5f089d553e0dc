import { layoutSchema } from "@agentflow/core";
import type { ErrorCode } from "@agentflow/core";
import type { z } from "zod";
import {
  flowPage,
  flowVersion,
  lintAnswer,
  listFlowsQuery,
  registerFlowBody,
  registeredVersion,
  savedLayout,
} from "./flows.ts";
import {
  cancelRunBody,
  historyPage,
  historyQuery,
  listRunsQuery,
  resumeRunBody,
  run,
  runPage,
  startRunBody,
  stateQuery,
} from "./runs.ts";
import { health, readiness, stats } from "./service.ts";
import { anyJson, flowName, runId, versionNumber } from "./values.ts";

/** What a call may carry in its path, and how each parameter is written. */
export const pathParameters = { name: flowName, n: versionNumber, id: runId };
export type PathParameter = keyof typeof pathParameters;

/** One call of the API. `path` names its parameters in braces; `problems` are codes beyond those any call can get. */
export type Operation = {
  readonly method: "GET" | "POST" | "PUT";
  readonly path: string;
  readonly group: "Flows" | "Runs" | "Service";
  readonly summary: string;
  readonly parameters?: readonly PathParameter[];
  readonly query?: z.ZodObject;
  readonly idempotencyKey?: boolean;
  /** The call needs an `If-Match` header. */
  readonly ifMatch?: boolean;
  /** `optional`: no body and `{}` are the same. */
  readonly body?: { readonly schema: z.ZodType; readonly optional: boolean };
  readonly answers: Readonly<Record<number, readonly [description: string, schema: z.ZodType]>>;
  readonly problems: readonly ErrorCode[];
};

const JSON_POLICY = ["state_too_large", "state_too_deep", "number_not_exact", "duplicate_key"] as const;
const BODY = ["request_invalid", "body_too_large", "content_type_invalid", ...JSON_POLICY] as const;

/** Every call of the API (3.4): the server's routes, the client and the OpenAPI document are made from it. */
export const operations = {
  registerFlow: {
    method: "POST",
    path: "/v1/flows",
    group: "Flows",
    summary: "Register a version of a flow",
    body: { schema: registerFlowBody, optional: false },
    answers: {
      201: ["A new version", registeredVersion],
      200: ["Equal to the newest version of that name", registeredVersion],
    },
    problems: [...BODY, "flow_invalid", "precondition_failed"],
  },
  lintFlow: {
    method: "POST",
    path: "/v1/flows/lint",
    group: "Flows",
    summary: "Lint a flow; nothing is stored",
    body: { schema: registerFlowBody, optional: false },
    answers: { 200: ["All findings", lintAnswer] },
    problems: BODY,
  },
  listFlows: {
    method: "GET",
    path: "/v1/flows",
    group: "Flows",
    summary: "List flows by name",
    query: listFlowsQuery,
    answers: { 200: ["A page", flowPage] },
    problems: ["request_invalid"],
  },
  getFlow: {
    method: "GET",
    path: "/v1/flows/{name}",
    group: "Flows",
    summary: "Show the newest version of a flow",
    parameters: ["name"],
    answers: { 200: ["The version", flowVersion] },
    problems: ["not_found"],
  },
  getFlowVersion: {
    method: "GET",
    path: "/v1/flows/{name}/versions/{n}",
    group: "Flows",
    summary: "Show a version of a flow",
    parameters: ["name", "n"],
    answers: { 200: ["The version", flowVersion] },
    problems: ["not_found"],
  },
  saveLayout: {
    method: "PUT",
    path: "/v1/flows/{name}/layout",
    group: "Flows",
    summary: "Save the layout of a flow's newest version",
    parameters: ["name"],
    ifMatch: true,
    body: { schema: layoutSchema, optional: false },
    answers: { 200: ["Saved", savedLayout] },
    problems: [...BODY, "not_found", "precondition_failed"],
  },
  startRun: {
    method: "POST",
    path: "/v1/runs",
    group: "Runs",
    summary: "Start a run",
    idempotencyKey: true,
    body: { schema: startRunBody, optional: false },
    answers: { 201: ["The new run", run], 200: ["The run this Idempotency-Key started before", run] },
    problems: [
      ...BODY,
      "not_found",
      "idempotency_conflict",
      "input_unknown",
      "input_invalid",
      "config_invalid",
      "state_invalid_json",
    ],
  },
  listRuns: {
    method: "GET",
    path: "/v1/runs",
    group: "Runs",
    summary: "List runs, newest first",
    query: listRunsQuery,
    answers: { 200: ["A page", runPage] },
    problems: ["request_invalid"],
  },
  getRun: {
    method: "GET",
    path: "/v1/runs/{id}",
    group: "Runs",
    summary: "Show a run",
    parameters: ["id"],
    answers: { 200: ["The run", run] },
    problems: ["not_found"],
  },
  getRunState: {
    method: "GET",
    path: "/v1/runs/{id}/state",
    group: "Runs",
    summary: "The exact state text of a loop's checkpoint",
    parameters: ["id"],
    query: stateQuery,
    answers: { 200: ["The state, byte for byte as stored", anyJson] },
    problems: ["not_found", "request_invalid"],
  },
  getRunHistory: {
    method: "GET",
    path: "/v1/runs/{id}/history",
    group: "Runs",
    summary: "A loop's completed iterations in order",
    parameters: ["id"],
    query: historyQuery,
    answers: { 200: ["A page", historyPage] },
    problems: ["not_found", "request_invalid"],
  },
  resumeRun: {
    method: "POST",
    path: "/v1/runs/{id}/resume",
    group: "Runs",
    summary: "Resume a waiting run",
    parameters: ["id"],
    idempotencyKey: true,
    body: { schema: resumeRunBody, optional: true },
    answers: { 202: ["Resumed", run], 200: ["Resumed before with this Idempotency-Key", run] },
    problems: [
      ...BODY,
      "not_found",
      "resume_conflict",
      "idempotency_conflict",
      "input_unknown",
      "input_invalid",
      "config_invalid",
    ],
  },
  cancelRun: {
    method: "POST",
    path: "/v1/runs/{id}/cancel",
    group: "Runs",
    summary: "Cancel a run",
    parameters: ["id"],
    body: { schema: cancelRunBody, optional: true },
    answers: {
      200: ["Cancelled; nothing was executing, or it was cancelled before", run],
      202: ["Cancelled; a step is still being killed", run],
    },
    problems: ["not_found", "request_invalid", "content_type_invalid", "run_terminal"],
  },
  getStats: {
    method: "GET",
    path: "/v1/stats",
    group: "Service",
    summary: "Runs by status and depth of the queue",
    answers: { 200: ["The numbers", stats] },
    problems: [],
  },
  getHealth: {
    method: "GET",
    path: "/healthz",
    group: "Service",
    summary: "Whether the process is alive",
    answers: { 200: ["It is", health] },
    problems: [],
  },
  getReadiness: {
    method: "GET",
    path: "/readyz",
    group: "Service",
    summary: "Whether Postgres can be written and the queue be reached",
    answers: { 200: ["Ready", readiness], 503: ["Not ready", readiness] },
    problems: [],
  },
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof operations;
