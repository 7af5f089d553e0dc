import type { ForkOutcome, KeptStates, LoopAddress, NewFork } from "../../ports/timeline.ts";
import { stepHead } from "../../timeline/step.ts";
import { putCheckpoint } from "./journal.ts";
import { oneLoop } from "./reads.ts";
import { byKey, newRow, wakeOf } from "./requests.ts";
import { append, audit, rowKey } from "./tables.ts";
import type { CheckpointRow, HistoryRow, RunRow, Tables } from "./tables.ts";

/** `Reads.keptStates`. */
export function keptStates(
  tables: Tables,
  runId: string,
  loop: LoopAddress,
  asked: { readonly from: number; readonly to: number; readonly first: boolean },
): KeptStates | "no_run" | "no_loop" | "ambiguous_loop" {
  const row = oneLoop(tables, runId, loop.path);
  if (typeof row === "string") return row;
  const { path, checkpoint } = row;
  const epoch = loop.epoch ?? checkpoint.epoch;
  const live = epoch === checkpoint.epoch;
  const rows = rowsOf(tables, runId, path, epoch);
  const kept = rows.flatMap(({ entry, step }) =>
    step === undefined ? [] : [[entry.iteration, step] as const],
  );
  const [first] = asked.first ? kept : [];
  return {
    path,
    epoch,
    completed: live ? checkpoint.nextIteration - 1 : rows.length,
    state: live && checkpoint.nextIteration - 1 === asked.from ? checkpoint.state : null,
    steps: new Map(kept.filter(([iteration]) => iteration >= asked.from && iteration <= asked.to)),
    first: first === undefined ? null : { iteration: first[0], step: first[1] },
  };
}

/** `WorkStore.trimTimeline`: chains go whole, the oldest first. */
export function trimTimeline(tables: Tables, runId: string, maxBytes: number, keepBytes: number): number {
  const newestFirst = [...tables.history.values()]
    .filter((row) => row.runId === runId && row.step !== undefined)
    .reverse();
  const total = newestFirst.reduce((sum, row) => sum + row.step!.length, 0);
  if (total <= maxBytes) return 0;
  let left = 0;
  let removed = 0;
  let full = false;
  for (const chain of chainsOf(newestFirst)) {
    left += chain.reduce((sum, row) => sum + row.step!.length, 0);
    full ||= left > keepBytes;
    if (!full) continue;
    for (const row of chain) row.step = undefined;
    removed += chain.length;
  }
  return removed;
}

/** Rows from newest to oldest, cut after each that needs no other. */
function chainsOf(rows: readonly HistoryRow[]): readonly (readonly HistoryRow[])[] {
  const chains: HistoryRow[][] = [[]];
  for (const row of rows) {
    chains.at(-1)!.push(row);
    const { kind } = stepHead(row.step!);
    if (kind === "whole" || kind === "begin") chains.push([]);
  }
  return chains;
}

/** `RequestStore.forkRun`. */
export function forkRun(tables: Tables, fork: NewFork): ForkOutcome {
  const { run: start, origin } = fork;
  const earlier = start.idempotencyKey === null ? undefined : byKey(tables, start.idempotencyKey);
  if (earlier !== undefined) {
    const kind = earlier.requestDigest === start.requestDigest ? "existing" : "conflict";
    return { kind, runId: earlier.id };
  }
  const rows = rowsOf(tables, origin.runId, origin.path, origin.epoch);
  const taken = rows.filter(({ entry }) => entry.iteration <= origin.iteration);
  if (!tables.runs.has(origin.runId) || taken.length !== origin.iteration) return { kind: "origin_gone" };
  const { runId, path: loop, iteration } = origin;
  const run = newRow(start, tables.nowMs(), { runId, loop, iteration });
  tables.runs.set(run.id, run);
  takeOver(tables, run, fork, taken);
  append(tables, run, start.events);
  audit(tables, { runId, action: "fork", caller: fork.caller });
  return { kind: "created", wake: wakeOf(run) };
}

function takeOver(tables: Tables, run: RunRow, fork: NewFork, taken: readonly HistoryRow[]): void {
  const { origin, label, checkpoint } = fork;
  for (const path of fork.loopsBefore) {
    const row = tables.checkpoints.get(rowKey(origin.runId, path));
    if (row !== undefined) takeLoop(tables, run, row);
  }
  for (const row of tables.steps.values()) {
    if (row.runId !== origin.runId || row.scope.loop !== "" || !fork.nodesBefore.includes(row.step.node))
      continue;
    const { frame, node } = row.step;
    tables.steps.set(rowKey(run.id, "", 0, 0, frame, node), { ...row, runId: run.id });
  }
  const succeeded = taken.filter(({ entry }) => entry.decision === "continue" && !entry.error).length;
  const failed = taken.filter(({ entry }) => entry.error).length;
  const inherited = origin.iteration;
  putCheckpoint(tables, run.id, {
    ...{ path: origin.path, label, inherited, checkpoint: { ...checkpoint, succeeded, failed } },
  });
  for (const row of taken) copyRow(tables, run, row, checkpoint.epoch);
}

function takeLoop(tables: Tables, run: RunRow, { path, label, checkpoint, runId }: CheckpointRow): void {
  putCheckpoint(tables, run.id, { path, label, checkpoint, inherited: checkpoint.nextIteration - 1 });
  for (const row of rowsOf(tables, runId, path, checkpoint.epoch))
    copyRow(tables, run, row, checkpoint.epoch);
}

function copyRow(tables: Tables, run: RunRow, row: HistoryRow, epoch: number): void {
  const key = rowKey(run.id, row.path, epoch, row.entry.iteration);
  tables.history.set(key, { ...row, runId: run.id, epoch, step: undefined });
}

/** History rows of one epoch of a loop, in order. */
function rowsOf(tables: Tables, runId: string, path: string, epoch: number): HistoryRow[] {
  return [...tables.history.values()]
    .filter((row) => row.runId === runId && row.path === path && row.epoch === epoch)
    .sort((a, b) => a.entry.iteration - b.entry.iteration);
}
