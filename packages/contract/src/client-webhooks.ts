import { send, texts, valueOf } from "./client-call.ts";
import type { CallOptions, ClientOptions } from "./client-call.ts";
import { operations } from "./operations.ts";
import { newWebhook, webhookDeliveryPage, webhookList } from "./webhooks.ts";
import type { WebhookBody } from "./webhooks.ts";

type Page = { readonly limit?: number | undefined; readonly cursor?: string | undefined };

/** Calls about who is told when runs park or end. */
export function webhookCalls(options: ClientOptions) {
  return {
    /** The only answer that has the secret. */
    createWebhook: async (given: WebhookBody, call: CallOptions = {}) =>
      valueOf(
        newWebhook,
        await send(options, { ...call, operation: operations.createWebhook, body: texts(given) }),
      ),
    listWebhooks: async (call: CallOptions = {}) =>
      valueOf(webhookList, await send(options, { ...call, operation: operations.listWebhooks })),
    deleteWebhook: async (id: string, call: CallOptions = {}) => {
      await send(options, { ...call, operation: operations.deleteWebhook, path: { webhook: id } });
    },
    listWebhookDeliveries: async (id: string, query: Page = {}, call: CallOptions = {}) => {
      const asked = { operation: operations.listWebhookDeliveries, path: { webhook: id }, query };
      return valueOf(webhookDeliveryPage, await send(options, { ...call, ...asked }));
    },
    redeliverWebhook: async (id: string, delivery: string, call: CallOptions = {}) => {
      const path = { webhook: id, delivery };
      await send(options, { ...call, operation: operations.redeliverWebhook, path });
    },
  };
}
