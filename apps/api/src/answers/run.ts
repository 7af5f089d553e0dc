import { objectText } from "@agentflow/core";
import type { Failure, HistoryEntry } from "@agentflow/core";
import type { LoopView, Page, RunSummary, RunView } from "@agentflow/engine";

/** A run as JSON text: inputs as they were given, never parsed (L-46). */
export function runText(run: RunView): string {
  const { inputs, loops, outputs, usage, keptResume, ...summary } = run;
  const { tags, ...rest } = summaryAnswer(summary);
  const shown = new Map(outputs.map(({ node, value }) => [node, JSON.stringify(value)]));
  return objectText(
    Object.entries({
      ...texts({ ...rest }),
      keptResume: JSON.stringify(keptResume),
      inputs,
      usage: JSON.stringify(usage),
      loops: JSON.stringify(loops.map(loopAnswer)),
      outputs: objectText(shown),
      tags: JSON.stringify(tags),
    }),
  );
}

/** A page of runs. */
export function runPageText({ items, nextCursor }: Page<RunSummary>): string {
  return JSON.stringify({ items: items.map(summaryAnswer), nextCursor });
}

/** A page of a loop's history. */
export function historyPageText({ items, nextCursor }: Page<HistoryEntry>): string {
  return JSON.stringify({ items: items.map(entryAnswer), nextCursor });
}

function summaryAnswer(run: RunSummary) {
  const { id, flow, version, status, failure, tags, priority, attempt, inDoubt, leaseOwner, rerunOf } = run;
  const { forkedFrom } = run;
  const { concurrencyKey, dueAt, createdAt, startedAt, updatedAt, finishedAt } = run;
  return {
    ...{ id, flow, version, status, failure: failure && failureAnswer(failure), tags },
    ...{
      priority,
      concurrencyKey,
      attempt,
      inDoubt,
      leaseOwner,
      rerunOf,
      forkedFrom,
      dueAt,
      createdAt,
      startedAt,
      updatedAt,
      finishedAt,
    },
  };
}

function loopAnswer(loop: LoopView) {
  const { label, path, status, decision, iterations, nextIteration, maxIterations } = loop;
  const { timeoutMs, elapsedMs, summary, fingerprint, epoch, usage, recent } = loop;
  return {
    ...{ label, path, status, decision, iterations, nextIteration, maxIterations, timeoutMs },
    ...{ elapsedMs, summary, fingerprint, epoch, usage, recent: recent.map(entryAnswer) },
  };
}

function entryAnswer(entry: HistoryEntry) {
  const { iteration, decision, summary, elapsedMs, idempotencyKey, error } = entry;
  const shown = { iteration, decision, summary, elapsedMs, idempotencyKey };
  return error === undefined ? shown : { ...shown, error: failureAnswer(error) };
}

function failureAnswer({ code, message, node, iteration, details }: Failure) {
  return { code, message, node, iteration, details: details ?? {} };
}

function texts(fields: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value)]));
}
