import { z } from "zod";
import { inputs, startRunBody } from "./runs.ts";
import { flowName, pageOf, pageQuery, plainText, runId, time, versionNumber } from "./values.ts";

const { flow, version, tags, priority, concurrencyKey } = startRunBody.shape;

const overlap = z
  .enum(["skip", "queue", "allow"])
  .describe(
    "A tick that comes while the run of an earlier one lives starts nothing, waits for that run's end, or starts beside it.",
  );
const catchUp = z
  .enum(["none", "one", "all"])
  .describe(
    "Of ticks that were missed by more than a minute, start none, the latest, or each in its order (the latest 100).",
  );

/** A whole schedule, as it is made and as it is replaced. */
export const scheduleBody = z.strictObject({
  ...{ flow, version, inputs: inputs.optional(), tags, priority, concurrencyKey },
  cron: plainText
    .min(1)
    .max(256)
    .describe("Five fields: minute, hour, day of month, month, day of week; as in `30 6 * * 1-5`."),
  timeZone: plainText
    .min(1)
    .max(64)
    .optional()
    .describe("A name such as `Europe/Berlin`; UTC when left out."),
  overlap: overlap.optional().describe("`skip` when left out."),
  catchUp: catchUp.optional().describe("`one` when left out."),
  jitterMs: z
    .int()
    .min(0)
    .max(3_600_000)
    .optional()
    .describe("Each tick starts up to this much later, by an amount of its own; 0 when left out."),
  paused: z.boolean().optional().describe("Make it paused."),
});

/** A schedule as it stands. */
export const schedule = z.object({
  id: z.uuid(),
  flow: flowName,
  version: versionNumber.nullable().describe("Null starts the version that is the newest at the tick."),
  inputs,
  tags: z.array(z.string()).describe("Runs also get the tag `schedule:<id>`."),
  priority: z.int().nullable(),
  concurrencyKey: z.string().nullable(),
  cron: z.string(),
  timeZone: z.string(),
  overlap,
  catchUp,
  jitterMs: z.int(),
  paused: z.boolean(),
  nextAt: time.nullable().describe("Its next tick; null when it is paused or none will ever come."),
  next: z.array(time).describe("The next five ticks."),
  lastTick: time.nullable(),
  lastOutcome: z.enum(["started", "skipped", "failed"]).nullable().describe("What became of it."),
  lastMessage: z.string().nullable().describe("Why nothing was started."),
  lastRunId: runId.nullable().describe("The latest run that a tick started."),
  actor: z.string().describe("Who made it."),
  createdAt: time,
  updatedAt: time,
});

export const schedulePage = pageOf(schedule);
export const scheduleQuery = z.strictObject(pageQuery);

export type ScheduleBody = z.input<typeof scheduleBody>;
export type ScheduleAnswer = z.infer<typeof schedule>;
