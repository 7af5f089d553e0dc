import type { NewRun, StartOutcome } from "@agentflow/engine";
import { run, type Queryable } from "../connection/transaction.ts";
import { eventsText } from "./events.ts";

/**
 * Stores a queued run, which is its own outbox: without a wake the sweep finds it (S-10). Guard: the Idempotency-Key is
 * new; a start under way with the same key is waited for. Locks nothing but the new rows.
 */
const START_RUN = {
  name: "start_run",
  text: `
    with started as (
      insert into run (id, flow, version, flow_version_id, inputs, tags, priority, idempotency_key, request_digest, event_seq, rerun_of, concurrency_key, limited, dispatch_after)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $12, $13, exists (select from flow_limit where flow = $2), now() + interval '2 s')
      on conflict (idempotency_key) do nothing
      returning id, token
    ), told as (
      insert into event (run_id, seq, events) select id, 1, $11 from started where $10 > 0
    )
    select token from started`,
};

/** The run that an Idempotency-Key started. */
export const FIND_KEY = {
  name: "find_run_by_key",
  text: "select id, request_digest from run where idempotency_key = $1",
};

/** Creates the run, or finds the one that has its Idempotency-Key. */
export async function startRun(db: Queryable, start: NewRun): Promise<StartOutcome> {
  const values = [
    start.id,
    start.flow,
    start.version,
    start.flowVersionId,
    start.inputs,
    [...start.tags],
    start.priority,
    start.idempotencyKey,
    start.requestDigest,
    start.events.length,
    eventsText(start.events),
    start.rerunOf,
    start.concurrencyKey ?? null,
  ];
  for (;;) {
    const [started] = await run<{ token: number }>(db, START_RUN, values);
    if (started !== undefined)
      return { kind: "created", wake: { runId: start.id, token: started.token, delayMs: 0 } };
    const [earlier] = await run<{ id: string; request_digest: string }>(db, FIND_KEY, [start.idempotencyKey]);
    // Deleted between the two statements: the key is free again.
    if (earlier === undefined) continue;
    return {
      kind: earlier.request_digest === start.requestDigest ? "existing" : "conflict",
      runId: earlier.id,
    };
  }
}
