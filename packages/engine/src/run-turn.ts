import { failure, gate, idempotencyKey, transition } from "@agentflow/core";
import type { Checkpoint, HistoryEntry, LoopEvent, Transition } from "@agentflow/core";
import { guardAnswer, withGuards } from "./guard-turn.ts";
import { optionsOf } from "./loop-options.ts";
import { pathOf } from "./loop-start.ts";
import type { LoopVisit } from "./run-graph.ts";
import { runIteration } from "./run-iteration.ts";
import { failed, placed } from "./step-context.ts";
import type { Deadline, StepContext, Stop } from "./step-context.ts";

/** Errors of how a flow is put together: they would come again, and no loop tolerates them (O-2). */
const CONTRACT_ERRORS: ReadonlySet<string> = new Set([
  "subflow_contract",
  "subflow_recursive",
  "subflow_paused",
  "nested_wait_unsupported",
]);

/** How one turn of a loop ended: a transition to store, or a stop that is none of the loop's business. */
export type TurnEnd =
  | { readonly kind: "turned"; readonly transition: Transition; readonly warnings?: readonly string[] }
  | Stop;

/**
 * One turn of a loop from its checkpoint: limits first, in the order of L-13, then the iteration under the remaining
 * time, then the state machine. Nothing is stored here. `priorMs` is active time of earlier, lost attempts at it.
 */
export async function runTurn(
  context: StepContext,
  visit: LoopVisit,
  checkpoint: Checkpoint,
  earlier: { readonly priorMs: number; readonly resume: string | null },
): Promise<TurnEnd> {
  const { deps, lease, claim } = context;
  const path = pathOf(context, visit.id);
  const options = optionsOf(context, visit);
  if (!options.ok) return failed(options.failure);
  const policy = options.options;
  const passed = gate(checkpoint, earlier.priorMs);
  if (passed.kind !== "execute") return turned(checkpoint, { type: passed.kind, elapsedMs: earlier.priorMs });

  const key = keyOf(context, path, checkpoint)(passed.iteration);
  const { maxIterations } = checkpoint;
  const start = {
    iteration: passed.iteration,
    maxIterations,
    remainingMs: passed.remainingMs,
    idempotencyKey: key,
  };
  lease.emit(
    placed(context, { type: "while-iteration-start", node: visit.id, attempt: claim.attempt, ...start }),
  );
  const startedAt = deps.clock.monotonicMs();
  const deadline = sooner(context.deadline, { atMs: startedAt + passed.remainingMs, owner: path });
  const work = { loop: visit.id, checkpoint, inputs: visit.inputs, key, resume: earlier.resume };
  const turn = {
    state: checkpoint.state,
    iteration: passed.iteration,
    maxIterations,
    idempotencyKey: key,
    resume: earlier.resume,
  };
  const end = await runIteration({ ...context, deadline, turn }, work);
  const elapsedMs = earlier.priorMs + Math.max(0, Math.ceil(deps.clock.monotonicMs() - startedAt));
  switch (end.kind) {
    case "answered": {
      const digest = end.answer.state === null ? checkpoint.stateDigest : deps.sha256(end.answer.state);
      const given = { checkpoint, answer: end.answer, digest };
      const guarded = await guardAnswer(context, visit.id, policy.guards, given);
      const { answer } = guarded;
      const made = turned(checkpoint, { type: "answered", answer, digest, key, elapsedMs });
      const { warnings } = answer;
      return {
        ...{ kind: "turned", transition: withGuards(made.transition, guarded) },
        ...(warnings !== undefined && { warnings }),
      };
    }
    case "failed": {
      const { node, iteration } = end.failure;
      const cause = { ...end.failure, node: node ?? visit.id, iteration: iteration ?? passed.iteration };
      const tolerable = end.tolerable === true && !CONTRACT_ERRORS.has(end.failure.code);
      return turned(checkpoint, { type: "step_failed", failure: cause, key, elapsedMs, tolerable });
    }
    case "deadline":
      return end.owner === path ? turned(checkpoint, { type: "timed_out", elapsedMs }) : end;
    default:
      return end;
  }

  function turned(from: Checkpoint, event: LoopEvent): TurnEnd & { kind: "turned" } {
    const made = transition(from, event, policy);
    // The limit stops what would have been the next iteration: it is told of the last one there was.
    const at = event.type === "limit_reached" ? from.nextIteration - 1 : from.nextIteration;
    return { kind: "turned", transition: placeFailure(made, visit.id, at) };
  }
}

/** The event of a completed iteration (L-50). */
export function iterationDone(
  context: StepContext,
  loop: string,
  entry: HistoryEntry,
  warnings: readonly string[] = [],
) {
  const { iteration, decision, summary, elapsedMs, idempotencyKey: key, error } = entry;
  return placed(context, {
    type: "while-iteration-done",
    node: loop,
    iteration,
    decision,
    summary,
    elapsedMs,
    idempotencyKey: key,
    ...(error === undefined ? {} : { error: { code: error.code, message: error.message } }),
    ...(warnings.length === 0 ? {} : { warnings }),
  });
}

/** The event of an attempt that failed and will be followed by another (O-3). */
export function iterationRetried(context: StepContext, loop: string, made: Transition) {
  if (made.next.kind !== "retry") throw new Error(`the iteration of ${loop} is not tried again`);
  const { failure: cause, pauseMs } = made.next;
  const { nextIteration: iteration, tries } = made.checkpoint;
  const { code, message } = cause;
  return placed(context, {
    type: "while-iteration-retry",
    node: loop,
    iteration,
    tries,
    pauseMs,
    code,
    message,
  });
}

/** Keys of a loop's iterations under its present epoch and fingerprint (L-14). */
export function keyOf(
  context: StepContext,
  path: string,
  { epoch, fingerprint }: Pick<Checkpoint, "epoch" | "fingerprint">,
): (iteration: number) => string {
  const { runId } = context.claim;
  return (iteration) => idempotencyKey(context.deps.sha256, { runId, path, epoch, fingerprint, iteration });
}

/** A waiting decision where nothing can wait (L-20). */
export function nestedWait(loop: string, iteration: number) {
  const message = "A loop inside a subflow answered wait; only a loop of the parent graph can park the run.";
  return { ...failure("nested_wait_unsupported", message), node: loop, iteration };
}

function sooner(outer: Deadline | null, own: Deadline): Deadline {
  return outer !== null && outer.atMs <= own.atMs ? outer : own;
}

function placeFailure(made: Transition, node: string, iteration: number): Transition {
  if (made.next.kind !== "fail") return made;
  const cause = made.next.failure;
  const placedCause = { ...cause, node: cause.node ?? node, iteration: cause.iteration ?? iteration };
  return { ...made, next: { kind: "fail", failure: placedCause } };
}
