import type { NestedCommit } from "@agentflow/engine";
import { run, type Queryable } from "../connection/transaction.ts";
import { CHECKPOINT_COLUMNS, REPLACE_CHECKPOINT, checkpointValues } from "./checkpoint-row.ts";
import { eventsText } from "./events.ts";

/**
 * Stores where a loop inside an iteration stands, under the outer claim, which is kept (S-11). A start without an entry begins
 * it again in the same epoch, without the rows of its earlier try. Guard: token and status.
 * Locks the run row first, then writes rows of this run only.
 */
const COMMIT_NESTED = {
  name: "commit_nested",
  text: `
    with held as (
      update run
      set attempt = 1, event_seq = event_seq + $3, updated_at = now(), last_write = $5
      where id = $1 and token = $2 and status = 'running' and last_write is distinct from $5
      returning id, token, event_seq - $3 + 1 as seq
    ), saved as (
      insert into checkpoint (run_id, ${CHECKPOINT_COLUMNS}, guarded)
      select id, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31 from held
      on conflict (run_id, path) do update set ${REPLACE_CHECKPOINT}, guarded = excluded.guarded
    ), wrote as (
      insert into iteration (run_id, path, epoch, iteration, token, attempts, decision, summary, elapsed_ms, idempotency_key, error)
      select id, $12, $15, $6, token, 1, $7, $8, $9, $10, $11 from held where $6::int is not null
    ), begun_again as (
      delete from iteration i using held where i.run_id = held.id and i.path = $12 and i.epoch = $15 and i.iteration >= $20 and $6::int is null
    ), told as (
      insert into event (run_id, seq, events) select id, seq, $4 from held where $3 > 0
    )
    select 1 from held`,
};

/** False when the outer claim is somebody else's now. */
export async function commitNested(db: Queryable, commit: NestedCommit, write: string): Promise<boolean> {
  const { fence, entry, events } = commit;
  const row = checkpointValues(commit.path, commit.label, commit.checkpoint);
  const values = [
    fence.runId,
    fence.token,
    events.length,
    eventsText(events),
    write,
    entry?.iteration ?? null,
    entry?.decision ?? null,
    entry?.summary ?? null,
    entry?.elapsedMs ?? null,
    entry?.idempotencyKey ?? null,
    entry?.error === undefined ? null : JSON.stringify(entry.error),
    ...row,
    commit.checkpoint.guarded ?? null,
  ];
  return (await run(db, COMMIT_NESTED, values)).length === 1;
}
