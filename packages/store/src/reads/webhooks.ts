import type { DeliveryStatus, DeliveryView, Page, WebhookEvent, WebhookView } from "@agentflow/engine";
import { and, desc, eq, sql } from "drizzle-orm";
import type { Database } from "../connection/drizzle.ts";
import { webhook, webhookDelivery as delivery } from "../schema/index.ts";
import { decodeCursor, pageOf } from "./cursor.ts";
import { isId, isoTime, isoTimeOrNull } from "./given.ts";

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;
const ID = /^[0-9a-f-]{36}$/;

/** Addresses, newest first, without their secrets. */
export async function readWebhooks(db: Database): Promise<WebhookView[]> {
  const { id, url, events, flow, actor } = webhook;
  const rows = await db
    .select({ id, url, events, flow, actor, createdAt: isoTime(webhook.createdAt) })
    .from(webhook)
    .orderBy(desc(webhook.createdAt), desc(id));
  return rows.map((row) => ({ ...row, events: row.events as WebhookEvent[] }));
}

/** Deliveries of an address, newest first. */
export async function readDeliveries(
  db: Database,
  id: string,
  page: { readonly limit: number; readonly cursor?: string },
): Promise<Page<DeliveryView> | "not_found" | "invalid_cursor"> {
  const after = page.cursor === undefined ? null : decodeCursor(page.cursor, TIME, ID);
  if (page.cursor !== undefined && after === null) return "invalid_cursor";
  if (!isId(id)) return "not_found";
  const known = await db.select({ id: webhook.id }).from(webhook).where(eq(webhook.id, id));
  if (known.length === 0) return "not_found";
  const { runId, event, status, attempts, lastError } = delivery;
  const rows = await db
    .select({
      ...{ id: delivery.id, runId, event, status, attempts, lastError },
      nextAt: isoTimeOrNull(delivery.nextAt),
      createdAt: isoTime(delivery.createdAt),
      finishedAt: isoTimeOrNull(delivery.finishedAt),
    })
    .from(delivery)
    .where(
      and(
        eq(delivery.webhookId, id),
        after === null
          ? undefined
          : sql`(${delivery.createdAt}, ${delivery.id}) < (${after[0]}::timestamptz, ${after[1]}::uuid)`,
      ),
    )
    .orderBy(desc(delivery.createdAt), desc(delivery.id))
    .limit(page.limit + 1);
  return pageOf(
    rows,
    page.limit,
    ({ createdAt, id: last }) => [createdAt, last],
    (row) => ({
      ...row,
      event: row.event as WebhookEvent,
      status: row.status as DeliveryStatus,
      nextAt: row.status === "pending" ? row.nextAt : null,
    }),
  );
}
