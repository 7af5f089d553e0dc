import type { Fence, RunEvent } from "@agentflow/engine";
import { run, type Queryable } from "../connection/transaction.ts";
import { eventsText } from "./events.ts";

/** Numbers events without gaps (L-50). Guard: token and status. Locks the run row, then inserts. */
const APPEND_EVENTS = {
  name: "append_events",
  text: `
    with held as (
      update run
      set event_seq = event_seq + $3, updated_at = now(), last_write = $5
      where id = $1 and token = $2 and status = 'running' and last_write is distinct from $5
      returning id, event_seq - $3 + 1 as seq
    ), told as (
      insert into event (run_id, seq, events) select id, seq, $4 from held where $3 > 0
    )
    select 1 from held`,
};

/** False when the claim is somebody else's now. */
export async function appendEvents(
  db: Queryable,
  fence: Fence,
  events: readonly RunEvent[],
  write: string,
): Promise<boolean> {
  const values = [fence.runId, fence.token, events.length, eventsText(events), write];
  return (await run(db, APPEND_EVENTS, values)).length === 1;
}
