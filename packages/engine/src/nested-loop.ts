import { HIGHEST_ITERATIONS_CAP, fingerprintIsWellFormed } from "@agentflow/core";
import type { Checkpoint, HistoryEntry } from "@agentflow/core";
import { formOutputs } from "./forms/form.ts";
import { captureLoop, firstCheckpoint, labelOf, pathOf } from "./loop-start.ts";
import { noteIteration } from "./observing.ts";
import type { LoopEnd, LoopVisit } from "./run-graph.ts";
import { iterationDone, iterationRetried, nestedWait, runTurn } from "./run-turn.ts";
import { failed } from "./step-context.ts";
import type { StepContext, Stop } from "./step-context.ts";

/**
 * Runs a loop that stands inside a subflow to its end, inside its parent's job and deadline (L-20). Each inner iteration
 * is stored as it completes, so that after a crash the loop goes on where it was (S-11).
 */
export async function runNestedLoop(context: StepContext, visit: LoopVisit): Promise<LoopEnd> {
  const begun = await beginOrContinue(context, visit);
  if ("kind" in begun) return begun;
  let checkpoint = begun;
  let priorMs = 0;
  while (checkpoint.status === "running") {
    const startedMs = context.deps.clock.monotonicMs();
    const turn = await runTurn(context, visit, checkpoint, { priorMs, resume: null });
    if (turn.kind !== "turned") return turn;
    const workedMs = context.deps.clock.monotonicMs() - startedMs;
    const { checkpoint: next, entry, next: goal } = turn.transition;
    if (goal.kind === "park") return failed(nestedWait(visit.id, checkpoint.nextIteration));
    if (entry) context.lease.emit(iterationDone(context, visit.id, entry, turn.warnings));
    if (goal.kind === "retry") context.lease.emit(iterationRetried(context, visit.id, turn.transition));
    const stale = await store(context, visit, next, entry);
    if (stale) return stale;
    noteIteration(context, checkpoint, turn.transition, { startedMs, workedMs, nested: true });
    if (goal.kind === "fail") return failed(goal.failure);
    checkpoint = next;
    priorMs = goal.kind === "retry" ? goal.activeMs : 0;
    const stopped = goal.kind === "leave" ? null : await pauseInside(context, goal.pauseMs);
    if (stopped) return stopped;
  }
  return { kind: "left", outputs: await outputs(context, visit, checkpoint) };
}

/**
 * A pause inside an iteration waits under the lease, so that the walk around it need not be done again; cancel, drain and the
 * deadline around it cut it. After a crash the loop goes on without what was left of the pause, which stays charged.
 */
async function pauseInside({ deps, lease, deadline }: StepContext, ms: number): Promise<Stop | null> {
  if (ms === 0) return null;
  const leftMs = deadline === null ? ms : Math.max(0, deadline.atMs - deps.clock.monotonicMs());
  await deps.clock.pause(Math.min(ms, leftMs), lease.signal);
  if (lease.stopped) return { kind: "aborted" };
  return deadline !== null && leftMs < ms ? { kind: "deadline", owner: deadline.owner } : null;
}

async function beginOrContinue(context: StepContext, visit: LoopVisit): Promise<Checkpoint | Stop> {
  const { deps, claim, scope } = context;
  const highest = {
    maxIterations: HIGHEST_ITERATIONS_CAP,
    maxTimeoutMs: Number.MAX_SAFE_INTEGER,
    maxRepeatIterations: HIGHEST_ITERATIONS_CAP,
  };
  const stored = await deps.store.checkpoint(claim.runId, pathOf(context, visit.id));
  if (
    stored &&
    stored.checkpoint.epoch === scope.epoch &&
    fingerprintIsWellFormed(stored.checkpoint.fingerprint)
  ) {
    const captured = captureLoop(context, visit, highest);
    const same = captured.ok && captured.start.fingerprint === stored.checkpoint.fingerprint;
    if (same && stored.checkpoint.status !== "failed") return stored.checkpoint;
  }
  const captured = captureLoop(context, visit, deps.caps);
  if (!captured.ok) return failed(captured.failure);
  const first = firstCheckpoint(context, captured.start, scope.epoch);
  return (await store(context, visit, first, null)) ?? first;
}

async function store(
  context: StepContext,
  visit: LoopVisit,
  checkpoint: Checkpoint,
  entry: HistoryEntry | null,
): Promise<Stop | null> {
  const { deps, claim, lease, scope } = context;
  const path = pathOf(context, visit.id);
  const events = await lease.takeEvents();
  const stored = await deps.store.commitNested({
    fence: { runId: claim.runId, token: claim.token },
    path,
    label: labelOf(context, visit.id),
    scope,
    checkpoint,
    entry,
    events,
  });
  return stored.kind === "stale" ? { kind: "stale" } : null;
}

async function outputs(context: StepContext, visit: LoopVisit, checkpoint: Checkpoint) {
  const { deps, claim, plan } = context;
  const history = plan.readsHistory(visit.id)
    ? await deps.store.history(claim.runId, pathOf(context, visit.id), checkpoint.epoch)
    : [];
  return formOutputs(context, visit, checkpoint, history);
}
