import { eventPage, eventsQuery, explanation, logPage, logsQuery } from "./observed.ts";
import type { Operation } from "./operation.ts";

/** Calls that watch a run. */
export const observedOperations = {
  getRunEvents: {
    method: "GET",
    path: "/v1/runs/{id}/events",
    group: "Runs",
    summary: "Server-sent events from Last-Event-ID on; a page of them with Accept: application/json",
    scope: "read",
    parameters: ["id"],
    query: eventsQuery,
    answers: {
      200: ["The events", eventPage, ["application/json", "text/event-stream"]],
      204: ["The run has ended and the client has all its events", null],
    },
    problems: ["not_found", "request_invalid"],
  },
  getRunLogs: {
    method: "GET",
    path: "/v1/runs/{id}/logs",
    group: "Runs",
    summary: "What the run's commands wrote to stderr, per step",
    scope: "read",
    parameters: ["id"],
    query: logsQuery,
    answers: { 200: ["A page", logPage] },
    problems: ["not_found", "request_invalid"],
  },
  explainRun: {
    method: "GET",
    path: "/v1/runs/{id}/explain",
    group: "Runs",
    summary: "Why the run is not moving, in one sentence",
    scope: "read",
    parameters: ["id"],
    answers: { 200: ["The reason", explanation] },
    problems: ["not_found"],
  },
} as const satisfies Record<string, Operation>;
