import { sql } from "drizzle-orm";
import {
  bigint,
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
const count = (name: string) => bigint(name, { mode: "number" });

/** Attempts that died with their worker, noted by the claim that found them (L-52). */
export const attempt = pgTable(
  "attempt",
  {
    runId: uuid("run_id").notNull(),
    token: count("token").notNull(),
    loop: text(),
    iteration: integer().notNull(),
    attempt: integer().notNull(),
    worker: text().notNull(),
    activeMs: count("active_ms").notNull(),
    startedAt: time("started_at").notNull(),
    lastHeartbeatAt: time("last_heartbeat_at").notNull(),
    notedAt: time("noted_at").notNull().defaultNow(),
  },
  (table) => [primaryKey({ name: "attempt_pkey", columns: [table.runId, table.token] })],
);

/** One row per write: a JSON array text of events numbered `seq`, `seq` + 1, … (L-50). */
export const event = pgTable(
  "event",
  {
    runId: uuid("run_id").notNull(),
    seq: count("seq").notNull(),
    at: time("at").notNull().defaultNow(),
    events: text().notNull(),
  },
  (table) => [primaryKey({ name: "event_pkey", columns: [table.runId, table.seq] })],
);

/** What commands wrote to stderr (3.4 logs): one row per command that wrote anything, sanitised (L-47), at most 256 KiB. */
export const log = pgTable(
  "log",
  {
    runId: uuid("run_id").notNull(),
    seq: count("seq").notNull().generatedByDefaultAsIdentity(),
    at: time("at").notNull().defaultNow(),
    /** Scope of the step: blank, 0 and 0 in the parent graph. */
    loop: text().notNull(),
    epoch: integer().notNull(),
    iteration: integer().notNull(),
    frame: text().notNull(),
    node: text().notNull(),
    attempt: integer().notNull(),
    text: text().notNull(),
  },
  (table) => [primaryKey({ name: "log_pkey", columns: [table.runId, table.seq] })],
);

/** Who did what to a run, a flow or a key, when and from where (S-22); holds resume payloads as exact JSON text (L-40). */
export const audit = pgTable(
  "audit",
  {
    id: uuid()
      .primaryKey()
      .default(sql`gen_random_uuid()`),
    at: time("at").notNull().defaultNow(),
    action: text().notNull(),
    runId: uuid("run_id"),
    actor: text().notNull(),
    remote: text().notNull(),
    idempotencyKey: text("idempotency_key"),
    requestDigest: text("request_digest"),
    payload: text(),
    /** JSON object text. */
    details: text(),
  },
  (table) => [
    unique("audit_once").on(table.runId, table.action, table.idempotencyKey),
    index("audit_by_time").on(table.at, table.id),
  ],
);
