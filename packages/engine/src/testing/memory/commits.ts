import { tellWebhooks } from "./webhooks.ts";
import type { CommitOutcome, Guarded, IterationCommit, NestedCommit } from "../../ports/work.ts";
import { dropHistory, putCheckpoint, putEntry, sameScope } from "./journal.ts";
import { giveKeptResume } from "./kept-resumes.ts";
import { append, end, fenced, release, rowKey } from "./tables.ts";
import type { RunRow, Tables } from "./tables.ts";

/** `WorkStore.commitIteration` (S-7): compare-and-set on token, iteration and status; all of it or nothing. */
export function commitIteration(tables: Tables, commit: IterationCommit): CommitOutcome {
  const run = commit.unclaimed === true ? claimedNow(tables, commit) : fenced(tables, commit.fence);
  if (run === null || run.nextIteration !== commit.expectedIteration) return { kind: "stale" };
  const before = tables.checkpoints.get(rowKey(run.id, commit.path));
  if (before === undefined)
    throw new Error(`loop ${commit.path} of run ${run.id} has no checkpoint to commit over`);
  const state = commit.stateChanged ? commit.checkpoint.state : before.checkpoint.state;
  const last = commit.lastChanged === true ? commit.checkpoint.last : before.checkpoint.last;
  putCheckpoint(tables, run.id, {
    path: commit.path,
    label: before.label,
    checkpoint: { ...commit.checkpoint, state, last },
  });
  if (commit.entry !== null)
    putEntry(tables, run.id, commit.path, commit.checkpoint.epoch, commit.entry, commit.step);
  if (commit.entry !== null) dropSteps(tables, run, commit);
  move(tables, run, commit);
  append(tables, run, commit.events);
  const { token } = run;
  if (run.status === "waiting" && !giveKeptResume(tables, run)) tellWebhooks(tables, run);
  return { kind: "committed", token };
}

/** The run as an ordinary claim with the wake's token would leave it; null, with nothing changed, when it would be refused. */
function claimedNow(tables: Tables, { fence, expectedIteration }: IterationCommit): RunRow | null {
  const run = tables.runs.get(fence.runId);
  if (run === undefined || run.status !== "running" || run.token !== fence.token - 1) return null;
  if (run.leaseOwner !== null || run.attempt !== 0 || run.nextIteration !== expectedIteration) return null;
  run.token = fence.token;
  return run;
}

function dropSteps(tables: Tables, run: RunRow, commit: IterationCommit): void {
  const scope = { loop: commit.path, epoch: commit.checkpoint.epoch, iteration: commit.expectedIteration };
  for (const [key, row] of tables.steps) {
    if (row.runId === run.id && !row.step.shown && sameScope(row.scope, scope)) tables.steps.delete(key);
  }
}

function move(tables: Tables, run: RunRow, commit: IterationCommit): void {
  run.nextIteration = commit.checkpoint.nextIteration;
  if (commit.entry !== null) run.resumePayload = null;
  run.fresh = false;
  if (commit.run.status === "failed") {
    end(tables, run, "failed", commit.run.failure);
    return;
  }
  release(tables, run);
  run.status = commit.run.status;
  run.priorMs = commit.priorMs ?? 0;
  const pauseMs = commit.pauseMs ?? 0;
  if (pauseMs > 0) run.dueMs = tables.nowMs() + pauseMs;
  run.dispatchAfterMs += pauseMs;
  run.settledMs = run.status === "waiting" ? tables.nowMs() : null;
}

/**
 * `WorkStore.commitNested` (S-11): the outer claim, its token and its lease stay as they are. A captured start begins the
 * loop again, without the rows of an earlier try in the same epoch.
 */
export function commitNested(tables: Tables, commit: NestedCommit): Guarded {
  const run = fenced(tables, commit.fence);
  if (run === null) return { kind: "stale" };
  putCheckpoint(tables, run.id, { path: commit.path, label: commit.label, checkpoint: commit.checkpoint });
  const { epoch, nextIteration } = commit.checkpoint;
  if (commit.entry !== null) putEntry(tables, run.id, commit.path, epoch, commit.entry);
  else if (nextIteration === 1) dropHistory(tables, run.id, commit.path, epoch);
  run.attempt = 1;
  append(tables, run, commit.events);
  return { kind: "stored" };
}
