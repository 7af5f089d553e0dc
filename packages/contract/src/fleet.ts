import { z } from "zod";
import { anyJson, pageOf, pageQuery, plainText, runId, time } from "./values.ts";

export const worker = z.object({
  id: z.string().describe("What leases name as their holder."),
  version: z.string(),
  queue: z.string(),
  concurrency: z.int().describe("Runs it executes at the same time, at most."),
  draining: z.boolean().describe("It takes no more jobs and ends when those in hand are done."),
  startedAt: time,
  lastSeenAt: time,
  alive: z.boolean().describe("Heard of within the last 30 s."),
  holding: z.int().describe("Runs it holds now."),
});

export const workerList = z.object({ items: z.array(worker) });

export const storeSize = z.object({
  databaseBytes: z.int(),
  tables: z
    .array(z.object({ table: z.string(), bytes: z.int(), rows: z.int(), deadRows: z.int() }))
    .describe("Largest first, indexes and long texts included; rows as Postgres estimates them."),
});

export const auditEntry = z.object({
  id: z.uuid(),
  at: time,
  action: z.string(),
  runId: z.string().nullable(),
  actor: z.string().describe("Name of the API key, or what stood in for one."),
  remote: z.string().describe("Address the call came from; empty for the command line on the database."),
  details: anyJson.describe("What else is known; null when nothing is."),
});

export const auditPage = pageOf(auditEntry);

export const auditQuery = z.strictObject({
  ...pageQuery,
  run: runId.optional().describe("Only about this run."),
  action: plainText.min(1).max(64).optional(),
  actor: plainText.min(1).max(200).optional(),
});

export type WorkerAnswer = z.infer<typeof worker>;
export type StoreSizeAnswer = z.infer<typeof storeSize>;
export type AuditEntryAnswer = z.infer<typeof auditEntry>;
export type AuditQuery = z.infer<typeof auditQuery>;
