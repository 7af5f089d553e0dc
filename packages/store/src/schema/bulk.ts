import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
  uuid,
} from "drizzle-orm/pg-core";

const time = (name: string) => timestamp(name, { withTimezone: true });

/** One action on many runs, which are fixed when it is accepted. A process works at it under a lease, at its pace. */
export const bulk = pgTable(
  "bulk",
  {
    id: uuid().primaryKey(),
    action: text().notNull(),
    /** `running` until every run was dealt with (`done`) or somebody stopped it (`aborted`). */
    status: text().notNull().default("running"),
    /** JSON texts: the filter, or null when ids were named; payload and inputs of the action. */
    filter: text(),
    payload: text(),
    inputs: text(),
    version: integer(),
    buffer: boolean().notNull(),
    perSecond: integer("per_second").notNull(),
    total: integer().notNull(),
    /** When its next runs may be dealt with. */
    nextAt: time("next_at").notNull().defaultNow(),
    leaseOwner: text("lease_owner"),
    leaseUntil: time("lease_until"),
    actor: text().notNull(),
    remote: text().notNull(),
    idempotencyKey: text("idempotency_key"),
    requestDigest: text("request_digest").notNull(),
    createdAt: time("created_at").notNull().defaultNow(),
    finishedAt: time("finished_at"),
  },
  (table) => [
    unique("bulk_idempotency_key").on(table.idempotencyKey),
    index("bulk_running")
      .on(table.nextAt)
      .where(sql`${table.status} = 'running'`),
    index("bulk_by_time").on(table.createdAt, table.id),
    check("bulk_action", sql`${table.action} in ('resume', 'cancel', 'rerun')`),
    check("bulk_status", sql`${table.status} in ('running', 'done', 'aborted')`),
  ],
);

/** The runs of a bulk action in their order, and what became of each; without an outcome it is still to come. */
export const bulkItem = pgTable(
  "bulk_item",
  {
    bulkId: uuid("bulk_id")
      .notNull()
      .references(() => bulk.id, { onDelete: "cascade" }),
    place: integer().notNull(),
    runId: uuid("run_id").notNull(),
    outcome: text(),
    message: text(),
    /** The run that a rerun started. */
    startedId: uuid("started_id"),
  },
  (table) => [
    primaryKey({ name: "bulk_item_pkey", columns: [table.bulkId, table.place] }),
    index("bulk_item_open")
      .on(table.bulkId, table.place)
      .where(sql`${table.outcome} is null`),
  ],
);
