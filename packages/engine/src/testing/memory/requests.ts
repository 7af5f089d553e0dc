import type { Failure } from "@agentflow/core";
import type {
  CancelOutcome,
  Caller,
  NewRun,
  ResumeOutcome,
  ResumeRequest,
  RunHead,
  StartOutcome,
} from "../../ports/requests.ts";
import type { Wake } from "../../ports/work.ts";
import { isLive } from "./claims.ts";
import { carryOn, isForThisWait, isLater, keepResume } from "./kept-resumes.ts";
import { append, audit, dispatchGraceMs, end, leased } from "./tables.ts";
import type { RunRow, Tables } from "./tables.ts";

/** `RequestStore.startRun`. */
export function startRun(tables: Tables, start: NewRun): StartOutcome {
  const earlier = start.idempotencyKey === null ? undefined : byKey(tables, start.idempotencyKey);
  if (earlier !== undefined) {
    return {
      kind: earlier.requestDigest === start.requestDigest ? "existing" : "conflict",
      runId: earlier.id,
    };
  }
  if (tables.runs.has(start.id)) throw new Error(`there is a run ${start.id} already`);
  const run = newRow(start, tables.nowMs());
  tables.runs.set(run.id, run);
  append(tables, run, start.events);
  return { kind: "created", wake: wakeOf(run) };
}

/** The run that an Idempotency-Key started. */
export function byKey(tables: Tables, idempotencyKey: string): RunRow | undefined {
  return [...tables.runs.values()].find((run) => run.idempotencyKey === idempotencyKey);
}

/** The row of a run that was just stored. */
export function newRow(start: NewRun, nowMs: number, forkedFrom: RunRow["forkedFrom"] = null): RunRow {
  const { id, flow, version, flowVersionId, inputs, priority, idempotencyKey, requestDigest, rerunOf } =
    start;
  return {
    ...{ id, flow, version, flowVersionId, inputs, priority, idempotencyKey, requestDigest, rerunOf },
    forkedFrom,
    concurrencyKey: start.concurrencyKey ?? null,
    tags: [...start.tags],
    status: "queued",
    token: 1,
    loop: null,
    nextIteration: 1,
    attempt: 0,
    fresh: true,
    leaseOwner: null,
    leaseUntilMs: 0,
    attemptMs: 0,
    priorMs: 0,
    inDoubt: false,
    dispatchAfterMs: nowMs + dispatchGraceMs,
    dueMs: null,
    failure: null,
    resumePayload: null,
    reset: null,
    claimedMs: null,
    settledMs: null,
    createdMs: nowMs,
    startedMs: null,
    updatedMs: nowMs,
    finishedMs: null,
  };
}

export function wakeOf(run: RunRow): Wake {
  return { runId: run.id, token: run.token, delayMs: 0 };
}

/** `RequestStore.resumeRun` (L-39, L-40): a repeated key is answered before the status is looked at. */
export function resumeRun(tables: Tables, request: ResumeRequest): ResumeOutcome {
  const run = tables.runs.get(request.runId);
  if (run === undefined) return { kind: "not_found" };
  const { idempotencyKey, requestDigest, payload, caller } = request;
  const earlier = tables.audits.find(
    (audit) =>
      audit.runId === run.id &&
      audit.action === "resume" &&
      audit.idempotencyKey !== null &&
      audit.idempotencyKey === idempotencyKey,
  );
  if (earlier !== undefined)
    return { kind: earlier.requestDigest === requestDigest ? "repeated" : "key_conflict" };
  const { status, nextIteration } = run;
  const early = request.keep?.buffer === true && isLive(run);
  if (status !== "waiting" && !early) return { kind: "not_waiting", status, nextIteration };
  if (!early && request.nextIteration !== null && request.nextIteration !== nextIteration)
    return { kind: "other_iteration", status, nextIteration };
  if (early || isLater(tables, request)) return keepResume(tables, run, request);

  if (tables.kept.has(run.id) && isForThisWait(tables, run)) tables.kept.delete(run.id);
  carryOn(tables, run, request);
  audit(tables, { runId: run.id, action: "resume", caller, idempotencyKey, requestDigest, payload });
  append(tables, run, [{ type: "run-resumed", nextIteration }]);
  return { kind: "resumed", wake: wakeOf(run) };
}

/** `RequestStore.cancelRun`: at once, whoever holds the run (P-27, P-28). */
export function cancelRun(tables: Tables, runId: string, caller: Caller, failure: Failure): CancelOutcome {
  const run = tables.runs.get(runId);
  if (run === undefined) return { kind: "not_found" };
  if (run.status === "cancelled") return { kind: "already_cancelled" };
  if (run.status === "succeeded" || run.status === "failed") return { kind: "ended", status: run.status };
  const executing = leased(tables, run);
  end(tables, run, "cancelled", failure);
  audit(tables, { runId, action: "cancel", caller });
  append(tables, run, [{ type: "run-cancelled", code: failure.code, message: failure.message }]);
  return { kind: "cancelled", executing };
}

/** `RequestStore.runHead`. */
export function runHead(tables: Tables, runId: string): RunHead | null {
  const run = tables.runs.get(runId);
  if (run === undefined) return null;
  const { id, flow, version, flowVersionId, status, inputs, nextIteration, tags, priority, failure } = run;
  const { concurrencyKey } = run;
  return {
    ...{
      id,
      flow,
      version,
      flowVersionId,
      status,
      inputs,
      nextIteration,
      tags,
      priority,
      concurrencyKey,
      failure,
    },
  };
}
