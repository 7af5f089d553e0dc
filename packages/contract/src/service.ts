import { z } from "zod";
import { runCounts } from "./runs.ts";

const reachable = z.enum(["up", "down"]);

export const stats = z.object({
  runs: runCounts,
  queue: z
    .object({ status: reachable, depth: z.int().nullable() })
    .describe("`depth`: jobs waiting, delayed and active; null while the queue is down."),
  workers: z.int().describe("Workers that gave a sign of life in the last 30 s."),
  iterationsPerMinute: z.int().describe("Iterations completed in the last minute."),
  stuck: z
    .int()
    .describe("Live runs that nothing has moved for 30 s although they are due; 0 in a sound service."),
});

export const health = z.object({ status: z.literal("ok") });

/** `unavailable` while Postgres cannot be written or the process stops; a queue that is down alone keeps `ready` (S-17). */
export const readiness = z.object({
  status: z.enum(["ready", "unavailable"]),
  database: reachable,
  queue: reachable,
});

export type Stats = z.infer<typeof stats>;
export type Readiness = z.infer<typeof readiness>;
