import type { Caller, DeleteOutcome, ResetOutcome } from "../../ports/requests.ts";
import { wakeOf } from "./requests.ts";
import { append, audit, forgetContexts, release, rowKey } from "./tables.ts";
import type { Tables } from "./tables.ts";

/** `RequestStore.resetRun`: the epoch of the loop is raised to the highest that has rows, so that the next one is new. */
export function resetRun(tables: Tables, runId: string, path: string, caller: Caller): ResetOutcome {
  const run = tables.runs.get(runId);
  if (run === undefined) return { kind: "not_found" };
  if (run.status !== "failed" || run.failure?.code !== "checkpoint_corrupt")
    return { kind: "refused", status: run.status };
  const row = tables.checkpoints.get(rowKey(runId, path));
  if (row !== undefined) {
    const { epoch } = row.checkpoint;
    const rows = [...tables.history.values()].filter((one) => one.runId === runId && one.path === path);
    const known = Math.max(epoch >= 0 && epoch <= 1_000_000 ? epoch : 0, ...rows.map((one) => one.epoch));
    tables.checkpoints.set(rowKey(runId, path), {
      ...row,
      checkpoint: { ...row.checkpoint, epoch: known },
    });
  }
  release(tables, run);
  Object.assign(run, { status: "queued", fresh: true, failure: null, finishedMs: null, settledMs: null });
  run.reset = path;
  run.resumePayload = null;
  audit(tables, { runId, action: "reset", caller });
  append(tables, run, [{ type: "run-reset", loop: path }]);
  return { kind: "reset", wake: wakeOf(run) };
}

/** `RequestStore.deleteRun`. */
export function deleteRun(tables: Tables, runId: string, caller: Caller): DeleteOutcome {
  const run = tables.runs.get(runId);
  if (run === undefined) return { kind: "not_found" };
  if (run.status === "running") return { kind: "running", status: run.status };
  forgetRun(tables, runId);
  audit(tables, { runId, action: "delete", caller });
  return { kind: "deleted" };
}

/** Removes a run with everything stored for it; audit rows stay without payloads. */
export function forgetRun(tables: Tables, runId: string): void {
  for (const rows of [tables.checkpoints, tables.history, tables.steps]) {
    for (const [key, row] of rows) if (row.runId === runId) rows.delete(key);
  }
  tables.events.delete(runId);
  tables.kept.delete(runId);
  forgetContexts(tables, runId);
  tables.logs = tables.logs.filter((log) => log.runId !== runId);
  tables.runs.delete(runId);
  for (const row of tables.audits) if (row.runId === runId) row.payload = null;
}
