import {
  bigint,
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uuid,
} from "drizzle-orm/pg-core";
import { bytea } from "./bytea.ts";

const count = (name: string) => bigint(name, { mode: "number" });
/** Order of insertion, and so of execution within a run. */
const position = () => count("position").notNull().generatedByDefaultAsIdentity();

/** One row per loop, replaced by every commit (L-37). The state is exact text, never jsonb (L-46); lists never read it (S-13). */
export const checkpoint = pgTable(
  "checkpoint",
  {
    runId: uuid("run_id").notNull(),
    /** `loopKey` of the loop. */
    path: text().notNull(),
    label: text().notNull(),
    schema: integer().notNull(),
    epoch: integer().notNull(),
    status: text().notNull(),
    stateDigest: text("state_digest").notNull(),
    fingerprint: text().notNull(),
    nextIteration: integer("next_iteration").notNull(),
    elapsedMs: count("elapsed_ms").notNull(),
    maxIterations: integer("max_iterations").notNull(),
    timeoutMs: count("timeout_ms").notNull(),
    decision: text(),
    summary: text().notNull(),
    /** Counts of O-6; places in the sequences of pauses and of retries (O-1, O-3). */
    succeeded: integer().notNull().default(0),
    failed: integer().notNull().default(0),
    paced: integer().notNull().default(0),
    tries: integer().notNull().default(0),
    /** What the loop's form keeps beside the state: exact JSON text. */
    last: text(),
    /** Iterations that another run did before this one was forked from it: their rows have its keys. */
    inherited: integer().notNull().default(0),
    /** What guards look back at: JSON text of a `GuardMemory`; null where the loop has none. */
    guarded: text(),
    position: position(),
    /** Tokens that models spent on its iterations, of every epoch and attempt (F-27). */
    inputTokens: count("input_tokens").notNull().default(0),
    outputTokens: count("output_tokens").notNull().default(0),
    state: text().notNull(),
  },
  (table) => [primaryKey({ name: "checkpoint_pkey", columns: [table.runId, table.path] })],
);

/** One row per completed iteration, appended only (L-34). */
export const iteration = pgTable(
  "iteration",
  {
    runId: uuid("run_id").notNull(),
    path: text().notNull(),
    epoch: integer().notNull(),
    iteration: integer().notNull(),
    /** The claim that committed it: how a lost answer is resolved (reliability C3). */
    token: count("token").notNull(),
    attempts: integer().notNull(),
    decision: text().notNull(),
    summary: text().notNull(),
    elapsedMs: count("elapsed_ms").notNull(),
    idempotencyKey: text("idempotency_key").notNull(),
    /** JSON text of a Failure. */
    error: text(),
    /** What is kept of the state after it (engine's `makeStep`), compressed already; null keeps nothing. */
    stateStep: bytea("state_step"),
    committedAt: timestamp("committed_at", { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    primaryKey({
      name: "iteration_pkey",
      columns: [table.runId, table.path, table.epoch, table.iteration],
    }),
    // Rows come in the order of time: this costs next to nothing and finds the last hour.
    index("iteration_by_time").using("brin", table.committedAt),
  ],
);

/** Journal of finished steps (S-11); those of an iteration go with its commit, shown results stay. */
export const step = pgTable(
  "step",
  {
    runId: uuid("run_id").notNull(),
    loop: text().notNull(),
    epoch: integer().notNull(),
    iteration: integer().notNull(),
    frame: text().notNull(),
    node: text().notNull(),
    fingerprint: text().notNull(),
    shown: boolean().notNull(),
    position: position(),
    at: timestamp({ withTimezone: true }).notNull().defaultNow(),
    /** JSON text of [slot, text] pairs: an object would reorder or lose some keys (L-46). */
    outputs: text().notNull(),
    /** Null when no model was asked. */
    inputTokens: count("input_tokens"),
    outputTokens: count("output_tokens"),
  },
  (table) => [
    primaryKey({
      name: "step_pkey",
      columns: [table.runId, table.loop, table.epoch, table.iteration, table.frame, table.node],
    }),
  ],
);
