import { check, customType, integer, pgTable, text, timestamp, unique, uuid } from "drizzle-orm/pg-core";
import { sql } from "drizzle-orm";

const bytea = customType<{ data: Buffer }>({ dataType: () => "bytea" });

/** A flow's name; its row is the lock under which versions are numbered. */
export const flow = pgTable("flow", {
  name: text().primaryKey(),
  createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
  archivedAt: timestamp("archived_at", { withTimezone: true }),
});

/** Files of flow versions, by content; versions with equal files share one row. */
export const bundle = pgTable("bundle", {
  digest: text().primaryKey(),
  archive: bytea().notNull(),
  bytes: integer().notNull(),
  files: integer().notNull(),
  createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
});

/** Immutable numbered versions; only the layout may change. IR, layout and warnings are JSON texts kept as written. */
export const flowVersion = pgTable(
  "flow_version",
  {
    id: uuid().primaryKey(),
    flow: text()
      .notNull()
      .references(() => flow.name),
    version: integer().notNull(),
    digest: text().notNull(),
    source: text(),
    ir: text().notNull(),
    layout: text(),
    bundleDigest: text("bundle_digest")
      .notNull()
      .references(() => bundle.digest),
    warnings: text().notNull(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    unique("flow_version_number").on(table.flow, table.version),
    check("flow_version_from_1", sql`${table.version} >= 1`),
  ],
);
