import type { HistoryEntry } from "@agentflow/core";
import { runStatuses } from "../../ports/requests.ts";
import type {
  FlowSummary,
  LoopView,
  Page,
  RunCounts,
  RunFilter,
  RunSummary,
  RunView,
} from "../../ports/reads.ts";
import { history } from "./journal.ts";
import { dueMs } from "./kept-resumes.ts";
import { comparePositions, keysetPage } from "./pages.ts";
import { usageOf } from "./resources.ts";
import type { CheckpointRow, RunRow, Tables } from "./tables.ts";

/** `Reads.run`: everything but states (S-13). */
export function runView(tables: Tables, id: string): RunView | null {
  const run = tables.runs.get(id);
  if (run === undefined) return null;
  const shown = [...tables.steps.values()].filter((row) => row.runId === id && row.step.shown);
  return {
    ...summaryOf(tables, run),
    keptResume: keptResume(tables, id),
    usage: usageOf(tables, id),
    inputs: run.inputs,
    loops: loopsOf(tables, id).map((row) => loopView(tables, row)),
    outputs: shown.map(({ step }) => ({ node: step.node, value: [...step.outputs.values()][0] ?? "" })),
  };
}

/** The run's loops in execution order, those of the parent graph first. */
function loopsOf(tables: Tables, runId: string): readonly CheckpointRow[] {
  const rows = [...tables.checkpoints.values()].filter((row) => row.runId === runId);
  return [...rows.filter(isTopLevel), ...rows.filter((row) => !isTopLevel(row))];
}

function isTopLevel(row: CheckpointRow): boolean {
  return (JSON.parse(row.path) as unknown[]).length === 1;
}

function loopView(tables: Tables, row: CheckpointRow): LoopView {
  const {
    status,
    epoch,
    decision,
    nextIteration,
    maxIterations,
    timeoutMs,
    elapsedMs,
    summary,
    fingerprint,
  } = row.checkpoint;
  return {
    ...{
      path: row.path,
      label: row.label,
      status,
      epoch,
      decision,
      iterations: nextIteration - 1,
      nextIteration,
    },
    ...{ maxIterations, timeoutMs, elapsedMs, summary, fingerprint },
    usage: usageOf(tables, row.runId, row.path),
    recent: history(tables, row.runId, row.path, epoch).slice(-3),
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms);
}

function keptResume(tables: Tables, id: string): RunView["keptResume"] {
  const kept = tables.kept.get(id);
  if (kept === undefined) return null;
  const { untilMs, nextIteration, keptMs, actor } = kept;
  return { until: untilMs === null ? null : iso(untilMs), nextIteration, keptAt: iso(keptMs), actor };
}

/** A run as lists show it. */
export function summaryOf(tables: Tables, run: RunRow): RunSummary {
  const { id, flow, version, status, failure, tags, priority, attempt, inDoubt, leaseOwner, rerunOf } = run;
  const { forkedFrom } = run;
  return {
    concurrencyKey: run.concurrencyKey,
    ...{
      id,
      flow,
      version,
      status,
      failure,
      tags,
      priority,
      attempt,
      inDoubt,
      leaseOwner,
      rerunOf,
      forkedFrom,
    },
    dueAt: isoOrNull(dueMs(tables, run)),
    createdAt: iso(run.createdMs),
    startedAt: run.startedMs === null ? null : iso(run.startedMs),
    updatedAt: iso(run.updatedMs),
    finishedAt: run.finishedMs === null ? null : iso(run.finishedMs),
  };
}

/** `Reads.runs`: by creation time, then id, in both directions. */
export function runs(tables: Tables, filter: RunFilter): Page<RunSummary> | "invalid_cursor" {
  const sign = filter.sort === "created" ? 1 : -1;
  const positionOf = (run: RunRow) => [run.createdMs, run.id];
  const rows = [...tables.runs.values()]
    .filter((run) => matches(run, filter))
    .sort((a, b) => sign * comparePositions(positionOf(a), positionOf(b)));
  return keysetPage(
    rows,
    filter,
    { positionOf, before: (a, b) => sign * comparePositions(a, b) < 0 },
    (run) => summaryOf(tables, run),
  );
}

/** Whether a list with this filter shows the run. */
export function matches(run: RunRow, filter: RunFilter): boolean {
  return (
    (filter.status === undefined || filter.status.includes(run.status)) &&
    (filter.flow === undefined || filter.flow === run.flow) &&
    (filter.tag === undefined || run.tags.includes(filter.tag)) &&
    (filter.code === undefined || filter.code === run.failure?.code) &&
    (filter.createdAfter === undefined || run.createdMs > Date.parse(filter.createdAfter)) &&
    (filter.createdBefore === undefined || run.createdMs < Date.parse(filter.createdBefore)) &&
    (filter.updatedAfter === undefined || run.updatedMs > Date.parse(filter.updatedAfter))
  );
}

/** One loop by path; without a path the only one of the parent graph, else the only one at all. */
export function oneLoop(
  tables: Tables,
  runId: string,
  path: string | null,
): CheckpointRow | "no_run" | "no_loop" | "ambiguous_loop" {
  if (!tables.runs.has(runId)) return "no_run";
  const loops = loopsOf(tables, runId);
  if (path !== null) return loops.find((row) => row.path === path) ?? "no_loop";
  const topLevel = loops.filter(isTopLevel);
  const candidates = topLevel.length > 0 ? topLevel : loops;
  return candidates.length > 1 ? "ambiguous_loop" : (candidates[0] ?? "no_loop");
}

/** `Reads.state`. */
export function state(
  tables: Tables,
  runId: string,
  path: string | null,
): { text: string } | "no_run" | "no_loop" | "ambiguous_loop" {
  const loop = oneLoop(tables, runId, path);
  return typeof loop === "string" ? loop : { text: loop.checkpoint.state };
}

/** `Reads.history`: the live epoch unless another is named (L-44). */
export function historyPage(
  tables: Tables,
  runId: string,
  query: { path: string | null; epoch: number | null; cursor?: string; limit: number },
): Page<HistoryEntry> | "no_run" | "no_loop" | "ambiguous_loop" | "invalid_cursor" {
  const loop = oneLoop(tables, runId, query.path);
  if (typeof loop === "string") return loop;
  const entries = history(tables, runId, loop.path, query.epoch ?? loop.checkpoint.epoch);
  const order = { positionOf: (entry: HistoryEntry) => [entry.iteration], before: ascending };
  return keysetPage(entries, query, order, (entry) => entry);
}

const ascending = (a: readonly (string | number)[], b: readonly (string | number)[]) =>
  comparePositions(a, b) < 0;

/** `Reads.flows`, by name. */
export function flows(
  tables: Tables,
  page: { limit: number; cursor?: string },
): Page<FlowSummary> | "invalid_cursor" {
  const listed = [...tables.flows].filter(([flow]) => !tables.archived.has(flow));
  const summaries = listed.map(([flow, versions]) => ({
    flow,
    newestVersion: versions.length,
    createdAt: iso(versions[0]?.createdMs ?? 0),
    updatedAt: iso(versions.at(-1)?.createdMs ?? 0),
  }));
  const positionOf = (summary: FlowSummary) => [summary.flow];
  summaries.sort((a, b) => comparePositions(positionOf(a), positionOf(b)));
  return keysetPage(summaries, page, { positionOf, before: ascending }, (summary) => summary);
}

/** `Reads.counts`. */
export function counts(tables: Tables): RunCounts {
  return countsOf([...tables.runs.values()]);
}

/** Runs by status: every status, those without runs as 0. */
export function countsOf(all: readonly RunRow[]): RunCounts {
  const pairs = runStatuses.map((status) => [status, all.filter((run) => run.status === status).length]);
  return Object.fromEntries(pairs) as RunCounts;
}
