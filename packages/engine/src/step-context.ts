import type { Failure, Frame, LimitCaps } from "@agentflow/core";
import type { Lease } from "./lease.ts";
import type { FlowPlan } from "./plan.ts";
import type { RecentCheckpoints } from "./recent-checkpoints.ts";
import type { ContextContent } from "./ports/context.ts";
import type { Resources } from "./resources.ts";
import type { Timeline } from "./timeline/timeline.ts";
import type { FunctionRunner } from "./ports/function.ts";
import type { Observer } from "./ports/observer.ts";
import type { Clock, CommandRunner } from "./ports/runtime.ts";
import type { Claim, RunEvent, StepScope, StoredStep, Wake, WorkStore } from "./ports/work.ts";

/** What the engine works with; composed by the worker, or by a test. */
export type EngineDeps = {
  readonly store: WorkStore;
  readonly runner: CommandRunner & FunctionRunner;
  readonly clock: Clock;
  readonly caps: LimitCaps;
  readonly sha256: (text: string) => string;
  /** Puts a wake on the queue after a commit; never awaited, never trusted (S-10). */
  readonly relay: { wake(wake: Wake): void };
  readonly recent: RecentCheckpoints;
  /** `AGENTFLOW_WORKSPACE_ROOT`; null makes `${workspaceRoot}` the flow folder (F-22). */
  readonly workspaceRoot: string | null;
  readonly resources: Resources;
  /** Keeps the states of loops (OP-7); left out, none are kept. */
  readonly timeline?: Timeline;
  /** Told of what happens, for metrics; left out, nobody is. */
  readonly observer?: Observer;
};

/** A point on the monotonic clock after which work must stop, and the loop whose timeout it is. */
export type Deadline = { readonly atMs: number; readonly owner: string };

/** The iteration at work in the innermost loop around a node: what a function is told of it. */
export type Turn = {
  readonly state: string;
  readonly iteration: number;
  readonly maxIterations: number;
  readonly idempotencyKey: string;
  /** Exact payload text of the resume it follows; null without one (L-40). */
  readonly resume: string | null;
};

/** Everything a node needs to know about where it runs. Immutable; inner frames get changed copies. */
export type StepContext = {
  readonly deps: EngineDeps;
  readonly claim: Claim;
  readonly plan: FlowPlan;
  readonly lease: Lease;
  readonly scope: StepScope;
  /** Steps of the scope stored earlier, by `stepKey`. */
  readonly journal: ReadonlyMap<string, StoredStep>;
  /** Contexts this job has already read, by the text of their references. */
  readonly contents: Map<string, ContextContent>;
  readonly frame: Frame;
  readonly deadline: Deadline | null;
  /** Null outside of every loop. */
  readonly turn: Turn | null;
  /** Fields every event of the frame carries: parent node, subflow, call frame, role, iteration (L-50). */
  readonly place: Readonly<Omit<RunEvent, "type">>;
};

/** Why a graph stopped before its end. */
export type Stop =
  /** `tolerable` when it is an error of an iteration's own work (O-2). */
  | { readonly kind: "failed"; readonly failure: Failure; readonly tolerable?: true }
  /** The deadline of the loop `owner` passed. */
  | { readonly kind: "deadline"; readonly owner: string }
  /** The lease's signal aborted: its reason says why. */
  | { readonly kind: "aborted" }
  /** Somebody else owns the run: drop everything. */
  | { readonly kind: "stale" }
  /** Trouble of the machine, not of the step: the same work is tried again (L-51). */
  | { readonly kind: "infrastructure"; readonly message: string }
  /** An iteration of a loop of the parent graph was stored; the job is over. */
  | { readonly kind: "committed" };

export function failed(failure: Failure): { readonly kind: "failed"; readonly failure: Failure } {
  return { kind: "failed", failure };
}

/** Journal address of a node in a frame, within one scope. */
export function stepKey(frame: string, node: string): string {
  return JSON.stringify([frame, node]);
}

/** Loads the journal of a scope. */
export async function loadJournal(
  store: WorkStore,
  runId: string,
  scope: StepScope,
): Promise<ReadonlyMap<string, StoredStep>> {
  const steps = await store.steps(runId, scope);
  return new Map(steps.map((step) => [stepKey(step.frame, step.node), step]));
}

/** An event of this frame. What it says itself stands: an inner loop's iteration is not the one around it. */
export function placed(context: StepContext, event: RunEvent): RunEvent {
  return { ...event, ...context.place, ...event };
}

/** Ms until the deadline, at least 0; null without one. */
export function remainingMs(context: StepContext): number | null {
  return context.deadline === null
    ? null
    : Math.max(0, Math.floor(context.deadline.atMs - context.deps.clock.monotonicMs()));
}
