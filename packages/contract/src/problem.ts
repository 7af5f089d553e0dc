import { z } from "zod";

/** Answer of every refused call: `application/problem+json` (RFC 9457) with our code from docs/errors.md. */
export const problem = z.object({
  type: z.string().describe("Address of the code's description, relative to the server."),
  title: z.string().describe("The code's fixed sentence."),
  status: z.int(),
  detail: z.string().describe("What is wrong with this call."),
  code: z.string(),
  advice: z.string().describe("What to do."),
  details: z
    .record(z.string(), z.unknown())
    .describe("On 409 `status` of the run; on a refused flow `findings`."),
  docs: z.string(),
  instance: z.string().describe("`urn:uuid:` and the id of the request, as the server's log has it."),
});

export type Problem = z.infer<typeof problem>;

/** Media type of problems. */
export const PROBLEM_TYPE = "application/problem+json";

/** Why a run or an iteration failed: stored with it. */
export const failure = z.object({
  code: z.string(),
  message: z.string(),
  node: z.string().nullable(),
  iteration: z.int().nullable(),
  details: z
    .record(z.string(), z.unknown())
    .describe("Of a failed step `exitCode`, `signal` and `stderrTail`."),
});
