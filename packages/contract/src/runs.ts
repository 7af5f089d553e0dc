import { decisions } from "@agentflow/core";
import { z } from "zod";
import { failure } from "./problem.ts";
import {
  anyJson,
  flowName,
  integerParameter,
  pageOf,
  pageQuery,
  plainText,
  runId,
  time,
  versionNumber,
} from "./values.ts";

export const runStatus = z.enum(["queued", "running", "waiting", "succeeded", "failed", "cancelled"]);

export const runCounts = z.record(runStatus, z.int()).describe("Runs by status.");

/** `provide.*` node id → JSON value: any value for json, a text for text. Each at most 1 MiB of compact JSON. */
export const inputs = z.record(z.string(), anyJson);

export const tag = plainText.min(1).max(256);
const loopParameter = plainText.min(1).max(4000);
const iterationParameter = integerParameter(0, 1_000_000);
const epochParameter = integerParameter(0, 2_147_483_647).describe("The live epoch when left out (L-44).");
/** A time with any offset. */
export const instant = z.iso.datetime({ offset: true });

export const startRunBody = z.strictObject({
  flow: flowName,
  version: versionNumber.optional().describe("The newest version when left out."),
  inputs: inputs.optional(),
  tags: z.array(tag).max(64).optional(),
  priority: z
    .int()
    .min(0)
    .max(2_097_151)
    .optional()
    .describe(
      "Order of runs that wait for a limit of their flow: a run waits as if it had come so many seconds later, at most " +
        "3600, so that none waits for ever. 0 when left out.",
    ),
  concurrencyKey: plainText
    .min(1)
    .max(256)
    .optional()
    .describe("Runs of a flow with the same key share its limit `maxRunningPerKey`."),
});

export const resumeRunBody = z.strictObject({
  payload: anyJson
    .optional()
    .describe("What the next iteration sees as `resume`; at most 1 MiB of compact JSON (L-40)."),
  inputs: inputs.optional().describe("Replace the run's inputs one by one (L-41)."),
  version: versionNumber.optional(),
  nextIteration: z
    .int()
    .min(1)
    .max(9_007_199_254_740_991)
    .optional()
    .describe("Resume only when the run stands at exactly this iteration."),
  buffer: z
    .boolean()
    .optional()
    .describe("Keep the resume for the next wait when the run does not wait yet; a run keeps one at most."),
  until: instant
    .nullable()
    .optional()
    .describe(
      "Resume at this time, unless somebody does so before; a later call with another time takes its place. `null`, " +
        "alone in the body, takes back the resume that is kept.",
    ),
});

/** A resume that is kept for the run's next wait, or for a time. */
export const keptResume = z.object({
  until: time.nullable().describe("Not before this time; null is as soon as the run waits."),
  nextIteration: z.int().nullable().describe("Only for the wait before this iteration."),
  keptAt: time,
  actor: z.string(),
});

export const rerunRunBody = z.strictObject({
  inputs: inputs.optional().describe("Replace the run's inputs one by one."),
  version: versionNumber.optional().describe("The version of the run when left out."),
});

export const forkRunBody = z.strictObject({
  iteration: z
    .int()
    .min(0)
    .max(1_000_000)
    .describe("Go on from the state after this iteration; 0 is the initial state."),
  loop: loopParameter.optional().describe("As in `?loop=`; the only loop when left out."),
  statePatch: anyJson
    .optional()
    .describe(
      "A JSON merge patch (RFC 7396) for the state; the patched state is at most 1 MiB of compact JSON.",
    ),
  inputs: inputs.optional().describe("Replace the run's inputs one by one."),
  version: versionNumber.optional().describe("The version of the run when left out."),
  limits: z
    .strictObject({
      maxIterations: z.union([z.int(), z.string()]).optional(),
      timeout: z.union([z.int(), z.string()]).optional(),
    })
    .optional()
    .describe(
      "In the place of those the version and the inputs give. Iterations of both runs count, time begins anew.",
    ),
});

export const historyEntry = z.object({
  iteration: z.int(),
  decision: z.enum(decisions),
  summary: z.string(),
  elapsedMs: z.number(),
  idempotencyKey: z.string(),
  error: failure.optional(),
});

/** What models spent; repeated attempts count too. */
export const tokenUsage = z.object({ inputTokens: z.int(), outputTokens: z.int() });

export const loop = z.object({
  label: z.string(),
  path: z.string().describe("Address of the loop, for `?loop=`."),
  status: z.enum(["running", "waiting", "done", "failed"]),
  decision: z.enum(decisions).nullable(),
  iterations: z.int(),
  nextIteration: z.int(),
  maxIterations: z.int(),
  timeoutMs: z.number(),
  elapsedMs: z.number(),
  summary: z.string(),
  fingerprint: z.string(),
  epoch: z.int(),
  usage: tokenUsage.describe("Tokens its iterations used, over all epochs."),
  recent: z.array(historyEntry).describe("The last three history entries, oldest first."),
});

const summaryFields = {
  id: runId,
  flow: flowName,
  version: versionNumber,
  status: runStatus,
  failure: failure.nullable(),
  tags: z.array(z.string()),
  priority: z.int().nullable(),
  concurrencyKey: z.string().nullable(),
  attempt: z.int(),
  inDoubt: z.boolean(),
  leaseOwner: z.string().nullable(),
  dueAt: time.nullable(),
  rerunOf: runId.nullable().describe("The run that this one repeats."),
  forkedFrom: z
    .object({ runId, loop: z.string(), iteration: z.int() })
    .nullable()
    .describe("The loop and the iteration of another run from whose state this one goes on."),
  createdAt: time,
  startedAt: time.nullable(),
  updatedAt: time,
  finishedAt: time.nullable(),
};

export const runSummary = z.object(summaryFields);

export const run = z.object({
  ...summaryFields,
  inputs: z.record(z.string(), anyJson),
  keptResume: keptResume.nullable().describe("A resume kept for the next wait, or for a time."),
  usage: tokenUsage.describe("Tokens all agents of the run used."),
  loops: z.array(loop).describe("In execution order, those of the parent graph first."),
  outputs: z.record(z.string(), z.string()).describe("Display node id → text."),
});

export const runPage = pageOf(runSummary);
export const historyPage = pageOf(historyEntry);

const words = (given: unknown) =>
  (Array.isArray(given) ? given : [given]).flatMap((one) =>
    typeof one === "string" ? one.split(",") : [one],
  );

export const listRunsQuery = z.strictObject({
  ...pageQuery,
  status: z.preprocess(words, z.array(runStatus).min(1)).optional(),
  flow: flowName.optional(),
  tag: tag.optional(),
  code: z
    .string()
    .regex(/^[a-z_]{1,64}$/, "must be an error code")
    .optional(),
  createdAfter: instant.optional(),
  createdBefore: instant.optional(),
  updatedAfter: instant.optional(),
  sort: z.enum(["created", "-created"]).optional().describe("Newest first unless `created`."),
});

/** `loop` is a loop's `path`, or the node id of a loop of the parent graph; left out: the only loop. */
export const stateQuery = z.strictObject({
  loop: loopParameter.optional(),
  iteration: iterationParameter
    .optional()
    .describe("The state after this iteration; the latest when left out."),
  epoch: epochParameter.optional(),
});

export const diffQuery = z.strictObject({
  loop: loopParameter.optional(),
  epoch: epochParameter.optional(),
  from: iterationParameter.describe("The state after this iteration; 0 is the initial state."),
  to: iterationParameter,
});

/** How two states of a loop differ. */
export const stateDiff = z.object({
  loop: z.string(),
  epoch: z.int(),
  from: z.int(),
  to: z.int(),
  patch: z
    .array(
      z.object({ op: z.enum(["add", "remove", "replace"]), path: z.string(), value: anyJson.optional() }),
    )
    .describe("A JSON patch (RFC 6902) from the one state to the other; values are in their exact spelling."),
});

export const historyQuery = z.strictObject({
  ...pageQuery,
  loop: loopParameter.optional(),
  epoch: integerParameter(0, 2_147_483_647).optional().describe("The live epoch when left out (L-44)."),
});

export type StartRunBody = z.input<typeof startRunBody>;
export type ResumeRunBody = z.input<typeof resumeRunBody>;
export type RerunRunBody = z.input<typeof rerunRunBody>;
export type ForkRunBody = z.input<typeof forkRunBody>;
export type StateDiff = z.infer<typeof stateDiff>;
export type RunStatusWord = z.infer<typeof runStatus>;
export type RunAnswer = z.infer<typeof run>;
export type RunSummaryAnswer = z.infer<typeof runSummary>;
export type LoopAnswer = z.infer<typeof loop>;
export type HistoryEntryAnswer = z.infer<typeof historyEntry>;
export type RunPage = z.infer<typeof runPage>;
export type HistoryPage = z.infer<typeof historyPage>;
export type ListRunsQuery = z.output<typeof listRunsQuery>;
