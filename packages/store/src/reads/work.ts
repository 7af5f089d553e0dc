import type { HistoryEntry } from "@agentflow/core";
import type { StepScope, StoredCheckpoint, StoredStep } from "@agentflow/engine";
import { run, type Queryable } from "../connection/transaction.ts";
import {
  CHECKPOINT_COLUMNS,
  ITERATION_COLUMNS,
  checkpointOf,
  entryOf,
  type CheckpointRow,
  type IterationRow,
} from "../transitions/checkpoint-row.ts";

/** As much of a step as the next one is made from. */
const STEP_HEAD_BYTES = 16;

const CHECKPOINT = {
  name: "checkpoint",
  text: `
    select ${CHECKPOINT_COLUMNS}, guarded, inherited, (
      select substring(i.state_step from 1 for ${STEP_HEAD_BYTES}) from iteration i
      where i.run_id = $1 and i.path = $2 and i.epoch = checkpoint.epoch and i.iteration = checkpoint.next_iteration - 1
    ) as step
    from checkpoint where run_id = $1 and path = $2`,
};

/** One loop with its exact state text; null before it begins. */
export async function readCheckpoint(
  db: Queryable,
  runId: string,
  path: string,
): Promise<StoredCheckpoint | null> {
  type Row = CheckpointRow & { inherited: number; step: Buffer | null };
  const [row] = await run<Row>(db, CHECKPOINT, [runId, path]);
  if (row === undefined) return null;
  const { inherited, step } = row;
  return {
    ...{ path: row.path, label: row.label, checkpoint: checkpointOf(row) },
    ...(inherited > 0 && { inherited }),
    ...(step !== null && { step }),
  };
}

const LOOP_TOKENS = {
  name: "loop_tokens",
  text: "select input_tokens + output_tokens as tokens from checkpoint where run_id = $1 and path = $2",
};

/** Tokens spent on a loop; 0 before it begins. */
export async function readLoopTokens(db: Queryable, runId: string, path: string): Promise<number> {
  const [row] = await run<{ tokens: number }>(db, LOOP_TOKENS, [runId, path]);
  return row?.tokens ?? 0;
}

const HISTORY = {
  name: "history",
  text: `
    select ${ITERATION_COLUMNS} from iteration
    where run_id = $1 and path = $2 and epoch = $3
    order by run_id, path, epoch, iteration`,
};

/** All rows of one epoch, in order. */
export async function readHistory(
  db: Queryable,
  runId: string,
  path: string,
  epoch: number,
): Promise<HistoryEntry[]> {
  return (await run<IterationRow>(db, HISTORY, [runId, path, epoch])).map(entryOf);
}

const STEPS = {
  name: "steps",
  text: `
    select frame, node, fingerprint, outputs, shown from step
    where run_id = $1 and loop = $2 and epoch = $3 and iteration = $4
    order by position`,
};

type StepRow = { frame: string; node: string; fingerprint: string; outputs: string; shown: boolean };

/** Journaled steps of one scope in the order they finished (S-11). */
export async function readSteps(db: Queryable, runId: string, scope: StepScope): Promise<StoredStep[]> {
  const rows = await run<StepRow>(db, STEPS, [runId, scope.loop, scope.epoch, scope.iteration]);
  return rows.map(({ frame, node, fingerprint, outputs, shown }) => ({
    frame,
    node,
    fingerprint,
    outputs: outputsOf(outputs),
    shown,
  }));
}

/** Slot → text from the stored JSON text of pairs. */
export function outputsOf(text: string): ReadonlyMap<string, string> {
  const pairs: [string, string][] = JSON.parse(text);
  return new Map(pairs);
}

const CONTEXT = {
  name: "context",
  text: "select sealed from context where run_id = $1 and references_digest = $2",
};

/** An encrypted context of a run; null when there is none (L-49). */
export async function readContext(db: Queryable, runId: string, digest: string): Promise<Uint8Array | null> {
  const [row] = await run<{ sealed: Buffer }>(db, CONTEXT, [runId, digest]);
  return row?.sealed ?? null;
}
