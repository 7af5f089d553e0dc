import { DEFAULT_PAGE_LIMIT, logsQuery, operations } from "@agentflow/contract";
import { explainRun } from "@agentflow/engine";
import type { LogEntry } from "@agentflow/engine";
import type { FastifyInstance } from "fastify";
import type { ApiDeps } from "../deps.ts";
import { refuse } from "../problem.ts";
import { notFound, pathParameter } from "../reading/path.ts";
import { INVALID_CURSOR, readQuery } from "../reading/query.ts";
import { addRoute, sendJson } from "./route.ts";

/** What a run's commands said, and why it is not moving. */
export function observedRoutes(app: FastifyInstance, { reads }: ApiDeps): void {
  addRoute(app, operations.getRunLogs, async (request, reply) => {
    const id = pathParameter(request, "id");
    if (id === null) return notFound(request, reply, "id");
    const query = readQuery(request, logsQuery);
    if (!query.ok) return refuse(reply, query.refusal);
    const { iteration = null, limit = DEFAULT_PAGE_LIMIT, cursor } = query.value;
    const page = await reads.logs(id, { iteration, limit, ...(cursor !== undefined && { cursor }) });
    if (page === "no_run") return notFound(request, reply, "id");
    if (page === "invalid_cursor") return refuse(reply, INVALID_CURSOR);
    const { items, nextCursor } = page;
    return sendJson(reply, 200, JSON.stringify({ items: items.map(entryAnswer), nextCursor }));
  });

  addRoute(app, operations.explainRun, async (request, reply) => {
    const id = pathParameter(request, "id");
    const found = id === null ? null : await explainRun({ reads }, id);
    return found === null ? notFound(request, reply, "id") : sendJson(reply, 200, JSON.stringify(found));
  });
}

function entryAnswer({ frame, ...entry }: LogEntry) {
  return { ...entry, frame: JSON.parse(frame) as unknown };
}
