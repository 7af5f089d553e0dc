import { sql } from "drizzle-orm";
import { check, index, pgTable, text, timestamp, unique, uniqueIndex, uuid } from "drizzle-orm/pg-core";

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

/** Sessions of the console (S-19): only hashes of their tokens. A session is worth what its key is worth, and ends with it. */
export const session = pgTable(
  "session",
  {
    /** SHA-256 of the token, 64 hex digits. */
    hash: text().primaryKey(),
    keyId: uuid("key_id")
      .notNull()
      .references(() => apiKey.id, { onDelete: "cascade" }),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
    expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
  },
  (table) => [index("session_by_end").on(table.expiresAt)],
);
