import { auditPage, auditQuery, storeSize, workerList } from "./fleet.ts";
import type { Operation } from "./operation.ts";

/** Calls for those who keep the service running. */
export const fleetOperations = {
  listWorkers: {
    method: "GET",
    path: "/v1/workers",
    group: "Service",
    summary: "Workers heard of within the hour, idle ones too",
    scope: "read",
    answers: { 200: ["All of them, oldest first", workerList] },
    problems: [],
  },
  getSize: {
    method: "GET",
    path: "/v1/size",
    group: "Service",
    summary: "How much the database holds, by table",
    scope: "read",
    answers: { 200: ["Sizes in bytes", storeSize] },
    problems: [],
  },
  listAudit: {
    method: "GET",
    path: "/v1/audit",
    group: "Service",
    summary: "Who did what, when and from where; newest first",
    scope: "admin",
    query: auditQuery,
    answers: { 200: ["A page", auditPage] },
    problems: ["request_invalid"],
  },
} as const satisfies Record<string, Operation>;
