import { flowLimits, noBody, operations } from "@agentflow/contract";
import { archiveFlow, deleteRun, rerunRun, resetRun } from "@agentflow/engine";
import type { RerunResult } from "@agentflow/engine";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ApiDeps } from "../deps.ts";
import { callerOf } from "../plugins/keys.ts";
import { refusalOf, refuse } from "../problem.ts";
import { readJsonBody } from "../reading/json-body.ts";
import { notFound, pathParameter } from "../reading/path.ts";
import { readRerun } from "../reading/run-body.ts";
import { answerWithRun, keyConflict, RUN_BODY_BYTES } from "./run-changes.ts";
import { addRoute, sendJson } from "./route.ts";

/** Starting over, running again, removing: what an operator does with runs and flows that are over. */
export function removalRoutes(app: FastifyInstance, deps: ApiDeps): void {
  const { use } = deps;

  addRoute(app, operations.resetRun, async (request, reply) => {
    const given = readTarget(request, reply);
    if ("sent" in given) return given.sent;
    const { runId } = given;
    const outcome = await resetRun(use, { runId, caller: callerOf(request) });
    if (outcome.kind === "not_found") return notFound(request, reply, "id");
    if (outcome.kind === "reset") return answerWithRun(deps, request, reply, { status: 202, runId });
    const { status } = outcome;
    const message = `The run is ${status}; only one that failed with checkpoint_corrupt can be reset.`;
    return refuse(reply, { code: "reset_conflict", message, details: { runId, status } });
  });

  addRoute(
    app,
    operations.rerunRun,
    async (request, reply) => {
      const runId = pathParameter(request, "id");
      if (runId === null) return notFound(request, reply, "id");
      const read = readRerun(request);
      if (!read.ok) return refuse(reply, read.refusal);
      return answerRerun(deps, request, reply, await rerunRun(use, { ...read.value, runId }));
    },
    RUN_BODY_BYTES,
  );

  addRoute(app, operations.deleteRun, async (request, reply) => {
    const given = readTarget(request, reply);
    if ("sent" in given) return given.sent;
    const { runId } = given;
    const outcome = await deleteRun(use, { runId, caller: callerOf(request) });
    if (outcome.kind === "not_found") return notFound(request, reply, "id");
    if (outcome.kind === "deleted") return reply.code(204).send();
    const { status } = outcome;
    const message = `The run is ${status}; cancel it first.`;
    return refuse(reply, { code: "run_active", message, details: { runId, status } });
  });

  addRoute(app, operations.setFlowLimits, async (request, reply) => {
    const flow = pathParameter(request, "name");
    if (flow === null) return notFound(request, reply, "name");
    const body = readJsonBody(request, { schema: flowLimits, optional: false });
    if (!body.ok) return refuse(reply, body.refusal);
    const { value: limits } = body.value;
    const set = await use.store.setFlowLimits(flow, limits, callerOf(request));
    return set ? sendJson(reply, 200, JSON.stringify(limits)) : notFound(request, reply, "name");
  });

  addRoute(app, operations.archiveFlow, async (request, reply) => {
    const flow = pathParameter(request, "name");
    if (flow === null) return notFound(request, reply, "name");
    const body = readJsonBody(request, { schema: noBody, optional: true });
    if (!body.ok) return refuse(reply, body.refusal);
    const outcome = await archiveFlow(use, { flow, caller: callerOf(request) });
    if (outcome.kind === "not_found") return notFound(request, reply, "name");
    if (outcome.kind === "archived")
      return sendJson(reply, 200, JSON.stringify({ flow, archivedAt: outcome.archivedAt }));
    const { runs } = outcome;
    const message = `The flow has ${runs.length === 100 ? "100 or more" : runs.length} runs that have not ended.`;
    return refuse(reply, { code: "flow_in_use", message, details: { flow, runs } });
  });
}

/** The run a call without a body names, or the answer that it names none. */
function readTarget(
  request: FastifyRequest,
  reply: FastifyReply,
): { readonly runId: string } | { readonly sent: FastifyReply } {
  const runId = pathParameter(request, "id");
  if (runId === null) return { sent: notFound(request, reply, "id") };
  const body = readJsonBody(request, { schema: noBody, optional: true });
  return body.ok ? { runId } : { sent: refuse(reply, body.refusal) };
}

async function answerRerun(
  deps: ApiDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  result: RerunResult,
): Promise<FastifyReply> {
  switch (result.kind) {
    case "created":
      reply.header("location", `/v1/runs/${result.runId}`);
      return answerWithRun(deps, request, reply, { status: 201, runId: result.runId });
    case "existing":
      return answerWithRun(deps, request, reply, { status: 200, runId: result.runId });
    case "conflict":
      return refuse(reply, await keyConflict(deps, result.runId));
    case "invalid":
      return refuse(reply, refusalOf(result.failures));
    case "run_not_found":
      return notFound(request, reply, "id");
    case "version_not_found": {
      const message = `There is no version ${result.version} of a flow "${result.flow}" that runs can start with.`;
      return refuse(reply, { code: "not_found", message });
    }
  }
}
