import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgTable,
  text,
  timestamp,
  unique,
  uuid,
} from "drizzle-orm/pg-core";

const time = (name: string) => timestamp(name, { withTimezone: true });
const count = (name: string) => bigint(name, { mode: "number" });

/**
 * One run: the truth about it and its own outbox (S-5). Everything an iteration changes here stands in no index and in
 * no index's predicate, so that its updates stay heap-only (reliability C16): lease, times, token, attempt, position.
 */
export const run = pgTable(
  "run",
  {
    id: uuid().primaryKey(),
    flow: text().notNull(),
    version: integer().notNull(),
    flowVersionId: uuid("flow_version_id").notNull(),
    /** 3-service 3.3; terminal ones absorb by a trigger (L-33). */
    status: text().notNull().default("queued"),
    /** Fencing token: raised by every claim and by everything that takes a claim away (S-6). */
    token: count("token").notNull().default(1),
    /** Key of the loop of the parent graph the run stands in. */
    loop: text(),
    nextIteration: integer("next_iteration").notNull().default(1),
    /** Attempts begun at the current unit of work; 0 when none was since the last commit. */
    attempt: integer().notNull().default(0),
    /** Set at start, resume, reset and by lost attempts; cleared by a commit. */
    fresh: boolean().notNull().default(true),
    /** An attempt at the current iteration died and may have had effects (L-52). */
    inDoubt: boolean("in_doubt").notNull().default(false),
    leaseOwner: text("lease_owner"),
    leaseUntil: time("lease_until"),
    claimedAt: time("claimed_at"),
    /** Last sign of life of the claim: the claim itself or a heartbeat. */
    beatAt: time("beat_at"),
    /** Active time of the current attempt as of its last heartbeat, and of earlier attempts without a commit (L-35). */
    attemptMs: count("attempt_ms").notNull().default(0),
    priorMs: count("prior_ms").notNull().default(0),
    /** The sweep leaves the run alone until then. */
    dispatchAfter: time("dispatch_after").notNull(),
    dueAt: time("due_at"),
    /** Since when the run is parked or ended, and so unchanged; null while it is live. */
    settledAt: time("settled_at"),
    /** Exact JSON object text: node id → value. */
    inputs: text().notNull(),
    tags: text().array().notNull(),
    priority: integer(),
    /** Runs of a flow with the same key share its limit per key. */
    concurrencyKey: text("concurrency_key"),
    /** The flow has a limit, so the ordinary claim passes the run by. */
    limited: boolean().notNull().default(false),
    idempotencyKey: text("idempotency_key"),
    requestDigest: text("request_digest").notNull(),
    failureCode: text("failure_code"),
    /** JSON text of a Failure. */
    failure: text(),
    /** Number of the newest event; events are numbered from 1 without gaps (L-50). */
    eventSeq: count("event_seq").notNull().default(0),
    /** Tokens that models spent on its steps, repeated ones included (F-27). */
    inputTokens: count("input_tokens").notNull().default(0),
    outputTokens: count("output_tokens").notNull().default(0),
    /** Audit row of the resume whose payload the current iteration sees (L-40). */
    resumeId: uuid("resume_id"),
    /** Path of the loop that an operator's reset starts over; cleared when the worker has done so (L-42). */
    reset: text(),
    /** The run that this one repeats. */
    rerunOf: uuid("rerun_of"),
    /** The loop and the iteration of another run from whose state this one goes on. */
    forkedFrom: uuid("forked_from"),
    forkedLoop: text("forked_loop"),
    forkedIteration: integer("forked_iteration"),
    /** Which write was the last: proves a write whose answer was lost (reliability C3). */
    lastWrite: uuid("last_write"),
    createdAt: time("created_at").notNull().defaultNow(),
    startedAt: time("started_at"),
    updatedAt: time("updated_at").notNull().defaultNow(),
    finishedAt: time("finished_at"),
  },
  (table) => [
    unique("run_idempotency_key").on(table.idempotencyKey),
    index("run_live")
      .on(table.id)
      .where(sql`${table.status} in ('queued', 'running')`),
    index("run_by_time").on(table.createdAt, table.id),
    index("run_by_flow").on(table.flow, table.createdAt, table.id),
    index("run_by_flow_status").on(table.flow, table.status, table.createdAt, table.id),
    index("run_by_settling")
      .on(table.settledAt)
      .where(sql`${table.settledAt} is not null`),
    // What retention removes, oldest first (S-26).
    index("run_by_end")
      .on(table.finishedAt)
      .where(sql`${table.finishedAt} is not null`),
    index("run_by_status").on(table.status, table.createdAt, table.id),
    index("run_by_failure")
      .on(table.failureCode, table.createdAt, table.id)
      .where(sql`${table.failureCode} is not null`),
    index("run_by_tag")
      .using("gin", table.tags)
      .where(sql`${table.tags} <> '{}'`),
    check(
      "run_status",
      sql`${table.status} in ('queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled')`,
    ),
    check("run_failure", sql`(${table.failureCode} is null) = (${table.failure} is null)`),
  ],
);

/** How many runs have each status, as of the last folding of `run_count_change`. */
export const runCount = pgTable("run_count", {
  status: text().primaryKey(),
  runs: count("runs").notNull(),
});

/** One row per run that entered or left a status, written by a trigger: nobody waits for a counter's row. */
export const runCountChange = pgTable("run_count_change", {
  status: text().notNull(),
  change: integer().notNull(),
});
