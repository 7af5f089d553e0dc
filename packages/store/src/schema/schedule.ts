import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";

const time = (name: string) => timestamp(name, { withTimezone: true });

/** Starts runs by the clock. Its next tick is stored, so that whoever is alive when it is due deals with it under a lease. */
export const schedule = pgTable(
  "schedule",
  {
    id: uuid().primaryKey(),
    flow: text().notNull(),
    /** Null starts the version that is the newest at the tick. */
    version: integer(),
    /** JSON text of an object: node id → exact value. */
    inputs: text().notNull(),
    tags: text().array().notNull(),
    priority: integer(),
    concurrencyKey: text("concurrency_key"),
    cron: text().notNull(),
    timeZone: text("time_zone").notNull(),
    overlap: text().notNull(),
    catchUp: text("catch_up").notNull(),
    jitterMs: integer("jitter_ms").notNull(),
    paused: boolean().notNull(),
    /** The tick that comes next, and when it is dealt with; null when paused, or when none will ever come. */
    nextAt: time("next_at"),
    dueAt: time("due_at"),
    leaseOwner: text("lease_owner"),
    leaseUntil: time("lease_until"),
    /** What became of the latest tick, and the latest run that a tick started. */
    lastTick: time("last_tick"),
    lastOutcome: text("last_outcome"),
    lastMessage: text("last_message"),
    lastRunId: uuid("last_run_id"),
    actor: text().notNull(),
    createdAt: time("created_at").notNull().defaultNow(),
    updatedAt: time("updated_at").notNull().defaultNow(),
  },
  (table) => [
    index("schedule_due")
      .on(table.dueAt)
      .where(sql`${table.dueAt} is not null`),
    index("schedule_by_time").on(table.createdAt, table.id),
    check("schedule_overlap", sql`${table.overlap} in ('skip', 'queue', 'allow')`),
    check("schedule_catch_up", sql`${table.catchUp} in ('none', 'one', 'all')`),
    check("schedule_last_outcome", sql`${table.lastOutcome} in ('started', 'skipped', 'failed')`),
  ],
);
