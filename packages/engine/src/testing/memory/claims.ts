import { failure } from "@agentflow/core";
import type { ClaimOutcome, Fence, Wake } from "../../ports/work.ts";
import { resumeDue } from "./kept-resumes.ts";
import { admit, limitedWithRoom } from "./limits.ts";
import { append, dispatchGraceMs, end, fenced, leased, sweepBackOffMs } from "./tables.ts";
import type { RunRow, Tables } from "./tables.ts";

/** `WorkStore.claim` (S-6): over a dead attempt it charges that attempt's noted time and marks the run in doubt (L-35, L-52). */
export function claim(
  tables: Tables,
  wake: { runId: string; token: number },
  worker: string,
  leaseMs: number,
  maxAttempts: number,
): ClaimOutcome {
  const run = tables.runs.get(wake.runId);
  if (run === undefined || run.token !== wake.token || !isLive(run)) return { kind: "stale" };
  if (leased(tables, run) || pauses(tables, run)) return { kind: "held" };
  const limited = tables.limits.has(run.flow);
  if (limited && !admit(tables, run)) return { kind: "limited" };
  if (run.attempt >= maxAttempts) return exhaust(tables, run);
  if (run.leaseOwner !== null) chargeDeadAttempt(run);
  run.status = "running";
  run.dueMs = null;
  run.token += 1;
  run.attempt += 1;
  run.leaseOwner = worker;
  run.leaseUntilMs = tables.nowMs() + leaseMs;
  run.dispatchAfterMs = run.leaseUntilMs;
  run.claimedMs = tables.nowMs();
  run.startedMs ??= tables.nowMs();
  run.updatedMs = tables.nowMs();
  const {
    id: runId,
    token,
    flowVersionId,
    fresh,
    attempt,
    priorMs,
    inputs,
    loop,
    nextIteration,
    resumePayload,
    reset,
  } = run;
  return {
    kind: "claimed",
    claim: {
      runId,
      token,
      flowVersionId,
      fresh,
      attempt,
      priorMs,
      inputs,
      loop,
      nextIteration,
      resumePayload,
      reset,
      ...(limited ? { limited } : {}),
    },
  };
}

/** Queued or running. */
export function isLive(run: RunRow): boolean {
  return run.status === "queued" || run.status === "running";
}

/** Whether its next iteration waits for a time (O-1). */
export function pauses(tables: Tables, run: RunRow): boolean {
  return run.dueMs !== null && run.dueMs > tables.nowMs();
}

function noteDeadAttempt(run: RunRow): void {
  const { attempt, nextIteration: iteration, leaseOwner: worker, claimedMs } = run;
  if (worker !== null) run.lost = { attempt, iteration, worker, startedMs: claimedMs ?? 0 };
}

function chargeDeadAttempt(run: RunRow): void {
  noteDeadAttempt(run);
  run.priorMs += run.attemptMs;
  run.attemptMs = 0;
  run.inDoubt = true;
  run.fresh = true;
}

function exhaust(tables: Tables, run: RunRow): ClaimOutcome {
  noteDeadAttempt(run);
  const reason = failure("worker_lost", `${run.attempt} workers were lost in the same unit of work`);
  const iteration = run.loop === null ? null : run.nextIteration;
  end(tables, run, "failed", { ...reason, iteration });
  append(tables, run, [{ type: "run-failed", code: reason.code, message: reason.message }]);
  return { kind: "exhausted" };
}

/** `WorkStore.heartbeat` (S-8). */
export function heartbeat(
  tables: Tables,
  beats: readonly (Fence & { activeMs: number })[],
  leaseMs: number,
): ReadonlySet<string> {
  const held = new Set<string>();
  for (const beat of beats) {
    const run = fenced(tables, beat);
    if (run === null) continue;
    run.leaseUntilMs = tables.nowMs() + leaseMs;
    run.dispatchAfterMs = run.leaseUntilMs;
    run.attemptMs = beat.activeMs;
    held.add(run.id);
  }
  return held;
}

/** `WorkStore.handBack` (S-27, L-51): a fresh claim stays fresh for the next owner, since nothing proves it was validated. */
export function handBack(
  tables: Tables,
  fence: Fence,
  activeMs: number,
  how: { readonly counted: boolean; readonly delayMs: number },
): Wake | null {
  const run = fenced(tables, fence);
  if (run === null) return null;
  run.token += 1;
  if (!how.counted) run.attempt -= 1;
  run.priorMs += activeMs;
  run.attemptMs = 0;
  run.leaseOwner = null;
  run.leaseUntilMs = 0;
  run.dispatchAfterMs = tables.nowMs() + how.delayMs + dispatchGraceMs;
  run.updatedMs = tables.nowMs();
  return { runId: run.id, token: run.token, delayMs: how.delayMs };
}

/** `WorkStore.sweep` (S-9): the token stays, so a wake that was not lost after all is the same job (A11). */
export function sweep(tables: Tables, limit: number): readonly Wake[] {
  const due = [...tables.runs.values()]
    .filter(
      (run) =>
        isLive(run) && run.dispatchAfterMs <= tables.nowMs() && !leased(tables, run) && !pauses(tables, run),
    )
    .sort((a, b) => a.dispatchAfterMs - b.dispatchAfterMs)
    .slice(0, limit);
  for (const run of due) run.dispatchAfterMs = tables.nowMs() + sweepBackOffMs;
  const lost = due.map((run) => {
    const stillMs = tables.nowMs() - (run.dueMs ?? run.updatedMs);
    const isNew = run.dueMs === null && stillMs < 60_000;
    const again = isNew ? {} : { again: 1 + Math.floor(Math.log2(Math.max(1, stillMs / 60_000))) };
    return { runId: run.id, token: run.token, delayMs: 0, ...again };
  });
  return [...resumeDue(tables, limit), ...lost, ...limitedWithRoom(tables, null, limit)];
}
