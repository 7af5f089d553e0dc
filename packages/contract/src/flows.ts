import { layoutSchema } from "@agentflow/core";
import { z } from "zod";
import { runCounts } from "./runs.ts";
import { anyJson, flowName, pageOf, pageQuery, plainText, time, versionNumber } from "./values.ts";

const base64 = z.base64();

const fileBody = z.union([
  z.string(),
  z.strictObject({ text: z.string(), executable: z.boolean().optional() }),
  z.strictObject({ base64, executable: z.boolean().optional() }),
]);

const submission = {
  name: flowName,
  source: plainText.optional().describe("Text of workspace.flow.js; exclusive with `ir` and `operation`."),
  ir: anyJson.optional().describe("The IR as JSON; exclusive with `source` and `operation` (F-19)."),
  operation: anyJson
    .optional()
    .describe(
      "A WhileOperation: `condition` (text), one of `action` { name, params }, `prompt` { name, templateParameters } and `subAgent` { name, message, templateParameters, context }, and optionally `maxIterations`, `delayBetweenIterationsMs`, `continueOnError`, `itemVariable`, `outputMapping` (OP-6). It becomes a flow of the nodes `state` and `loop`; `inputs.state` of a run is the initial state.",
    ),
  files: z
    .record(z.string(), fileBody)
    .optional()
    .describe("The other files of the flow folder by relative path."),
  layout: layoutSchema.optional().describe("Positions and sizes; not part of the version's identity."),
  baseVersion: z
    .int()
    .min(0)
    .max(2_147_483_647)
    .optional()
    .describe("Register only when this is the newest version; 0 when there must be none."),
};

export const registerFlowBody = z
  .strictObject(submission)
  .refine(
    ({ source, ir, operation }) =>
      [source, ir, operation].filter((given) => given !== undefined).length === 1,
    "give exactly one of source, ir and operation",
  );

export const finding = z.object({
  code: z.string(),
  severity: z.enum(["error", "warning"]),
  node: z.string().nullable(),
  field: z.string().nullable(),
  line: z.int().nullable(),
  column: z.int().nullable(),
  message: z.string(),
});

export const registeredVersion = z.object({
  flow: flowName,
  version: versionNumber,
  digest: z.string(),
  warnings: z.array(finding),
});

export const lintAnswer = z.object({ errors: z.array(finding), warnings: z.array(finding) });

export const flowSummary = z.object({
  flow: flowName,
  newestVersion: versionNumber,
  createdAt: time,
  updatedAt: time,
});

/** What a run of the flow takes and shows: ids of `provide.*` nodes with the type of their value, ids of `display.*` nodes. */
export const flowContract = z.object({
  inputs: z.array(z.object({ node: z.string(), label: z.string(), type: z.string() })),
  outputs: z.array(z.object({ node: z.string(), label: z.string() })),
});

export const flowVersion = z.object({
  flow: flowName,
  version: versionNumber.describe("Versions are numbered from 1 without gaps."),
  digest: z.string(),
  source: z.string().nullable(),
  ir: anyJson,
  layout: layoutSchema.nullable(),
  layoutTag: z
    .string()
    .describe("The answer's ETag without its quotes; send it, quoted, as If-Match to save another layout."),
  warnings: z.array(finding),
  contract: flowContract,
  createdAt: time,
});

const most = z.int().min(1).max(1_000_000).nullable();

/** How many runs of a flow may be at work at one time; null is no limit. */
export const flowLimits = z.strictObject({
  maxRunning: most.describe("Of all its runs."),
  maxRunningPerKey: most.describe("Of its runs with the same `concurrencyKey`."),
});

/** A flow: its newest version, the numbers of the others, newest first, and its runs by status. */
export const flow = flowVersion.extend({
  archivedAt: time.nullable(),
  limits: flowLimits,
  versions: z.array(z.object({ version: versionNumber, digest: z.string(), createdAt: time })),
  runs: runCounts,
});

export const archivedFlow = z.object({ flow: flowName, archivedAt: time });

/** A layout that was saved; it belongs to the newest version. */
export const savedLayout = z.object({ flow: flowName, version: versionNumber, layoutTag: z.string() });

export const flowPage = pageOf(flowSummary);
export const listFlowsQuery = z.strictObject(pageQuery);

export type FlowLimitsBody = z.input<typeof flowLimits>;
export type RegisterFlowBody = z.input<typeof registerFlowBody>;
export type RegisteredVersion = z.infer<typeof registeredVersion>;
export type LintAnswer = z.infer<typeof lintAnswer>;
export type FlowSummaryAnswer = z.infer<typeof flowSummary>;
export type FlowContract = z.infer<typeof flowContract>;
export type FlowVersionAnswer = z.infer<typeof flowVersion>;
export type SavedLayout = z.infer<typeof savedLayout>;
export type FlowAnswer = z.infer<typeof flow>;
export type FlowPage = z.infer<typeof flowPage>;
