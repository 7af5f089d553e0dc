import type { Caller, ResumeOutcome, ResumeRequest, WithdrawOutcome } from "../../ports/requests.ts";
import type { Wake } from "../../ports/work.ts";
import { append, audit, forgetContexts, release } from "./tables.ts";
import type { KeptRow, RunRow, Tables } from "./tables.ts";

/** Whether the resume is for a time to come. */
export function isLater(tables: Tables, { keep }: ResumeRequest): boolean {
  return keep?.until != null && Date.parse(keep.until) > tables.nowMs();
}

/** Whether the kept resume of a parked run does not name another wait. */
export function isForThisWait(tables: Tables, run: RunRow): boolean {
  const only = tables.kept.get(run.id)?.nextIteration ?? null;
  return only === null || only === run.nextIteration;
}

/** Queues a parked run again with what a resume brings. */
export function carryOn(
  tables: Tables,
  run: RunRow,
  given: Pick<ResumeRequest, "payload" | "inputs" | "flowVersion">,
): void {
  release(tables, run);
  run.status = "queued";
  run.settledMs = null;
  run.fresh = true;
  run.resumePayload = given.payload;
  forgetContexts(tables, run.id);
  if (given.inputs !== null) run.inputs = given.inputs;
  if (given.flowVersion === null) return;
  run.flowVersionId = given.flowVersion.id;
  run.version = given.flowVersion.version;
}

/** Keeps a resume, in the place of one with a time. */
export function keepResume(tables: Tables, run: RunRow, request: ResumeRequest): ResumeOutcome {
  const { id: runId, status, nextIteration } = run;
  if (tables.kept.get(runId)?.untilMs === null) return { kind: "kept_already", status, nextIteration };
  const { payload, inputs, flowVersion, caller, idempotencyKey, requestDigest } = request;
  const until = request.keep?.until ?? null;
  tables.kept.set(runId, {
    untilMs: until === null ? null : Date.parse(until),
    nextIteration: request.nextIteration,
    ...{ payload, inputs, flowVersion, actor: caller.actor, keptMs: tables.nowMs() },
  });
  audit(tables, { runId, action: "resume", caller, idempotencyKey, requestDigest, payload });
  append(tables, run, [{ type: "resume-kept", until }]);
  return { kind: "kept" };
}

/** Gives a parked run the resume kept for this wait, if its time has come. */
export function giveKeptResume(tables: Tables, run: RunRow): boolean {
  const kept = tables.kept.get(run.id);
  if (kept === undefined || run.status !== "waiting" || !isForThisWait(tables, run)) return false;
  if (kept.untilMs !== null && kept.untilMs > tables.nowMs()) return false;
  tables.kept.delete(run.id);
  carryOn(tables, run, kept);
  append(tables, run, [{ type: "run-resumed", nextIteration: run.nextIteration, kept: true }]);
  return true;
}

/** The part of `WorkStore.sweep` that resumes parked runs. */
export function resumeDue(tables: Tables, limit: number): readonly Wake[] {
  const due = [...tables.kept]
    .filter(([, { untilMs }]) => untilMs !== null)
    .flatMap(([runId]) => tables.runs.get(runId) ?? [])
    .filter((run) => giveKeptResume(tables, run));
  return due.slice(0, limit).map(({ id: runId, token }) => ({ runId, token, delayMs: 0 }));
}

/** `WorkStore.wakeOfKeptResume`. */
export function wakeOfKeptResume(tables: Tables, runId: string): Wake | null {
  const run = tables.runs.get(runId);
  return run?.status === "queued" ? { runId, token: run.token, delayMs: 0 } : null;
}

/** `RequestStore.withdrawResume`. */
export function withdrawResume(tables: Tables, runId: string, caller: Caller): WithdrawOutcome {
  const run = tables.runs.get(runId);
  if (run === undefined) return { kind: "not_found" };
  if (!tables.kept.delete(runId)) return { kind: "nothing_kept" };
  audit(tables, { runId, action: "resume_withdraw", caller });
  append(tables, run, [{ type: "resume-withdrawn" }]);
  return { kind: "withdrawn" };
}

/** When a run that pauses or is parked goes on by itself; ms. */
export function dueMs(tables: Tables, run: RunRow): number | null {
  const kept: KeptRow | undefined = tables.kept.get(run.id);
  if (run.status !== "waiting") return run.dueMs;
  return isForThisWait(tables, run) ? (kept?.untilMs ?? null) : null;
}
