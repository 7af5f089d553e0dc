import type { Failure } from "@agentflow/core";
import type { Fence, RunEvent } from "@agentflow/engine";
import { run, type Queryable } from "../connection/transaction.ts";
import { eventsText } from "./events.ts";

/** Ends a run outside an iteration. Guard: token and status. Locks the run row, then inserts. */
const FINISH_RUN = {
  name: "finish_run",
  text: `
    with ended as (
      update run
      set status = $6, failure_code = $7, failure = $8, token = token + 1, lease_owner = null, lease_until = null,
          attempt = 0, attempt_ms = 0, prior_ms = 0, in_doubt = false, resume_id = null,
          event_seq = event_seq + $3, updated_at = now(), finished_at = now(), settled_at = now(), last_write = $5
      where id = $1 and token = $2 and status = 'running' and last_write is distinct from $5
      returning id, event_seq - $3 + 1 as seq
    ), told as (
      insert into event (run_id, seq, events) select id, seq, $4 from ended where $3 > 0
    )
    select 1 from ended`,
};

/** False when the claim is somebody else's now. */
export async function finishRun(
  db: Queryable,
  fence: Fence,
  end: { readonly status: "succeeded" } | { readonly status: "failed"; readonly failure: Failure },
  events: readonly RunEvent[],
  write: string,
): Promise<boolean> {
  const failure = end.status === "failed" ? end.failure : null;
  const values = [fence.runId, fence.token, events.length, eventsText(events), write, end.status];
  const why = failure === null ? [null, null] : [failure.code, JSON.stringify(failure)];
  return (await run(db, FINISH_RUN, [...values, ...why])).length === 1;
}
