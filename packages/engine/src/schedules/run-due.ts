import { members } from "@agentflow/core";
import type { DueSchedule, NextTick, ScheduleStore, TickNote } from "../ports/schedules.ts";
import { StoreUnavailable } from "../ports/store-errors.ts";
import { startRun } from "../start-run.ts";
import type { StartDeps } from "../start-run.ts";
import { chooseTick, dueOf } from "./ticks.ts";

/** How soon a tick that waits for an earlier run is looked at again; ms. */
const LOOK_AGAIN_MS = 2000;

export type RunDueDeps = StartDeps & { readonly schedules: ScheduleStore };

/** The tag of every run that a schedule started. */
export function scheduleTag(id: string): string {
  return `schedule:${id}`;
}

/**
 * Deals with one tick of the schedule that is due first; false when none is. A process that dies between the start and the note
 * is followed by another one that starts the same tick under the same Idempotency-Key: one run per tick.
 */
export async function runDueSchedule(deps: RunDueDeps, leaseMs: number): Promise<boolean> {
  const due = await deps.schedules.take(deps.newId(), leaseMs);
  if (due === null) return false;
  await deps.schedules.note(due, await dealWith(deps, due));
  return true;
}

async function dealWith(deps: RunDueDeps, due: DueSchedule): Promise<TickNote> {
  const { id, next, nowMs, jitterMs, overlap, lastRunLives } = due;
  if (lastRunLives && overlap === "queue")
    return { next: { ...next, dueMs: nowMs + LOOK_AGAIN_MS }, outcome: null };
  const { tickMs, afterMs, missed } = chooseTick(due, next.nextMs, nowMs);
  const after: NextTick | null = afterMs === null ? null : dueOf(deps.sha256, id, afterMs, jitterMs);
  const skipped = (message: string): TickNote => ({
    next: after,
    outcome: { kind: "skipped", tickMs, message, runId: null },
  });
  if (missed) return skipped("Nobody dealt with the tick in time.");
  if (lastRunLives && overlap === "skip") return skipped("The run of an earlier tick had not ended.");
  return { next: after, outcome: { tickMs, ...(await start(deps, due, tickMs)) } };
}

type Started = Pick<NonNullable<TickNote["outcome"]>, "kind" | "message" | "runId">;

/** A fault of one schedule is its outcome, so that it never holds up others; an outage ends the step. */
async function start(deps: RunDueDeps, due: DueSchedule, tickMs: number): Promise<Started> {
  const failed = (message: string): Started => ({ kind: "failed", message, runId: null });
  const { id, flow, version, inputs, tags, priority, concurrencyKey } = due;
  try {
    const result = await startRun(deps, {
      ...{ flow, version, inputs: members(inputs), priority, concurrencyKey },
      tags: [...tags, scheduleTag(id)],
      idempotencyKey: `schedule-${id}-${new Date(tickMs).toISOString()}`,
    });
    switch (result.kind) {
      case "created":
      case "existing":
      // Started by somebody who died before it was noted; the plan was changed since.
      case "conflict":
        return { kind: "started", message: null, runId: result.runId };
      case "not_found":
        return failed("There is no such flow or version, or the flow is archived.");
      case "invalid":
        return failed(result.failures[0]?.message ?? "");
    }
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    return failed(error instanceof Error ? error.message : String(error));
  }
}
