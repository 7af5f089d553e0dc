import { scheduleBody } from "@agentflow/contract";
import type { ScheduleRequest } from "@agentflow/engine";
import type { FastifyRequest } from "fastify";
import type { Read } from "../problem.ts";
import { readJsonBody } from "./json-body.ts";
import { readInputs } from "./run-body.ts";

/** The body of a new schedule, or of one that takes another's place; inputs are exact JSON texts, each within 1 MiB. */
export function readSchedule(request: FastifyRequest): Read<ScheduleRequest> {
  const body = readJsonBody(request, { schema: scheduleBody, optional: false });
  if (!body.ok) return body;
  const { value, texts } = body.value;
  const inputs = readInputs(texts);
  if (!inputs.ok) return inputs;
  const { flow, cron, timeZone = "UTC", overlap = "skip", catchUp = "one", jitterMs = 0 } = value;
  return {
    ok: true,
    value: {
      ...{ flow, cron, timeZone, overlap, catchUp, jitterMs, paused: value.paused ?? false },
      version: value.version ?? null,
      inputs: inputs.value ?? new Map(),
      tags: value.tags ?? [],
      priority: value.priority ?? null,
      concurrencyKey: value.concurrencyKey ?? null,
    },
  };
}
