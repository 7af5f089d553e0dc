import { z } from "zod";
import { runStatus } from "./runs.ts";
import { anyJson, integerParameter, pageOf, pageQuery, time } from "./values.ts";

/** One thing that happened to a run (L-50); further fields depend on its type. */
export const runEvent = z.looseObject({
  seq: z.int().describe("Rises by 1 per run, from 1 and without gaps."),
  type: z.string(),
  at: time,
});

export const eventPage = pageOf(runEvent);

const seq = integerParameter(0, 9_007_199_254_740_991);

export const eventsQuery = z.strictObject({
  limit: pageQuery.limit,
  cursor: seq
    .optional()
    .describe("Only events above this number, such as the last one seen; Last-Event-ID comes first."),
});

export const logEntry = z.object({
  seq: z.int(),
  at: time,
  loop: z.string().nullable().describe("Path of the loop of the parent graph; null outside of every loop."),
  epoch: z.int(),
  iteration: z.int().nullable(),
  frame: anyJson.describe(
    "Where the node stands: the calls, conditions and bodies around it, outermost first.",
  ),
  node: z.string(),
  attempt: z.int(),
  text: z.string().describe("What the command wrote to stderr, at most 256 KiB."),
});

export const logPage = pageOf(logEntry);

export const logsQuery = z.strictObject({
  ...pageQuery,
  iteration: integerParameter(1, 9_007_199_254_740_991)
    .optional()
    .describe("Only of this iteration of the loop of the parent graph."),
});

export const explanation = z.object({
  status: runStatus,
  reason: z
    .string()
    .describe(
      "queued, stuck, executing, between_iterations, retrying, delayed, lost, parked, succeeded, failed or cancelled.",
    ),
  sentence: z.string().describe("One sentence for a person."),
  since: time,
  until: time.nullable().describe("When it goes on by itself, if that is known."),
});

export type RunEventAnswer = z.infer<typeof runEvent>;
export type EventPageAnswer = z.infer<typeof eventPage>;
export type LogEntryAnswer = z.infer<typeof logEntry>;
export type LogPageAnswer = z.infer<typeof logPage>;
export type ExplanationAnswer = z.infer<typeof explanation>;
