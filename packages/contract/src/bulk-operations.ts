import { bulk, bulkBody, bulkPage, bulkPreview, bulkQuery, bulkRunPage, bulkRunsQuery } from "./bulk.ts";
import { BODY, NO_BODY } from "./operation.ts";
import type { Operation } from "./operation.ts";
import { noBody } from "./values.ts";

/** Calls about many runs at once. */
export const bulkOperations = {
  startBulk: {
    method: "POST",
    path: "/v1/bulk",
    group: "Runs",
    summary: "Resume, cancel or rerun many runs, at a pace; or preview which",
    scope: "run",
    idempotencyKey: true,
    body: { schema: bulkBody, optional: false },
    answers: {
      202: ["Accepted; the runs are fixed now", bulk],
      200: ["The preview; or the action this Idempotency-Key started before", bulkPreview.or(bulk)],
    },
    problems: [...BODY, "idempotency_conflict"],
  },
  listBulk: {
    method: "GET",
    path: "/v1/bulk",
    group: "Runs",
    summary: "List bulk actions, newest first",
    scope: "read",
    query: bulkQuery,
    answers: { 200: ["A page", bulkPage] },
    problems: ["request_invalid"],
  },
  getBulk: {
    method: "GET",
    path: "/v1/bulk/{bulk}",
    group: "Runs",
    summary: "How far a bulk action has come",
    scope: "read",
    parameters: ["bulk"],
    answers: { 200: ["The action", bulk] },
    problems: ["not_found"],
  },
  listBulkRuns: {
    method: "GET",
    path: "/v1/bulk/{bulk}/runs",
    group: "Runs",
    summary: "What became of each run of a bulk action",
    scope: "read",
    parameters: ["bulk"],
    query: bulkRunsQuery,
    answers: { 200: ["A page", bulkRunPage] },
    problems: ["not_found", "request_invalid"],
  },
  abortBulk: {
    method: "POST",
    path: "/v1/bulk/{bulk}/abort",
    group: "Runs",
    summary: "Stop a bulk action; what was done stays done",
    scope: "run",
    parameters: ["bulk"],
    body: { schema: noBody, optional: true },
    answers: { 200: ["Stopped, or ended before", bulk] },
    problems: [...NO_BODY, "not_found"],
  },
} as const satisfies Record<string, Operation>;
