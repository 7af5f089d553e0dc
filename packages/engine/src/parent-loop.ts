import { HIGHEST_ITERATIONS_CAP, checkpointProblem, failure, fingerprintIsWellFormed } from "@agentflow/core";
import type { Checkpoint, HistoryEntry } from "@agentflow/core";
import { formOutputs } from "./forms/form.ts";
import { contentFor } from "./context/content.ts";
import { optionsOf } from "./loop-options.ts";
import { captureLoop, firstCheckpoint, labelOf, pathOf } from "./loop-start.ts";
import type { LoopStart } from "./loop-start.ts";
import { noteIteration } from "./observing.ts";
import { FORKED_SCHEMA } from "./ports/timeline.ts";
import type { Claim, StoredCheckpoint } from "./ports/work.ts";
import type { LoopEnd, LoopVisit } from "./run-graph.ts";
import { iterationDone, iterationRetried, keyOf, runTurn } from "./run-turn.ts";
import { failed, loadJournal } from "./step-context.ts";
import type { StepContext, Stop } from "./step-context.ts";

const NO_CAPS = {
  maxIterations: HIGHEST_ITERATIONS_CAP,
  maxTimeoutMs: Number.MAX_SAFE_INTEGER,
  maxRepeatIterations: HIGHEST_ITERATIONS_CAP,
};

/**
 * A loop of the parent graph: one job, one iteration, one commit (L-3, S-7). A loop that is done gives its outputs and the
 * walk goes on; otherwise exactly one iteration runs, its commit frees the run, and the next job is woken after it.
 */
export async function runParentLoop(context: StepContext, visit: LoopVisit): Promise<LoopEnd> {
  const ready = await readyLoop(context, visit);
  if ("kind" in ready) return ready;
  const { checkpoint } = ready;
  if (checkpoint.status === "done")
    return { kind: "left", outputs: await outputsOf(context, visit, checkpoint) };
  return iterate(context, visit, ready);
}

async function outputsOf(context: StepContext, visit: LoopVisit, checkpoint: Checkpoint) {
  const { deps, claim, plan } = context;
  const path = JSON.stringify([visit.id]);
  const history = plan.readsHistory(visit.id)
    ? await deps.store.history(claim.runId, path, checkpoint.epoch)
    : [];
  return formOutputs(context, visit, checkpoint, history);
}

/** A loop that can iterate, with the step its last history row keeps. */
type ReadyLoop = Pick<StoredCheckpoint, "checkpoint" | "step">;

/** The checkpoint to go on from: stored, begun now, or reset because an authored input changed (L-41). */
async function readyLoop(context: StepContext, visit: LoopVisit): Promise<ReadyLoop | Stop> {
  const { deps, claim } = context;
  const path = pathOf(context, visit.id);
  const recent = claim.fresh ? null : deps.recent.take(claim.runId, claim.token - 1, path);
  if (recent) return recent;
  const stored = await deps.store.checkpoint(claim.runId, path);
  if (!stored) return begin(context, visit);
  if (stored.checkpoint.schema === FORKED_SCHEMA) return adopt(context, visit, stored);
  if (claim.reset === path) return reset(context, visit, stored.checkpoint, ["reset by an operator"]);
  const { checkpoint } = stored;
  const position = claim.loop === stored.path;
  if (position && !claim.fresh) return stored;
  if (!fingerprintIsWellFormed(checkpoint.fingerprint))
    return corrupt(visit, "the stored fingerprint is blank or malformed");
  const captured = captureLoop(context, visit, NO_CAPS);
  if (!captured.ok) return failed(captured.failure);
  if (captured.start.fingerprint !== checkpoint.fingerprint) return reset(context, visit, checkpoint);
  const problem = claim.fresh ? await storedProblem(context, visit, stored) : null;
  if (problem !== null) return corrupt(visit, problem);
  const noContext = claim.fresh && position ? await captureContext(context, visit) : null;
  if (noContext) return noContext;
  if (position || checkpoint.status === "done") return stored;
  return makePosition(context, stored);
}

/** An earlier loop was reset and is done again: this one, unchanged, becomes the run's position where it stood. */
async function makePosition(
  { deps, claim }: StepContext,
  stored: StoredCheckpoint,
): Promise<ReadyLoop | Stop> {
  const entered = await deps.store.beginLoop(claim, stored, []);
  return entered.kind === "stored" ? stored : { kind: "stale" };
}

async function storedProblem(
  context: StepContext,
  visit: LoopVisit,
  { checkpoint, inherited = 0 }: StoredCheckpoint,
): Promise<string | null> {
  const { deps, claim } = context;
  const path = pathOf(context, visit.id);
  const history = await deps.store.history(claim.runId, path, checkpoint.epoch);
  const parked = checkpoint.status === "waiting";
  return checkpointProblem({
    checkpoint,
    history,
    parked,
    inherited,
    sha256: deps.sha256,
    keyOf: keyOf(context, path, checkpoint),
  });
}

function corrupt(visit: LoopVisit, problem: string): Stop {
  const message = `The checkpoint cannot be trusted: ${problem}. Nothing was executed and nothing was changed.`;
  return failed({ ...failure("checkpoint_corrupt", message), node: visit.id });
}

async function begin(context: StepContext, visit: LoopVisit): Promise<ReadyLoop | Stop> {
  const captured = captureLoop(context, visit, context.deps.caps);
  if (!captured.ok) return failed(captured.failure);
  return storeStart(context, visit, captured.start, null);
}

async function reset(
  context: StepContext,
  visit: LoopVisit,
  old: Checkpoint,
  reasons: readonly string[] = [],
): Promise<ReadyLoop | Stop> {
  const captured = captureLoop(context, visit, context.deps.caps);
  if (!captured.ok) return failed(captured.failure);
  const { config, fingerprint } = captured.start;
  const changed = [
    ...reasons,
    ...(config.maxIterations === old.maxIterations ? [] : ["maxIterations"]),
    ...(config.timeoutMs === old.timeoutMs ? [] : ["timeout"]),
  ];
  context.lease.emit({
    type: "loop-reset",
    node: visit.id,
    epoch: old.epoch + 1,
    oldFingerprint: old.fingerprint,
    newFingerprint: fingerprint,
    changed: changed.length > 0 ? changed : ["definition or initial state"],
  });
  return storeStart(context, visit, captured.start, old);
}

/** Resolves the loop's context before anything of it runs: once per start or resume (L-48, L-49, L-10). */
async function captureContext(context: StepContext, visit: LoopVisit): Promise<Stop | null> {
  const found = await contentFor(context, visit.id, visit.inputs);
  if (found.kind === "content") return null;
  return found.kind === "failed" ? failed({ ...found.failure, node: visit.id }) : found;
}

async function storeStart(
  context: StepContext,
  visit: LoopVisit,
  start: LoopStart,
  old: Checkpoint | null,
): Promise<ReadyLoop | Stop> {
  const { deps, claim, lease } = context;
  const noContext = await captureContext(context, visit);
  if (noContext) return noContext;
  const checkpoint = firstCheckpoint(context, start, old === null ? 0 : old.epoch + 1);
  const loop = { path: pathOf(context, visit.id), label: labelOf(context, visit.id), checkpoint };
  const events = await lease.takeEvents();
  const stored = await (old === null
    ? deps.store.beginLoop(claim, loop, events)
    : deps.store.resetLoop(claim, loop, events));
  return stored.kind === "stored" ? { checkpoint } : { kind: "stale" };
}

/** A fork begins where the other run's loop stood: from here on it is a loop of this run, with a fingerprint of its own inputs. */
async function adopt(
  context: StepContext,
  visit: LoopVisit,
  { path, checkpoint: given }: StoredCheckpoint,
): Promise<ReadyLoop | Stop> {
  const { deps, claim, lease } = context;
  const captured = captureLoop(context, visit, NO_CAPS);
  if (!captured.ok) return failed(captured.failure);
  const noContext = await captureContext(context, visit);
  if (noContext) return noContext;
  const { schema, fingerprint } = firstCheckpoint(context, captured.start, given.epoch);
  const checkpoint = { ...given, schema, fingerprint };
  const loop = { path, label: labelOf(context, visit.id), checkpoint };
  const stored = await deps.store.beginLoop(claim, loop, await lease.takeEvents());
  return stored.kind === "stored" ? { checkpoint } : { kind: "stale" };
}

/** What the history row keeps of the state (OP-7); nothing where the loop or the operator keeps no timeline. */
async function stepOf(
  context: StepContext,
  visit: LoopVisit,
  ready: ReadyLoop,
  { entry, state }: { readonly entry: HistoryEntry | null; readonly state: string },
): Promise<{ readonly step?: Uint8Array }> {
  const { timeline } = context.deps;
  if (timeline === undefined || entry === null) return {};
  const options = optionsOf(context, visit);
  if (!options.ok || !options.options.timeline) return {};
  return { step: await timeline.step(ready.step, ready.checkpoint.state, state) };
}

async function iterate(context: StepContext, visit: LoopVisit, ready: ReadyLoop): Promise<Stop> {
  const { deps, claim, lease, plan } = context;
  const { checkpoint } = ready;
  const startedMs = deps.clock.monotonicMs();
  const path = pathOf(context, visit.id);
  const scope = { loop: path, epoch: checkpoint.epoch, iteration: checkpoint.nextIteration };
  const journal = plan.iterationJournals(visit.id)
    ? await loadJournal(deps.store, claim.runId, scope)
    : new Map();

  lease.startActive();
  const inner: StepContext = { ...context, scope, journal };
  const workFromMs = deps.clock.monotonicMs();
  const turn = await runTurn(inner, visit, checkpoint, {
    priorMs: claim.priorMs,
    resume: claim.resumePayload,
  });
  if (turn.kind !== "turned") return turn;
  const workedMs = deps.clock.monotonicMs() - workFromMs;
  const { checkpoint: next, entry, next: goal } = turn.transition;
  if (entry) lease.emit(iterationDone(context, visit.id, entry, turn.warnings));
  if (goal.kind === "retry") lease.emit(iterationRetried(context, visit.id, turn.transition));
  if (goal.kind === "park")
    lease.emit({
      type: "run-waiting",
      node: visit.id,
      iteration: next.nextIteration - 1,
      summary: next.summary,
    });
  if (goal.kind === "fail")
    lease.emit({
      type: "run-failed",
      node: visit.id,
      code: goal.failure.code,
      message: goal.failure.message,
    });
  const pauseMs = goal.kind === "iterate" || goal.kind === "retry" ? goal.pauseMs : 0;
  const kept = await stepOf(context, visit, ready, { entry, state: next.state });
  lease.ending();
  const outcome = await deps.store.commitIteration({
    fence: { runId: claim.runId, token: claim.token },
    ...(claim.unclaimed === true ? { unclaimed: true } : {}),
    path,
    expectedIteration: checkpoint.nextIteration,
    checkpoint: next,
    stateChanged: next.state !== checkpoint.state,
    lastChanged: next.last !== checkpoint.last,
    entry,
    ...kept,
    attempts: claim.attempt + checkpoint.tries,
    pauseMs,
    priorMs: goal.kind === "retry" ? goal.activeMs : 0,
    run:
      goal.kind === "fail"
        ? { status: "failed", failure: goal.failure }
        : { status: goal.kind === "park" ? "waiting" : "running" },
    events: await lease.takeEvents(),
  });
  if (outcome.kind === "stale") return { kind: "stale" };
  noteIteration(context, checkpoint, turn.transition, { startedMs, workedMs, nested: false });
  const trimmed = kept.step !== undefined && (await deps.timeline!.kept(claim.runId, kept.step));
  const goesOn = goal.kind !== "park" && goal.kind !== "fail";
  if (goesOn) {
    const step = trimmed ? undefined : entry === null ? ready.step : kept.step;
    const label = labelOf(context, visit.id);
    const stored = { path, label, checkpoint: next, ...(step !== undefined && { step }) };
    const ahead = goal.kind === "iterate" && pauseMs === 0 && plan.iteratesPurely(visit.id);
    deps.recent.keep(
      claim.runId,
      outcome.token,
      stored,
      ahead ? claimAhead(claim, outcome.token, stored) : null,
    );
  }
  if (goesOn) deps.relay.wake({ runId: claim.runId, token: outcome.token, delayMs: pauseMs });
  if (goal.kind === "park") await wakeResumed(context);
  return { kind: "committed" };
}

/** A resume that came before the wait has carried the run on in the very commit; without this wake the sweep would do. */
async function wakeResumed({ deps, claim }: StepContext): Promise<void> {
  const wake = await deps.store.wakeOfKeptResume(claim.runId);
  if (wake !== null) deps.relay.wake(wake);
}

/** The claim on the next iteration, as the store would hand it out if nobody else writes to the run meanwhile. */
function claimAhead(claim: Claim, token: number, { path, checkpoint }: StoredCheckpoint): Claim {
  const { runId, flowVersionId, inputs } = claim;
  const { nextIteration } = checkpoint;
  const first = { fresh: false, attempt: 1, priorMs: 0, resumePayload: null, reset: null };
  return {
    runId,
    token: token + 1,
    flowVersionId,
    inputs,
    loop: path,
    nextIteration,
    ...first,
    unclaimed: true,
  };
}
