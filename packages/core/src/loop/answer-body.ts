import { failure, type Failure } from "../errors.ts";
import { slotSummary, summaryFailure } from "./answer-summary.ts";
import { readState } from "./state.ts";

export interface BodyAnswer {
  readonly state: string;
  readonly summary: string;
}

export type BodyResult =
  | { readonly ok: true; readonly answer: BodyAnswer }
  | { readonly ok: false; readonly failure: Failure };

/**
 * What a Body's output slots say: the next state, whole, as exact compact text (L-17, L-31), and the round's summary,
 * the Body's if non-blank, else the Condition's (L-18). Blank state → `body_state_missing`; text `null` is a state.
 */
export function readBodyAnswer(
  outputs: { readonly state: string; readonly summary?: string | undefined },
  conditionSummary: string,
): BodyResult {
  if (outputs.state.trim() === "") {
    return { ok: false, failure: failure("body_state_missing", "the Body returned no state") };
  }
  const state = readState(outputs.state);
  if (!state.ok) return state;
  const own = slotSummary(outputs.summary);
  const problem = summaryFailure(own);
  if (problem !== null) return { ok: false, failure: problem };
  return { ok: true, answer: { state: state.text, summary: own === "" ? conditionSummary : own } };
}
