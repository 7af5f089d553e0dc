import { DEFAULT_PAGE_LIMIT, noBody, operations, scheduleQuery } from "@agentflow/contract";
import { createSchedule, pauseSchedule, replaceSchedule } from "@agentflow/engine";
import type { SaveScheduleResult, ScheduleRequest } from "@agentflow/engine";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { schedulePageText, scheduleText } from "../answers/schedule.ts";
import type { ApiDeps } from "../deps.ts";
import { callerOf } from "../plugins/keys.ts";
import { refusalOf, refuse } from "../problem.ts";
import { readJsonBody } from "../reading/json-body.ts";
import { notFound, pathParameter } from "../reading/path.ts";
import { INVALID_CURSOR, readQuery } from "../reading/query.ts";
import { readSchedule } from "../reading/schedule-body.ts";
import { RUN_BODY_BYTES } from "./run-changes.ts";
import { addRoute, sendJson } from "./route.ts";

/** Schedules: kept here, worked at by the workers (3.4). */
export function scheduleRoutes(app: FastifyInstance, deps: ApiDeps): void {
  const { schedules } = deps;
  const use = { ...deps.use, schedules };

  addRoute(
    app,
    operations.createSchedule,
    async (request, reply) => {
      const read = readSchedule(request);
      if (!read.ok) return refuse(reply, read.refusal);
      const result = await createSchedule(use, read.value, callerOf(request));
      if (result.kind === "saved") reply.header("location", `/v1/schedules/${result.id}`);
      return answerSaved(deps, request, reply, { result, asked: read.value, status: 201 });
    },
    RUN_BODY_BYTES,
  );

  addRoute(
    app,
    operations.replaceSchedule,
    async (request, reply) => {
      const id = pathParameter(request, "schedule");
      if (id === null) return notFound(request, reply, "schedule");
      const read = readSchedule(request);
      if (!read.ok) return refuse(reply, read.refusal);
      const result = await replaceSchedule(use, id, read.value, callerOf(request));
      if (result.kind === "not_found") return notFound(request, reply, "schedule");
      return answerSaved(deps, request, reply, { result, asked: read.value, status: 200 });
    },
    RUN_BODY_BYTES,
  );

  addRoute(app, operations.listSchedules, async (request, reply) => {
    const query = readQuery(request, scheduleQuery);
    if (!query.ok) return refuse(reply, query.refusal);
    const { limit = DEFAULT_PAGE_LIMIT, cursor } = query.value;
    const page = await schedules.list({ limit, ...(cursor !== undefined && { cursor }) });
    if (page === "invalid_cursor") return refuse(reply, INVALID_CURSOR);
    return sendJson(reply, 200, schedulePageText(page, await schedules.nowMs()));
  });

  addRoute(app, operations.getSchedule, async (request, reply) => {
    const id = pathParameter(request, "schedule");
    return id === null ? notFound(request, reply, "schedule") : show(deps, request, reply, { id });
  });

  addRoute(app, operations.pauseSchedule, (request, reply) => setPaused(deps, request, reply, true));
  addRoute(app, operations.resumeSchedule, (request, reply) => setPaused(deps, request, reply, false));

  addRoute(app, operations.deleteSchedule, async (request, reply) => {
    const id = pathParameter(request, "schedule");
    if (id === null) return notFound(request, reply, "schedule");
    const body = readJsonBody(request, { schema: noBody, optional: true });
    if (!body.ok) return refuse(reply, body.refusal);
    const there = await schedules.remove(id, callerOf(request));
    return there ? reply.code(204).send() : notFound(request, reply, "schedule");
  });
}

async function setPaused(
  deps: ApiDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  paused: boolean,
): Promise<FastifyReply> {
  const id = pathParameter(request, "schedule");
  if (id === null) return notFound(request, reply, "schedule");
  const body = readJsonBody(request, { schema: noBody, optional: true });
  if (!body.ok) return refuse(reply, body.refusal);
  const { schedules, use } = deps;
  await pauseSchedule({ schedules, sha256: use.sha256 }, { id, paused, caller: callerOf(request) });
  return show(deps, request, reply, { id });
}

async function answerSaved(
  deps: ApiDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  given: {
    readonly result: SaveScheduleResult;
    readonly asked: ScheduleRequest;
    readonly status: 200 | 201;
  },
): Promise<FastifyReply> {
  const { result, asked, status } = given;
  switch (result.kind) {
    case "saved":
      return show(deps, request, reply, { id: result.id, status });
    case "flow_not_found": {
      const what =
        asked.version === null
          ? `flow "${asked.flow}"`
          : `version ${asked.version} of a flow "${asked.flow}"`;
      return refuse(reply, { code: "not_found", message: `There is no ${what}.` });
    }
    case "invalid":
      return refuse(reply, refusalOf(result.failures));
    case "unusable":
      return refuse(reply, { code: "request_invalid", message: result.message });
  }
}

async function show(
  { schedules }: ApiDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { id, status = 200 }: { readonly id: string; readonly status?: number },
): Promise<FastifyReply> {
  const found = await schedules.get(id);
  if (found === null) return notFound(request, reply, "schedule");
  return sendJson(reply, status, scheduleText(found, await schedules.nowMs()));
}
