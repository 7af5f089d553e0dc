import { BODY, NO_BODY } from "./operation.ts";
import type { Operation } from "./operation.ts";
import { schedule, scheduleBody, schedulePage, scheduleQuery } from "./schedules.ts";
import { noBody } from "./values.ts";

const REFUSED = [...BODY, "not_found", "input_unknown", "input_invalid", "config_invalid"] as const;

/** Calls about what starts runs by the clock. */
export const scheduleOperations = {
  createSchedule: {
    method: "POST",
    path: "/v1/schedules",
    group: "Runs",
    summary: "Start runs of a flow by a cron pattern",
    scope: "run",
    body: { schema: scheduleBody, optional: false },
    answers: { 201: ["Made", schedule] },
    problems: REFUSED,
  },
  listSchedules: {
    method: "GET",
    path: "/v1/schedules",
    group: "Runs",
    summary: "List schedules, newest first",
    scope: "read",
    query: scheduleQuery,
    answers: { 200: ["A page", schedulePage] },
    problems: ["request_invalid"],
  },
  getSchedule: {
    method: "GET",
    path: "/v1/schedules/{schedule}",
    group: "Runs",
    summary: "A schedule, its next ticks and what became of the latest one",
    scope: "read",
    parameters: ["schedule"],
    answers: { 200: ["The schedule", schedule] },
    problems: ["not_found"],
  },
  replaceSchedule: {
    method: "PUT",
    path: "/v1/schedules/{schedule}",
    group: "Runs",
    summary: "Replace everything a schedule says",
    scope: "run",
    parameters: ["schedule"],
    body: { schema: scheduleBody, optional: false },
    answers: { 200: ["Replaced", schedule] },
    problems: REFUSED,
  },
  pauseSchedule: {
    method: "POST",
    path: "/v1/schedules/{schedule}/pause",
    group: "Runs",
    summary: "Start no more runs until it is resumed",
    scope: "run",
    parameters: ["schedule"],
    body: { schema: noBody, optional: true },
    answers: { 200: ["Paused, or was before", schedule] },
    problems: [...NO_BODY, "not_found"],
  },
  resumeSchedule: {
    method: "POST",
    path: "/v1/schedules/{schedule}/resume",
    group: "Runs",
    summary: "Go on with the next tick; those of the pause are not made up for",
    scope: "run",
    parameters: ["schedule"],
    body: { schema: noBody, optional: true },
    answers: { 200: ["It goes on, or did before", schedule] },
    problems: [...NO_BODY, "not_found"],
  },
  deleteSchedule: {
    method: "DELETE",
    path: "/v1/schedules/{schedule}",
    group: "Runs",
    summary: "Remove a schedule; the runs it started stay",
    scope: "run",
    parameters: ["schedule"],
    body: { schema: noBody, optional: true },
    answers: { 204: ["Removed", null] },
    problems: [...NO_BODY, "not_found"],
  },
} as const satisfies Record<string, Operation>;
