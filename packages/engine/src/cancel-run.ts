import { failure } from "@agentflow/core";
import type { Caller, CancelOutcome } from "./ports/requests.ts";
import type { RequestDeps } from "./request-deps.ts";

/** Cancels a live run in one transaction, with every worker down too; a worker at work on it finds out by its heartbeat (P-27). */
export async function cancelRun(
  deps: Pick<RequestDeps, "store">,
  request: { readonly runId: string; readonly caller: Caller },
): Promise<CancelOutcome> {
  return deps.store.cancelRun(
    request.runId,
    request.caller,
    failure("run_cancelled", "The run was cancelled."),
  );
}
