import { evaluate } from "../expression/evaluate.ts";
import type { Evaluated } from "../expression/evaluate.ts";
import { parseExpression } from "../expression/parse.ts";

/** The value of an expression over values that JSON can hold; throws when the text is no expression. */
export function evaluateText(
  text: string,
  values: Readonly<Record<string, unknown>> = {},
  options: { readonly maxSteps?: number } = {},
): Evaluated {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.problem.message}`);
  const scope = new Map(Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)]));
  return evaluate(parsed.expression, scope, options);
}
