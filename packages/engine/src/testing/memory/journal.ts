import type { HistoryEntry } from "@agentflow/core";
import type { StepLog } from "../../ports/logs.ts";
import type {
  Fence,
  Guarded,
  RunEvent,
  Spent,
  StepScope,
  StoredCheckpoint,
  StoredStep,
  WorkStore,
} from "../../ports/work.ts";
import { spend } from "./resources.ts";
import { append, end, fenced, jsonCopy, rowKey } from "./tables.ts";
import type { Tables } from "./tables.ts";

const stored: Guarded = { kind: "stored" };
const stale: Guarded = { kind: "stale" };

/** `WorkStore.steps` (S-11), in the order they finished. */
export function steps(tables: Tables, runId: string, scope: StepScope): readonly StoredStep[] {
  const rows = [...tables.steps.values()].filter((row) => row.runId === runId && sameScope(row.scope, scope));
  return rows.map(({ step }) => ({ ...step, outputs: new Map(step.outputs) }));
}

/** Whether two scopes are one iteration of one epoch of one loop. */
export function sameScope(a: StepScope, b: StepScope): boolean {
  return a.loop === b.loop && a.epoch === b.epoch && a.iteration === b.iteration;
}

/** `WorkStore.recordStep`: work advanced, so the attempt under way counts as the first at what remains (L-51). */
export function recordStep(
  tables: Tables,
  fence: Fence,
  scope: StepScope,
  step: StoredStep,
  events: readonly RunEvent[],
  spent?: Spent | null,
): Guarded {
  const run = fenced(tables, fence);
  if (run === null) return stale;
  spend(tables, run.id, spent);
  const key = rowKey(run.id, scope.loop, scope.epoch, scope.iteration, step.frame, step.node);
  tables.steps.set(key, {
    runId: run.id,
    scope: { ...scope },
    step: { ...step, outputs: new Map(step.outputs) },
  });
  run.attempt = 1;
  append(tables, run, events);
  return stored;
}

/** `WorkStore.checkpoint`. */
export function checkpoint(tables: Tables, runId: string, path: string): StoredCheckpoint | null {
  const row = tables.checkpoints.get(rowKey(runId, path));
  if (row === undefined) return null;
  const { label, inherited = 0, checkpoint: found } = row;
  const last = tables.history.get(rowKey(runId, path, found.epoch, found.nextIteration - 1))?.step;
  return {
    ...{ path, label, checkpoint: { ...found } },
    ...(inherited > 0 && { inherited }),
    ...(last !== undefined && { step: last }),
  };
}

/** Puts a checkpoint in the place of the loop's earlier one. */
export function putCheckpoint(tables: Tables, runId: string, loop: StoredCheckpoint): void {
  const { path, label } = loop;
  const key = rowKey(runId, path);
  const inherited = loop.inherited ?? tables.checkpoints.get(key)?.inherited ?? 0;
  tables.checkpoints.set(key, { runId, path, label, inherited, checkpoint: { ...loop.checkpoint } });
}

/** `WorkStore.history` (L-34). */
export function history(tables: Tables, runId: string, path: string, epoch: number): readonly HistoryEntry[] {
  return [...tables.history.values()]
    .filter((row) => row.runId === runId && row.path === path && row.epoch === epoch)
    .map((row) => jsonCopy(row.entry))
    .sort((a, b) => a.iteration - b.iteration);
}

/** Adds one history row under its epoch. */
export function putEntry(
  tables: Tables,
  runId: string,
  path: string,
  epoch: number,
  entry: HistoryEntry,
  step?: Uint8Array,
): void {
  tables.history.set(rowKey(runId, path, epoch, entry.iteration), {
    ...{ runId, path, epoch, step, entry: jsonCopy(entry), atMs: tables.nowMs() },
  });
}

/** Forgets the history rows of one epoch. */
export function dropHistory(tables: Tables, runId: string, path: string, epoch: number): void {
  for (const [key, row] of tables.history) {
    if (row.runId === runId && row.path === path && row.epoch === epoch) tables.history.delete(key);
  }
}

/** `WorkStore.beginLoop`: the active time noted so far was not the loop's, so it starts from 0 (L-35). */
export function enterLoop(
  tables: Tables,
  fence: Fence,
  loop: StoredCheckpoint,
  events: readonly RunEvent[],
): Guarded {
  const run = fenced(tables, fence);
  if (run === null) return stale;
  putCheckpoint(tables, run.id, loop);
  run.loop = loop.path;
  run.nextIteration = loop.checkpoint.nextIteration;
  run.attempt = 1;
  run.attemptMs = 0;
  run.priorMs = 0;
  append(tables, run, events);
  return stored;
}

/** `WorkStore.resetLoop`: also answers an operator's reset of this loop. */
export function resetLoop(
  tables: Tables,
  fence: Fence,
  loop: StoredCheckpoint,
  events: readonly RunEvent[],
): Guarded {
  const entered = enterLoop(tables, fence, { ...loop, inherited: 0 }, events);
  const run = fenced(tables, fence);
  if (run?.reset === loop.path) run.reset = null;
  return entered;
}

/** `WorkStore.appendLog`. */
export function appendLog(tables: Tables, fence: Fence, log: StepLog): Guarded {
  const run = fenced(tables, fence);
  if (run === null) return stale;
  const seq = (tables.logs.at(-1)?.seq ?? 0) + 1;
  tables.logs.push({ ...log, scope: { ...log.scope }, runId: run.id, seq, atMs: tables.nowMs() });
  return stored;
}

/** `WorkStore.finishRun`. */
export function finishRun(
  tables: Tables,
  fence: Fence,
  ending: Parameters<WorkStore["finishRun"]>[1],
  events: readonly RunEvent[],
): Guarded {
  const run = fenced(tables, fence);
  if (run === null) return stale;
  end(tables, run, ending.status, ending.status === "failed" ? ending.failure : null);
  append(tables, run, events);
  return stored;
}

/** `WorkStore.appendEvents` (L-50). */
export function appendEvents(tables: Tables, fence: Fence, events: readonly RunEvent[]): Guarded {
  const run = fenced(tables, fence);
  if (run === null) return stale;
  append(tables, run, events);
  return stored;
}
