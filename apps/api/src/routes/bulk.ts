import { bulkQuery, bulkRunsQuery, DEFAULT_PAGE_LIMIT, noBody, operations } from "@agentflow/contract";
import { startBulk, TOO_MANY_RUNS } from "@agentflow/engine";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { runPageText } from "../answers/run.ts";
import type { ApiDeps } from "../deps.ts";
import { callerOf } from "../plugins/keys.ts";
import { refuse } from "../problem.ts";
import { readBulk } from "../reading/bulk-body.ts";
import { readJsonBody } from "../reading/json-body.ts";
import { notFound, pathParameter } from "../reading/path.ts";
import { INVALID_CURSOR, readQuery } from "../reading/query.ts";
import { RUN_BODY_BYTES } from "./run-changes.ts";
import { addRoute, sendJson } from "./route.ts";

/** Actions on many runs: accepted here, dealt with by `startBulkRunner` of any API process (3.4). */
export function bulkRoutes(app: FastifyInstance, deps: ApiDeps): void {
  const { bulk } = deps;
  addRoute(app, operations.startBulk, (request, reply) => start(deps, request, reply), RUN_BODY_BYTES);

  addRoute(app, operations.listBulk, async (request, reply) => {
    const query = readQuery(request, bulkQuery);
    if (!query.ok) return refuse(reply, query.refusal);
    const page = await bulk.list(pagingOf(query.value));
    if (page === "invalid_cursor") return refuse(reply, INVALID_CURSOR);
    return sendJson(reply, 200, JSON.stringify(page));
  });

  addRoute(app, operations.getBulk, async (request, reply) => {
    const id = pathParameter(request, "bulk");
    return id === null ? notFound(request, reply, "bulk") : show(deps, request, reply, 200, id);
  });

  addRoute(app, operations.listBulkRuns, async (request, reply) => {
    const id = pathParameter(request, "bulk");
    if (id === null) return notFound(request, reply, "bulk");
    const query = readQuery(request, bulkRunsQuery);
    if (!query.ok) return refuse(reply, query.refusal);
    const { outcome, ...page } = query.value;
    const runs = await bulk.runs(id, { ...pagingOf(page), ...(outcome !== undefined && { outcome }) });
    if (runs === "not_found") return notFound(request, reply, "bulk");
    if (runs === "invalid_cursor") return refuse(reply, INVALID_CURSOR);
    return sendJson(reply, 200, JSON.stringify(runs));
  });

  addRoute(app, operations.abortBulk, async (request, reply) => {
    const id = pathParameter(request, "bulk");
    if (id === null) return notFound(request, reply, "bulk");
    const body = readJsonBody(request, { schema: noBody, optional: true });
    if (!body.ok) return refuse(reply, body.refusal);
    if ((await bulk.abort(id, callerOf(request))) === null) return notFound(request, reply, "bulk");
    return show(deps, request, reply, 200, id);
  });
}

async function start(deps: ApiDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { bulk, use } = deps;
  const read = readBulk(request);
  if (!read.ok) return refuse(reply, read.refusal);
  const { preview, ...asked } = read.value;
  if (preview) {
    const found = await bulk.preview(asked);
    if (found === "too_many") return refuse(reply, { code: "request_invalid", message: TOO_MANY_RUNS });
    const sample = JSON.parse(runPageText({ items: found.sample, nextCursor: null })).items as unknown[];
    return sendJson(reply, 200, JSON.stringify({ count: found.count, sample }));
  }
  const { newId, sha256 } = use;
  const result = await startBulk({ bulk, newId, sha256 }, { ...asked, caller: callerOf(request) });
  switch (result.kind) {
    case "too_many":
      return refuse(reply, { code: "request_invalid", message: TOO_MANY_RUNS });
    case "conflict": {
      const message = "This Idempotency-Key came before with another request.";
      return refuse(reply, { code: "idempotency_conflict", message, details: { bulk: result.id } });
    }
    case "created":
      deps.onBulk?.();
      reply.header("location", `/v1/bulk/${result.id}`);
      return show(deps, request, reply, 202, result.id);
    case "existing":
      return show(deps, request, reply, 200, result.id);
  }
}

async function show(
  { bulk }: ApiDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  id: string,
): Promise<FastifyReply> {
  const found = await bulk.get(id);
  return found === null ? notFound(request, reply, "bulk") : sendJson(reply, status, JSON.stringify(found));
}

function pagingOf({
  limit = DEFAULT_PAGE_LIMIT,
  cursor,
}: {
  limit?: number | undefined;
  cursor?: string | undefined;
}) {
  return { limit, ...(cursor !== undefined && { cursor }) };
}
