import {
  DEFAULT_PAGE_LIMIT,
  noBody,
  operations,
  webhookBody,
  webhookDeliveryQuery,
} from "@agentflow/contract";
import { createWebhook, webhookEvents } from "@agentflow/engine";
import type { FastifyInstance } from "fastify";
import type { ApiDeps } from "../deps.ts";
import { callerOf } from "../plugins/keys.ts";
import { refuse } from "../problem.ts";
import { readJsonBody } from "../reading/json-body.ts";
import { notFound, pathParameter } from "../reading/path.ts";
import { INVALID_CURSOR, readQuery } from "../reading/query.ts";
import { addRoute, sendJson } from "./route.ts";

const BODY_BYTES = 16_384;

/** Webhooks: kept here, sent by the workers. */
export function webhookRoutes(app: FastifyInstance, { webhooks, use }: ApiDeps): void {
  addRoute(
    app,
    operations.createWebhook,
    async (request, reply) => {
      const read = readJsonBody(request, { schema: webhookBody, optional: false });
      if (!read.ok) return refuse(reply, read.refusal);
      const { url, events = webhookEvents, flow = null } = read.value.value;
      const asked = { url, events: [...new Set(events)], flow };
      const made = await createWebhook({ webhooks, newId: use.newId }, asked, callerOf(request));
      return sendJson(reply, 201, JSON.stringify(made));
    },
    BODY_BYTES,
  );

  addRoute(app, operations.listWebhooks, async (_request, reply) =>
    sendJson(reply, 200, JSON.stringify({ items: await webhooks.list() })),
  );

  addRoute(app, operations.deleteWebhook, async (request, reply) => {
    const id = pathParameter(request, "webhook");
    if (id === null) return notFound(request, reply, "webhook");
    const body = readJsonBody(request, { schema: noBody, optional: true });
    if (!body.ok) return refuse(reply, body.refusal);
    const there = await webhooks.remove(id, callerOf(request));
    return there ? reply.code(204).send() : notFound(request, reply, "webhook");
  });

  addRoute(app, operations.listWebhookDeliveries, async (request, reply) => {
    const id = pathParameter(request, "webhook");
    if (id === null) return notFound(request, reply, "webhook");
    const query = readQuery(request, webhookDeliveryQuery);
    if (!query.ok) return refuse(reply, query.refusal);
    const { limit = DEFAULT_PAGE_LIMIT, cursor } = query.value;
    const page = await webhooks.deliveries(id, { limit, ...(cursor !== undefined && { cursor }) });
    if (page === "not_found") return notFound(request, reply, "webhook");
    if (page === "invalid_cursor") return refuse(reply, INVALID_CURSOR);
    return sendJson(reply, 200, JSON.stringify(page));
  });

  addRoute(app, operations.redeliverWebhook, async (request, reply) => {
    const id = pathParameter(request, "webhook");
    if (id === null) return notFound(request, reply, "webhook");
    const delivery = pathParameter(request, "delivery");
    if (delivery === null) return notFound(request, reply, "delivery");
    const body = readJsonBody(request, { schema: noBody, optional: true });
    if (!body.ok) return refuse(reply, body.refusal);
    const there = await webhooks.redeliver(id, delivery, callerOf(request));
    return there ? reply.code(204).send() : notFound(request, reply, "delivery");
  });
}
