import type { Fence, RunEvent, Spent, StepScope, StoredStep } from "@agentflow/engine";
import { run, type Queryable } from "../connection/transaction.ts";
import { eventsText } from "./events.ts";

/**
 * Journals a finished step (S-11) and counts the tokens it used (F-27); what runs from here on is at its first attempt. Guard: token and status. Locks the
 * run row, then writes rows of this run only.
 */
const RECORD_STEP = {
  name: "record_step",
  text: `
    with held as (
      update run
      set attempt = 1, input_tokens = input_tokens + coalesce($14::bigint, 0),
          output_tokens = output_tokens + coalesce($15::bigint, 0), event_seq = event_seq + $11, updated_at = now(), last_write = $13
      where id = $1 and token = $2 and status = 'running' and last_write is distinct from $13
      returning id, event_seq - $11 + 1 as seq
    ), kept as (
      insert into step (run_id, loop, epoch, iteration, frame, node, fingerprint, shown, outputs, input_tokens, output_tokens)
      select id, $3, $4, $5, $6, $7, $8, $9, $10, $14::bigint, $15::bigint from held
      on conflict (run_id, loop, epoch, iteration, frame, node) do update
      set fingerprint = excluded.fingerprint, shown = excluded.shown, position = excluded.position, at = excluded.at,
          outputs = excluded.outputs, input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens
    ), counted as (
      update checkpoint c
      set input_tokens = c.input_tokens + $14::bigint, output_tokens = c.output_tokens + $15::bigint
      from held
      where $14::bigint is not null and c.run_id = held.id and c.path = any($16::text[])
    ), told as (
      insert into event (run_id, seq, events) select id, seq, $12 from held where $11 > 0
    )
    select 1 from held`,
};

/** False when the claim is somebody else's now. */
export async function recordStep(
  db: Queryable,
  fence: Fence,
  scope: StepScope,
  step: StoredStep,
  events: readonly RunEvent[],
  spent: Spent | null,
  write: string,
): Promise<boolean> {
  const address = [scope.loop, scope.epoch, scope.iteration, step.frame, step.node];
  const outputs = JSON.stringify([...step.outputs]);
  const values = [
    ...address,
    step.fingerprint,
    step.shown,
    outputs,
    events.length,
    eventsText(events),
    write,
    spent?.usage.inputTokens ?? null,
    spent?.usage.outputTokens ?? null,
    spent?.loops ?? [],
  ];
  return (await run(db, RECORD_STEP, [fence.runId, fence.token, ...values])).length === 1;
}
