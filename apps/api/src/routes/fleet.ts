import { auditQuery, DEFAULT_PAGE_LIMIT, operations } from "@agentflow/contract";
import type { AuditView } from "@agentflow/engine";
import type { FastifyInstance } from "fastify";
import type { ApiDeps } from "../deps.ts";
import { refuse } from "../problem.ts";
import { INVALID_CURSOR, readQuery } from "../reading/query.ts";
import { addRoute, sendJson } from "./route.ts";

/** Workers, sizes and the audit: what those see who keep the service running. */
export function fleetRoutes(app: FastifyInstance, { fleet, reads }: ApiDeps): void {
  addRoute(app, operations.listWorkers, async (_request, reply) =>
    sendJson(reply, 200, JSON.stringify({ items: await fleet.workers() })),
  );

  addRoute(app, operations.getSize, async (_request, reply) =>
    sendJson(reply, 200, JSON.stringify(await fleet.size())),
  );

  addRoute(app, operations.listAudit, async (request, reply) => {
    const query = readQuery(request, auditQuery);
    if (!query.ok) return refuse(reply, query.refusal);
    const { run: runId, limit = DEFAULT_PAGE_LIMIT, action, actor, cursor } = query.value;
    const page = await reads.audit({
      limit,
      ...(runId !== undefined && { runId }),
      ...(action !== undefined && { action }),
      ...(actor !== undefined && { actor }),
      ...(cursor !== undefined && { cursor }),
    });
    if (page === "invalid_cursor") return refuse(reply, INVALID_CURSOR);
    const { items, nextCursor } = page;
    return sendJson(reply, 200, JSON.stringify({ items: items.map(entryAnswer), nextCursor }));
  });
}

function entryAnswer({ details, ...entry }: AuditView) {
  return { ...entry, details: details === null ? null : (JSON.parse(details) as unknown) };
}
