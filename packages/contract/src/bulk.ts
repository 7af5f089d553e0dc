import { z } from "zod";
import { inputs, instant, runStatus, runSummary, tag } from "./runs.ts";
import { anyJson, flowName, pageOf, pageQuery, plainText, runId, time, versionNumber } from "./values.ts";

const action = z.enum(["resume", "cancel", "rerun"]);

/** The filters of `GET /v1/runs`. Whatever they say, an action picks only runs it is for. */
export const bulkFilter = z.strictObject({
  status: z.array(runStatus).min(1).optional(),
  flow: flowName.optional(),
  tag: tag.optional(),
  code: z
    .string()
    .regex(/^[a-z_]{1,64}$/, "must be an error code")
    .optional(),
  createdAfter: instant.optional(),
  createdBefore: instant.optional(),
  updatedAfter: instant.optional(),
});

const fields = {
  action: action.describe(
    "A filter picks waiting runs for `resume` (with `buffer` all that have not ended), runs that have not ended for " +
      "`cancel`, and ended ones for `rerun`.",
  ),
  ids: z.array(runId).min(1).max(10_000).optional().describe("The runs by name; either this or `filter`."),
  filter: bulkFilter.optional().describe("All runs that match when the call is accepted, at most 100000."),
  payload: anyJson.optional().describe("Of `resume`: what the next iteration sees, as in the single call."),
  buffer: z.boolean().optional().describe("Of `resume`: keep it for runs that do not wait yet."),
  inputs: inputs.optional().describe("Of `resume` and `rerun`: replace each run's inputs one by one."),
  version: versionNumber.optional().describe("Of `resume` and `rerun`: go on with, or start, this version."),
  perSecond: z.int().min(1).max(1000).optional().describe("Pace; 20 runs a second when left out."),
  preview: z.boolean().optional().describe("Only tell how many runs it would be about, and show the oldest."),
};

export const bulkBody = z
  .strictObject(fields)
  .refine(
    ({ ids, filter }) => (ids === undefined) !== (filter === undefined),
    "must have either ids or filter",
  )
  .refine(
    (body) => body.action === "resume" || (body.payload === undefined && body.buffer === undefined),
    "payload and buffer are of resume only",
  )
  .refine(
    (body) => body.action !== "cancel" || (body.inputs === undefined && body.version === undefined),
    "cancel takes no inputs and no version",
  );

export const bulkPreview = z.object({
  count: z.int(),
  sample: z.array(runSummary).describe("The ten oldest of them."),
});

export const bulkStatus = z.enum(["running", "done", "aborted"]);

/** A bulk action and how far it has come. */
export const bulk = z.object({
  id: z.uuid(),
  action,
  status: bulkStatus.describe("`running` until every run was dealt with or somebody stopped it."),
  filter: z.record(z.string(), z.unknown()).nullable().describe("Null when the runs were named."),
  perSecond: z.int(),
  total: z.int(),
  done: z.int(),
  outcomes: z
    .record(z.string(), z.int())
    .describe(
      "Runs by outcome: resumed, kept, cancelled, already_cancelled or started; or not_waiting, kept_already, ended, " +
        "invalid, version_not_found, not_found, error.",
    ),
  actor: z.string(),
  createdAt: time,
  finishedAt: time.nullable(),
});

export const bulkPage = pageOf(bulk);

/** What became of one run; null while it is still to come. */
export const bulkRun = z.object({
  runId,
  outcome: z.string().nullable(),
  message: z.string().nullable().describe("Why nothing was done to it."),
  startedId: runId.nullable().describe("The run that a rerun started."),
});

export const bulkRunPage = pageOf(bulkRun);

export const bulkQuery = z.strictObject(pageQuery);
export const bulkRunsQuery = z.strictObject({ ...pageQuery, outcome: plainText.min(1).max(64).optional() });

export type BulkBody = z.input<typeof bulkBody>;
export type BulkAnswer = z.infer<typeof bulk>;
export type BulkPreviewAnswer = z.infer<typeof bulkPreview>;
export type BulkRunAnswer = z.infer<typeof bulkRun>;
