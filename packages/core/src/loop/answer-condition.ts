import { failure, type Failure } from "../errors.ts";
import { excerpt } from "../json/excerpt.ts";
import { slotSummary, summaryFailure } from "./answer-summary.ts";
import { isDecision } from "./answer-decision.ts";
import type { Decision } from "./checkpoint.ts";

export interface ConditionAnswer {
  readonly decision: Decision;
  readonly summary: string;
}

export type ConditionResult =
  | { readonly ok: true; readonly answer: ConditionAnswer }
  | { readonly ok: false; readonly failure: Failure };

/**
 * What a Condition's output slots say: the decision trimmed and lower-cased (L-16), the summary as it stands, blank as
 * empty (L-30). Fails with `decision_invalid`, `summary_invalid` or `summary_too_long`.
 */
export function readConditionAnswer(outputs: {
  readonly decision: string;
  readonly summary?: string | undefined;
}): ConditionResult {
  const decision = outputs.decision.trim().toLowerCase();
  if (!isDecision(decision)) {
    const given = decision === "" ? "nothing" : excerpt(outputs.decision, 60);
    const message = `the Condition answered ${given} instead of continue, wait, done or fail`;
    return { ok: false, failure: failure("decision_invalid", message) };
  }
  const summary = slotSummary(outputs.summary);
  const problem = summaryFailure(summary);
  return problem === null ? { ok: true, answer: { decision, summary } } : { ok: false, failure: problem };
}
