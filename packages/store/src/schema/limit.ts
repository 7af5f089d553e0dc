import { sql } from "drizzle-orm";
import { bigint, check, index, integer, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";
import { flow } from "./flow.ts";
import { run } from "./run.ts";

const time = (name: string) => timestamp(name, { withTimezone: true });

/** How many runs of a flow may be executed at one time, in all and per `concurrency_key`; without a row there is no limit. */
export const flowLimit = pgTable(
  "flow_limit",
  {
    flow: text()
      .primaryKey()
      .references(() => flow.name, { onDelete: "cascade" }),
    maxRunning: integer("max_running"),
    maxRunningPerKey: integer("max_running_per_key"),
    updatedAt: time("updated_at").notNull().defaultNow(),
  },
  (table) => [check("flow_limit_from_1", sql`${table.maxRunning} >= 1 and ${table.maxRunningPerKey} >= 1`)],
);

/**
 * Runs of limited flows that took a place, and the claim by which. It is no counter: whether the place is still taken is read from
 * the run's own row (its status, lease and dispatch time), so whatever ends its work frees the place, and rows left behind mean nothing.
 */
export const limitHold = pgTable(
  "limit_hold",
  {
    runId: uuid("run_id")
      .primaryKey()
      .references(() => run.id, { onDelete: "cascade" }),
    flow: text().notNull(),
    key: text(),
    token: bigint({ mode: "number" }).notNull(),
  },
  (table) => [index("limit_hold_by_flow").on(table.flow)],
);

/** Runs whose claim a limit refused; they wait in the order of `rank`. A claim takes the row away. */
export const limitWait = pgTable(
  "limit_wait",
  {
    runId: uuid("run_id")
      .primaryKey()
      .references(() => run.id, { onDelete: "cascade" }),
    flow: text().notNull(),
    key: text(),
    /** The limit that refused it: `flow` or `key`. */
    level: text().notNull(),
    since: time("since").notNull().defaultNow(),
    /** `since`, and a second later for each step of the run's priority. */
    rank: time("rank").notNull(),
  },
  (table) => [
    index("limit_wait_by_flow").on(table.flow, table.level, table.rank),
    check("limit_wait_level", sql`${table.level} in ('flow', 'key')`),
  ],
);
