import { BODY, NO_BODY } from "./operation.ts";
import type { Operation } from "./operation.ts";
import { noBody } from "./values.ts";
import {
  newWebhook,
  webhookBody,
  webhookDeliveryPage,
  webhookDeliveryQuery,
  webhookList,
} from "./webhooks.ts";

/** Calls about who is told when runs park or end. */
export const webhookOperations = {
  createWebhook: {
    method: "POST",
    path: "/v1/webhooks",
    group: "Service",
    summary: "Tell an address when runs park or end",
    scope: "admin",
    body: { schema: webhookBody, optional: false },
    answers: { 201: ["Registered; the secret is shown this once", newWebhook] },
    problems: BODY,
  },
  listWebhooks: {
    method: "GET",
    path: "/v1/webhooks",
    group: "Service",
    summary: "List webhooks, newest first",
    scope: "admin",
    answers: { 200: ["All of them", webhookList] },
    problems: [],
  },
  deleteWebhook: {
    method: "DELETE",
    path: "/v1/webhooks/{webhook}",
    group: "Service",
    summary: "Remove a webhook with its deliveries",
    scope: "admin",
    parameters: ["webhook"],
    body: { schema: noBody, optional: true },
    answers: { 204: ["Removed", null] },
    problems: [...NO_BODY, "not_found"],
  },
  listWebhookDeliveries: {
    method: "GET",
    path: "/v1/webhooks/{webhook}/deliveries",
    group: "Service",
    summary: "What was sent to a webhook, newest first",
    scope: "admin",
    parameters: ["webhook"],
    query: webhookDeliveryQuery,
    answers: { 200: ["A page", webhookDeliveryPage] },
    problems: ["not_found", "request_invalid"],
  },
  redeliverWebhook: {
    method: "POST",
    path: "/v1/webhooks/{webhook}/deliveries/{delivery}/redeliver",
    group: "Service",
    summary: "Send a delivery anew under its id, with all its tries",
    scope: "admin",
    parameters: ["webhook", "delivery"],
    body: { schema: noBody, optional: true },
    answers: { 204: ["It is due now", null] },
    problems: [...NO_BODY, "not_found"],
  },
} as const satisfies Record<string, Operation>;
