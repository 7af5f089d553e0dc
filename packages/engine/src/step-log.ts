import { frameKey } from "@agentflow/core";
import type { CommandOutcome } from "./ports/command.ts";
import type { StepContext } from "./step-context.ts";

/**
 * Keeps what a command wrote to stderr (at most 256 KiB, sanitised already: L-25, L-47), so that it is there before the outcome
 * that it explains.
 */
export async function keepLog(
  { deps, claim, scope, frame }: StepContext,
  node: string,
  outcome: CommandOutcome,
): Promise<"kept" | "stale"> {
  if (!("stderr" in outcome) || outcome.stderr === "") return "kept";
  const log = { scope, frame: frameKey(frame), node, attempt: claim.attempt, text: outcome.stderr };
  const stored = await deps.store.appendLog({ runId: claim.runId, token: claim.token }, log);
  return stored.kind === "stored" ? "kept" : "stale";
}
