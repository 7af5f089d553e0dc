import { sql } from "drizzle-orm";
import { check, pgTable, text, timestamp, unique, uniqueIndex, uuid } from "drizzle-orm/pg-core";

/** API keys (S-19): only their hashes. A revoked one stays, so that it cannot come back and its name can be told. */
export const apiKey = pgTable(
  "api_key",
  {
    id: uuid().primaryKey(),
    name: text().notNull(),
    scope: text().notNull(),
    /** First characters of the key. */
    hint: text().notNull(),
    /** SHA-256 of the key, 64 hex digits: it has 256 random bits, so a slow hash would add nothing. */
    hash: text().notNull(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
    revokedAt: timestamp("revoked_at", { withTimezone: true }),
  },
  (table) => [
    unique("api_key_hash").on(table.hash),
    uniqueIndex("api_key_living_name")
      .on(table.name)
      .where(sql`${table.revokedAt} is null`),
    check("api_key_scope", sql`${table.scope} in ('read', 'run', 'admin')`),
  ],
);
