import { pgTable, primaryKey, text, timestamp, uuid } from "drizzle-orm/pg-core";
import { bytea } from "./bytea.ts";
import { run } from "./run.ts";

/**
 * Resolved contexts, encrypted under the workers' key (L-49). A trigger takes them away when the run is resumed, to be resolved
 * again, and when it ends, however it ends.
 */
export const context = pgTable(
  "context",
  {
    runId: uuid("run_id")
      .notNull()
      .references(() => run.id, { onDelete: "cascade" }),
    referencesDigest: text("references_digest").notNull(),
    sealed: bytea().notNull(),
    keptAt: timestamp("kept_at", { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ name: "context_pkey", columns: [table.runId, table.referencesDigest] })],
);
