import type { Checkpoint, Decision, HistoryEntry, LoopStatus } from "@agentflow/core";

/** Columns of a checkpoint in the order of `checkpointValues`. */
export const CHECKPOINT_COLUMNS = `
  path, label, schema, epoch, status, state, state_digest, fingerprint, next_iteration, elapsed_ms, max_iterations, timeout_ms,
  decision, summary, succeeded, failed, paced, tries, last`;

/** Replaces everything but the address and the place in the order of execution. */
export const REPLACE_CHECKPOINT = `
  label = excluded.label, schema = excluded.schema, epoch = excluded.epoch, status = excluded.status, state = excluded.state,
  state_digest = excluded.state_digest, fingerprint = excluded.fingerprint, next_iteration = excluded.next_iteration,
  elapsed_ms = excluded.elapsed_ms, max_iterations = excluded.max_iterations, timeout_ms = excluded.timeout_ms,
  decision = excluded.decision, summary = excluded.summary, succeeded = excluded.succeeded, failed = excluded.failed,
  paced = excluded.paced, tries = excluded.tries, last = excluded.last`;

export type CheckpointRow = {
  path: string;
  label: string;
  schema: number;
  epoch: number;
  status: LoopStatus;
  state: string;
  state_digest: string;
  fingerprint: string;
  next_iteration: number;
  elapsed_ms: number;
  max_iterations: number;
  timeout_ms: number;
  decision: Decision | null;
  summary: string;
  succeeded: number;
  failed: number;
  paced: number;
  tries: number;
  last: string | null;
  guarded: string | null;
};

export function checkpointValues(path: string, label: string, checkpoint: Checkpoint): unknown[] {
  return [
    path,
    // A label may hold anything; text columns hold no NUL.
    label.replaceAll("\0", "\ufffd"),
    checkpoint.schema,
    checkpoint.epoch,
    checkpoint.status,
    checkpoint.state,
    checkpoint.stateDigest,
    checkpoint.fingerprint,
    checkpoint.nextIteration,
    checkpoint.elapsedMs,
    checkpoint.maxIterations,
    checkpoint.timeoutMs,
    checkpoint.decision,
    checkpoint.summary,
    checkpoint.succeeded,
    checkpoint.failed,
    checkpoint.paced,
    checkpoint.tries,
    checkpoint.last,
  ];
}

/** The row as it is: nothing is checked here, because a row that was tampered with must reach validation (L-42). */
export function checkpointOf(row: CheckpointRow): Checkpoint {
  return {
    schema: row.schema,
    status: row.status,
    epoch: row.epoch,
    state: row.state,
    stateDigest: row.state_digest,
    fingerprint: row.fingerprint,
    nextIteration: row.next_iteration,
    elapsedMs: row.elapsed_ms,
    maxIterations: row.max_iterations,
    timeoutMs: row.timeout_ms,
    decision: row.decision,
    summary: row.summary,
    succeeded: row.succeeded,
    failed: row.failed,
    paced: row.paced,
    tries: row.tries,
    last: row.last,
    ...(row.guarded !== null && { guarded: row.guarded }),
  };
}

export type IterationRow = {
  iteration: number;
  decision: Decision;
  summary: string;
  elapsed_ms: number;
  idempotency_key: string;
  error: string | null;
};

export const ITERATION_COLUMNS = "iteration, decision, summary, elapsed_ms, idempotency_key, error";

export function entryOf(row: IterationRow): HistoryEntry {
  return {
    iteration: row.iteration,
    decision: row.decision,
    summary: row.summary,
    elapsedMs: row.elapsed_ms,
    idempotencyKey: row.idempotency_key,
    ...(row.error === null ? {} : { error: JSON.parse(row.error) }),
  };
}
