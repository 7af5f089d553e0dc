import { frameKey } from "@agentflow/core";
import type { StepContext } from "./step-context.ts";

/**
 * Keeps what a command wrote to stderr, or a function logged (at most 256 KiB, sanitised already: L-25, L-47), so that it is there before the outcome
 * that it explains.
 */
export async function keepLog(
  { deps, claim, scope, frame }: StepContext,
  node: string,
  outcome: object & { readonly kind: string; readonly stderr?: string },
): Promise<"kept" | "stale"> {
  if (outcome.stderr === undefined || outcome.stderr === "") return "kept";
  const log = { scope, frame: frameKey(frame), node, attempt: claim.attempt, text: outcome.stderr };
  const stored = await deps.store.appendLog({ runId: claim.runId, token: claim.token }, log);
  return stored.kind === "stored" ? "kept" : "stale";
}
