import { DEFAULT_PAGE_LIMIT, listFlowsQuery, operations } from "@agentflow/contract";
import { bundleLimits, layoutTag, lintFlow, registerFlow } from "@agentflow/engine";
import type { BundleLimits, FlowVersionView, RegisterFlowResult, RequestDeps } from "@agentflow/engine";
import type { FastifyInstance, FastifyReply } from "fastify";
import { flowFields, flowVersionText } from "../answers/flow.ts";
import type { ApiDeps } from "../deps.ts";
import { refuse } from "../problem.ts";
import { bundleRefusal, readFlowBody } from "../reading/flow-body.ts";
import { notFound, pathParameter } from "../reading/path.ts";
import { INVALID_CURSOR, readQuery } from "../reading/query.ts";
import { addRoute, sendJson } from "./route.ts";

/** Files are a third more as base64 and twice as much as escaped text, with source and IR beside them (S-15). */
const BODY_PER_BUNDLE_BYTE = 2.5;

/** Registering, linting and showing flows. */
export function flowRoutes(app: FastifyInstance, { use, reads }: ApiDeps): void {
  const limits = use.bundleLimits ?? bundleLimits;
  const bodyBytes = Math.ceil(limits.maxBytes * BODY_PER_BUNDLE_BYTE);

  addRoute(
    app,
    operations.registerFlow,
    async (request, reply) => {
      const body = readFlowBody(request, limits.maxBytes);
      if (!body.ok) return refuse(reply, body.refusal);
      return registered(reply, await registerFlow(use, body.value), limits);
    },
    bodyBytes,
  );

  addRoute(
    app,
    operations.lintFlow,
    async (request, reply) => {
      const body = readFlowBody(request, limits.maxBytes);
      if (!body.ok) return refuse(reply, body.refusal);
      const linted = lintFlow(use, body.value);
      if (linted.kind === "bundle_refused") return refuse(reply, bundleRefusal(linted.problem, limits));
      const { errors, warnings } = linted;
      return sendJson(reply, 200, JSON.stringify({ errors, warnings }));
    },
    bodyBytes,
  );

  addRoute(app, operations.listFlows, async (request, reply) => {
    const query = readQuery(request, listFlowsQuery);
    if (!query.ok) return refuse(reply, query.refusal);
    const { limit = DEFAULT_PAGE_LIMIT, cursor } = query.value;
    const page = await reads.flows({ limit, ...(cursor !== undefined && { cursor }) });
    if (page === "invalid_cursor") return refuse(reply, INVALID_CURSOR);
    return sendJson(reply, 200, JSON.stringify(page));
  });

  addRoute(app, operations.getFlow, async (request, reply) => {
    const name = pathParameter(request, "name");
    const found = name === null ? null : await reads.flow(name);
    if (found === null) return notFound(request, reply, "name");
    return sendVersion(reply, use, found, flowFields(found));
  });

  addRoute(app, operations.getFlowVersion, async (request, reply) => {
    const name = pathParameter(request, "name");
    if (name === null) return notFound(request, reply, "name");
    const n = pathParameter(request, "n");
    const found = n === null ? null : await reads.flowVersionView(name, Number(n));
    if (found === null) return notFound(request, reply, "n");
    return sendVersion(reply, use, found);
  });
}

function sendVersion(
  reply: FastifyReply,
  use: RequestDeps,
  version: FlowVersionView,
  more: Readonly<Record<string, string>> = {},
): FastifyReply {
  const tag = layoutTag(use, version);
  return sendJson(reply.header("etag", `"${tag}"`), 200, flowVersionText(version, use.registry, tag, more));
}

function registered(reply: FastifyReply, result: RegisterFlowResult, limits: BundleLimits): FastifyReply {
  switch (result.kind) {
    case "created":
    case "unchanged": {
      const { kind, flow, version, digest, warnings } = result;
      if (kind === "created") reply.header("location", `/v1/flows/${flow}/versions/${version}`);
      return sendJson(
        reply,
        kind === "created" ? 201 : 200,
        JSON.stringify({ flow, version, digest, warnings }),
      );
    }
    case "invalid": {
      const { findings } = result;
      const errors = findings.filter(({ severity }) => severity === "error").length;
      const message = `The flow has ${errors} lint error${errors === 1 ? "" : "s"}; nothing was stored.`;
      return refuse(reply, { code: "flow_invalid", message, details: { findings } });
    }
    case "base_outdated":
      return refuse(reply, {
        code: "precondition_failed",
        message: `The newest version is ${result.newest}, not the given baseVersion.`,
        details: { newest: result.newest },
      });
    case "bundle_refused":
      return refuse(reply, bundleRefusal(result.problem, limits));
  }
}
