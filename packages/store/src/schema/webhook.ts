import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";

const time = (name: string) => timestamp(name, { withTimezone: true });

/** An address that is told when runs park or end. */
export const webhook = pgTable("webhook", {
  id: uuid().primaryKey(),
  url: text().notNull(),
  /** Of waiting, succeeded, failed, cancelled. */
  events: text().array().notNull(),
  /** Only runs of this flow; null is all. */
  flow: text(),
  /** Signs what is sent, so it is kept as it is. */
  secret: text().notNull(),
  actor: text().notNull(),
  createdAt: time("created_at").notNull().defaultNow(),
});

/** One message to one address, made by a trigger in the transaction of the change it tells of. */
export const webhookDelivery = pgTable(
  "webhook_delivery",
  {
    id: uuid().primaryKey().defaultRandom(),
    webhookId: uuid("webhook_id")
      .notNull()
      .references(() => webhook.id, { onDelete: "cascade" }),
    runId: uuid("run_id").notNull(),
    event: text().notNull(),
    /** JSON text, sent byte for byte at every try. */
    body: text().notNull(),
    /** `pending` until it was taken (`delivered`) or tried too often (`given_up`). */
    status: text().notNull().default("pending"),
    attempts: integer().notNull().default(0),
    nextAt: time("next_at").notNull().defaultNow(),
    leaseOwner: text("lease_owner"),
    lastError: text("last_error"),
    createdAt: time("created_at").notNull().defaultNow(),
    finishedAt: time("finished_at"),
  },
  (table) => [
    index("webhook_delivery_due")
      .on(table.nextAt)
      .where(sql`${table.status} = 'pending'`),
    index("webhook_delivery_finished")
      .on(table.finishedAt)
      .where(sql`${table.finishedAt} is not null`),
    index("webhook_delivery_by_time").on(table.webhookId, table.createdAt, table.id),
    check("webhook_delivery_status", sql`${table.status} in ('pending', 'delivered', 'given_up')`),
  ],
);
