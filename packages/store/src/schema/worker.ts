import { boolean, integer, pgTable, text, timestamp } from "drizzle-orm/pg-core";

/** Workers that gave a sign of life in the last hour; who holds a run is told by its lease alone (S-8). */
export const worker = pgTable("worker", {
  /** What leases name as their holder. */
  id: text().primaryKey(),
  version: text().notNull(),
  queue: text().notNull(),
  concurrency: integer().notNull(),
  draining: boolean().notNull().default(false),
  startedAt: timestamp("started_at", { withTimezone: true }).notNull().defaultNow(),
  beatAt: timestamp("beat_at", { withTimezone: true }).notNull().defaultNow(),
});
