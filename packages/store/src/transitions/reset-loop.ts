import type { Fence, RunEvent, StoredCheckpoint } from "@agentflow/engine";
import { run, type Queryable } from "../connection/transaction.ts";
import { CHECKPOINT_COLUMNS, REPLACE_CHECKPOINT, checkpointValues } from "./checkpoint-row.ts";
import { eventsText } from "./events.ts";

/**
 * Starts a loop over in a new epoch (L-41, L-44): its history stays under the old one, while its journaled steps and the
 * checkpoints of loops inside it go, because the new epoch's iterations have the same numbers. Guard: token and status.
 * Locks the run row first, then writes rows of this run only.
 */
const RESET_LOOP = {
  name: "reset_loop",
  text: `
    with held as (
      update run
      set loop = $7, next_iteration = $15, attempt = 1, prior_ms = 0, attempt_ms = 0,
          reset = nullif(reset, $7), event_seq = event_seq + $3, updated_at = now(), last_write = $5
      where id = $1 and token = $2 and status = 'running' and last_write is distinct from $5
      returning id, event_seq - $3 + 1 as seq
    ), begun as (
      insert into checkpoint (run_id, ${CHECKPOINT_COLUMNS})
      select id, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25 from held
      on conflict (run_id, path) do update set ${REPLACE_CHECKPOINT}, inherited = 0, guarded = null
    ), inner_loops as (
      delete from checkpoint c using held where c.run_id = held.id and starts_with(c.path, $6)
    ), steps as (
      delete from step s using held where s.run_id = held.id and s.loop = $7 and s.epoch < $10
    ), told as (
      insert into event (run_id, seq, events) select id, seq, $4 from held where $3 > 0
    )
    select 1 from held`,
};

/** False when the claim is somebody else's now. */
export async function resetLoop(
  db: Queryable,
  fence: Fence,
  loop: StoredCheckpoint,
  events: readonly RunEvent[],
  write: string,
): Promise<boolean> {
  const values = [fence.runId, fence.token, events.length, eventsText(events), write, innerPrefix(loop.path)];
  const row = checkpointValues(loop.path, loop.label, loop.checkpoint);
  return (await run(db, RESET_LOOP, [...values, ...row])).length === 1;
}

/** How the paths of all loops inside a loop of the parent graph begin: `["a"]` has `[["a",…],…]` inside. */
function innerPrefix(path: string): string {
  return `[${path.slice(0, -1)},`;
}
