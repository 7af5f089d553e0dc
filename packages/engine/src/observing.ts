import type { Checkpoint, Transition } from "@agentflow/core";
import type { IterationSeen } from "./ports/observer.ts";
import type { StepContext } from "./step-context.ts";

/** Tells the observer, when there is one, of an iteration whose commit is stored (S-25). A limit ends a run without one. */
export function noteIteration(
  { deps, claim, plan }: StepContext,
  before: Checkpoint,
  { entry, next }: Transition,
  when: { readonly startedMs: number; readonly workedMs: number; readonly nested: boolean },
): void {
  const { flow } = plan.version;
  if (next.kind === "fail" && !when.nested)
    deps.observer?.ended({ flow, status: "failed", code: next.failure.code });
  const decision: IterationSeen["decision"] | undefined =
    entry?.decision ?? (next.kind === "retry" ? "retry" : undefined);
  if (deps.observer === undefined || decision === undefined) return;
  deps.observer.iterated({
    runId: claim.runId,
    flow,
    decision,
    tookMs: deps.clock.monotonicMs() - when.startedMs,
    workMs: when.workedMs,
    attempt: claim.attempt,
    resumed: !when.nested && claim.fresh && before.decision === "wait",
    nested: when.nested,
  });
}
