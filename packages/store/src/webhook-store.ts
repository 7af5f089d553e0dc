import type { WebhookStore } from "@agentflow/engine";
import { openDrizzle } from "./connection/drizzle.ts";
import { translating } from "./connection/failures.ts";
import type { Pools } from "./connection/pools.ts";
import { isId } from "./reads/given.ts";
import { readDeliveries, readWebhooks } from "./reads/webhooks.ts";
import {
  createWebhook,
  noteDelivery,
  redeliver,
  removeWebhook,
  takeDeliveries,
} from "./transitions/webhooks.ts";

/** Webhooks on real Postgres; on connections that no run waits for. */
export function createWebhookStore({ requests: pool }: Pools): WebhookStore {
  const db = openDrizzle(pool);
  return {
    create: (webhook, caller) => translating(() => createWebhook(pool, webhook, caller)),
    list: () => translating(() => readWebhooks(db)),
    remove: async (id, caller) => (isId(id) ? translating(() => removeWebhook(pool, id, caller)) : false),
    deliveries: (id, page) => translating(() => readDeliveries(db, id, page)),
    redeliver: async (id, delivery, caller) =>
      isId(id) && isId(delivery) ? translating(() => redeliver(pool, id, delivery, caller)) : false,
    take: (...given) => translating(() => takeDeliveries(pool, ...given)),
    note: (delivery, note) => translating(() => noteDelivery(pool, delivery, note)),
  };
}
