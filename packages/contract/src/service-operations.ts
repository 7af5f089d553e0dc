import { z } from "zod";
import type { Operation } from "./operation.ts";
import { health, readiness, stats } from "./service.ts";

/** Calls about the service. */
export const serviceOperations = {
  getStats: {
    method: "GET",
    path: "/v1/stats",
    group: "Service",
    summary: "Runs by status, depth of the queue, stuck runs",
    scope: "read",
    answers: { 200: ["The numbers", stats] },
    problems: [],
  },
  getHealth: {
    method: "GET",
    path: "/healthz",
    group: "Service",
    summary: "Whether the process is alive",
    scope: null,
    answers: { 200: ["It is", health] },
    problems: [],
  },
  getReadiness: {
    method: "GET",
    path: "/readyz",
    group: "Service",
    summary: "Whether Postgres can be written and the queue be reached",
    scope: null,
    answers: { 200: ["Ready", readiness], 503: ["Not ready", readiness] },
    problems: [],
  },
  getMetrics: {
    method: "GET",
    path: "/metrics",
    group: "Service",
    summary: "Metrics for Prometheus",
    scope: "read",
    answers: { 200: ["In Prometheus' text format", z.string(), ["text/plain"]] },
    problems: [],
  },
} as const satisfies Record<string, Operation>;
