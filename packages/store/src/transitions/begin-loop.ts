import type { Fence, RunEvent, StoredCheckpoint } from "@agentflow/engine";
import { run, type Queryable } from "../connection/transaction.ts";
import { CHECKPOINT_COLUMNS, REPLACE_CHECKPOINT, checkpointValues } from "./checkpoint-row.ts";
import { eventsText } from "./events.ts";

/**
 * Stores a loop's checkpoint and makes it the run's position: the captured start (L-21), or a loop that stands already when
 * the run comes to it again. Guard: token and status. Locks the run row first, then writes rows of this run only.
 */
const BEGIN_LOOP = {
  name: "begin_loop",
  text: `
    with held as (
      update run
      set loop = $6, next_iteration = $14, attempt = 1, prior_ms = 0, attempt_ms = 0,
          event_seq = event_seq + $3, updated_at = now(), last_write = $5
      where id = $1 and token = $2 and status = 'running' and last_write is distinct from $5
      returning id, event_seq - $3 + 1 as seq
    ), begun as (
      insert into checkpoint (run_id, ${CHECKPOINT_COLUMNS})
      select id, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24 from held
      on conflict (run_id, path) do update set ${REPLACE_CHECKPOINT}
    ), told as (
      insert into event (run_id, seq, events) select id, seq, $4 from held where $3 > 0
    )
    select 1 from held`,
};

/** False when the claim is somebody else's now. */
export async function beginLoop(
  db: Queryable,
  fence: Fence,
  loop: StoredCheckpoint,
  events: readonly RunEvent[],
  write: string,
): Promise<boolean> {
  const values = [fence.runId, fence.token, events.length, eventsText(events), write];
  const row = checkpointValues(loop.path, loop.label, loop.checkpoint);
  return (await run(db, BEGIN_LOOP, [...values, ...row])).length === 1;
}
