import {
  beginGuards,
  failure,
  guardMemoryOf,
  guardMemoryText,
  judgeGuards,
  utf8Length,
} from "@agentflow/core";
import type { Answer, Checkpoint, Guards, Transition, Trip } from "@agentflow/core";
import { pathOf } from "./loop-start.ts";
import { placed } from "./step-context.ts";
import type { StepContext } from "./step-context.ts";

/** An answer as the guards of its loop leave it. `guarded` is what they remember, to be stored; null where there are none. */
export type GuardedAnswer = {
  readonly answer: Answer;
  readonly guarded: string | null;
  readonly trip: Trip | null;
};

/**
 * Lets the guards of a loop look at an answer (OP-7). They judge `continue` only: a tripped guard makes it `wait` or `fail` with its
 * evidence as the summary, or warns. A wait of any kind lets counting begin anew. A loop inside a subflow cannot wait, so it fails.
 */
export async function guardAnswer(
  context: StepContext,
  node: string,
  guards: Guards | null,
  given: { readonly checkpoint: Checkpoint; readonly answer: Answer; readonly digest: string },
): Promise<GuardedAnswer> {
  const { checkpoint, answer, digest } = given;
  if (guards === null) return { answer, guarded: null, trip: null };
  const { deps, claim, lease, frame } = context;
  const tokens = guards.tokens === null ? 0 : await deps.store.loopTokens(claim.runId, pathOf(context, node));
  const before = { digest: checkpoint.stateDigest, bytes: utf8Length(checkpoint.state) };
  const after = { digest, bytes: answer.state === null ? before.bytes : utf8Length(answer.state) };
  if (answer.decision !== "continue")
    return { answer, guarded: guardMemoryText(beginGuards(after, tokens)), trip: null };
  // Tokens of abandoned epochs are not this one's.
  const memory =
    checkpoint.guarded === undefined
      ? beginGuards(before, checkpoint.epoch === 0 ? 0 : tokens)
      : guardMemoryOf(checkpoint.guarded);
  const judged = judgeGuards(guards, memory, { before, after, tokens });
  const guarded = guardMemoryText(judged.memory);
  const { trip } = judged;
  if (trip === null) return { answer, guarded, trip };
  const onTrip = guards.onTrip === "wait" && frame.length > 0 ? "fail" : guards.onTrip;
  const { guard, evidence, details } = trip;
  lease.emit(
    placed(context, {
      ...{
        type: "guard-tripped",
        node,
        iteration: checkpoint.nextIteration,
        guard,
        onTrip,
        message: evidence,
        details,
      },
    }),
  );
  if (onTrip === "warn")
    return { answer: { ...answer, warnings: [...(answer.warnings ?? []), evidence] }, guarded, trip: null };
  return { answer: { ...answer, decision: onTrip, summary: evidence }, guarded, trip };
}

/** The transition with what the guards remember, and with their own code where they made the loop fail. */
export function withGuards(made: Transition, { guarded, trip }: GuardedAnswer): Transition {
  if (guarded === null) return made;
  const kept = { ...made, checkpoint: { ...made.checkpoint, guarded } };
  if (trip === null || made.next.kind !== "fail") return kept;
  const { guard, evidence, details } = trip;
  const cause = failure("guard_tripped", evidence, { guard, ...details });
  const { node, iteration } = made.next.failure;
  return { ...kept, next: { kind: "fail", failure: { ...cause, node, iteration } } };
}
