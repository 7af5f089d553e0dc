import { failure } from "../errors.ts";
import type { Failure } from "../errors.ts";
import { excerpt } from "../json/excerpt.ts";
import type { Expression } from "./ast.ts";
import { evaluate } from "./evaluate.ts";
import type { Scope } from "./evaluate.ts";

export type ConditionDecision =
  | { readonly ok: true; readonly decision: "continue" | "done" }
  | { readonly ok: false; readonly failure: Failure };

/** Truthy → `continue`, falsy → `done`; what has no value is `condition_unevaluable`, never a silent end (OP-1). */
export function decideByExpression(expression: Expression, scope: Scope): ConditionDecision {
  const result = evaluate(expression, scope);
  if (!result.ok) return { ok: false, failure: unevaluable(expression.text, result.reason) };
  return { ok: true, decision: result.value ? "continue" : "done" };
}

/** The failure of an expression: names it and says why it has no value. */
export function unevaluable(text: string, reason: string): Failure {
  return failure(
    "condition_unevaluable",
    `The expression ${excerpt(text, 200)} cannot be evaluated: ${reason}.`,
  );
}
