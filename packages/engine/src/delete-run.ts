import type { ArchiveOutcome, Caller, DeleteOutcome } from "./ports/requests.ts";
import type { RequestDeps } from "./request-deps.ts";

/** Removes a run that has ended, is parked or was not begun, with its history, events and logs; audited (S-22). */
export async function deleteRun(
  deps: Pick<RequestDeps, "store">,
  request: { readonly runId: string; readonly caller: Caller },
): Promise<DeleteOutcome> {
  return deps.store.deleteRun(request.runId, request.caller);
}

/** Archives a flow without live runs: it is started and listed no longer; registering it again brings it back. Audited. */
export async function archiveFlow(
  deps: Pick<RequestDeps, "store">,
  request: { readonly flow: string; readonly caller: Caller },
): Promise<ArchiveOutcome> {
  return deps.store.archiveFlow(request.flow, request.caller);
}
