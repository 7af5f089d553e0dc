import { sql } from "drizzle-orm";
import { index, integer, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";
import { run } from "./run.ts";

const time = (name: string) => timestamp(name, { withTimezone: true });

/**
 * A resume kept for later, at most one per run: until the run parks, or until a time. The payload is in its audit row. It is
 * given to the run by `give_kept_resume`, called by a trigger when the run parks and by the sweep when its time has come; a
 * trigger takes it away when the run ends.
 */
export const keptResume = pgTable(
  "kept_resume",
  {
    runId: uuid("run_id")
      .primaryKey()
      .references(() => run.id, { onDelete: "cascade" }),
    /** Its audit row, which the run then names as `resume_id`. */
    resumeId: uuid("resume_id").notNull(),
    /** Not before this time; null is as soon as the run waits. */
    until: time("until"),
    /** Only for the wait before this iteration. */
    nextIteration: integer("next_iteration"),
    /** Whole new inputs, and a new version: null keeps the run's. */
    inputs: text(),
    flowVersionId: uuid("flow_version_id"),
    version: integer(),
    actor: text().notNull(),
    keptAt: time("kept_at").notNull().defaultNow(),
  },
  (table) => [
    index("kept_resume_due")
      .on(table.until)
      .where(sql`${table.until} is not null`),
  ],
);
