import { loopKey } from "@agentflow/core";
import type { Caller, ResetOutcome } from "./ports/requests.ts";
import type { RequestDeps } from "./request-deps.ts";

/**
 * Starts a loop whose checkpoint cannot be trusted over from its initial state, in a new epoch; the run is queued again. Only
 * a run that failed with `checkpoint_corrupt` can be reset (L-33, L-42), and the reset is audited (S-22).
 */
export async function resetRun(
  deps: Pick<RequestDeps, "store" | "relay">,
  request: { readonly runId: string; readonly caller: Caller },
): Promise<ResetOutcome> {
  const head = await deps.store.runHead(request.runId);
  if (!head) return { kind: "not_found" };
  const { status, failure } = head;
  if (failure?.code !== "checkpoint_corrupt" || failure.node === null) return { kind: "refused", status };
  const path = loopKey({ frame: [], node: failure.node });
  const outcome = await deps.store.resetRun(request.runId, path, request.caller);
  if (outcome.kind === "reset") deps.relay.wake(outcome.wake);
  return outcome;
}
