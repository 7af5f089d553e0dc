import { excerpt } from "./json/excerpt.ts";

/** State, and each input and payload: compact JSON (L-31, L-40, S-15). */
export const STATE_MAX_BYTES = 1_048_576;
export const PAYLOAD_MAX_BYTES = 1_048_576;
export const INPUT_MAX_BYTES = 1_048_576;
/** Nesting of any JSON value (L-45). */
export const JSON_MAX_DEPTH = 512;
/** Raw output of one command (L-25). */
export const STDOUT_MAX_BYTES = 1_048_576;
export const STDERR_MAX_BYTES = 262_144;
/** Longest JSON handed over in an environment variable; longer ones only by file (L-23). */
export const ENV_TEXT_MAX_BYTES = 128_000;
/** UTF-16 code units of a summary (L-30). */
export const SUMMARY_MAX_UNITS = 4000;
/** Characters of an expression (E-2). */
export const EXPRESSION_MAX_UNITS = 1000;

/** Iterations when the flow says nothing (L-6, OP-3). */
export const DEFAULT_MAX_ITERATIONS = 20;
export const DEFAULT_OPERATION_ITERATIONS = 100;
/** Operator's caps when the operator says nothing, and the highest they may be set to (L-7, R-1). */
export const DEFAULT_ITERATIONS_CAP = 1000;
export const DEFAULT_REPEAT_ITERATIONS_CAP = 128;
export const HIGHEST_ITERATIONS_CAP = 1_000_000;

export type LimitResult =
  | { readonly ok: true; readonly value: number }
  | { readonly ok: false; readonly message: string };

const ONE_TO_SEVEN_DIGITS = /^[0-9]{1,7}$/;

/**
 * `maxIterations` of a While (L-6, L-7): blank → `fallback`, lowered to the cap when the flow asked for nothing; else 1
 * to 7 ASCII digits, 0 included, at most `cap`. The message names value, cap and `AGENTFLOW_MAX_ITERATIONS`.
 */
export function parseMaxIterations(
  text: string,
  cap: number,
  fallback: number = DEFAULT_MAX_ITERATIONS,
): LimitResult {
  if (text.trim() === "") return { ok: true, value: Math.min(fallback, cap) };
  return iterations(text, cap, "AGENTFLOW_MAX_ITERATIONS");
}

/** `maxIterations` of a repeat: required and at least 1, at most `cap`, named `AGENTFLOW_MAX_REPEAT_ITERATIONS`. */
export function parseRepeatIterations(text: string, cap: number): LimitResult {
  if (text.trim() === "")
    return { ok: false, message: "maxIterations is required for a repeat; give 1 or more" };
  const parsed = iterations(text, cap, "AGENTFLOW_MAX_REPEAT_ITERATIONS");
  if (parsed.ok && parsed.value === 0) {
    return {
      ok: false,
      message: "maxIterations is 0; a repeat runs at least once, give 1 or more",
    };
  }
  return parsed;
}

function iterations(text: string, cap: number, variable: string): LimitResult {
  const digits = text.trim();
  if (!ONE_TO_SEVEN_DIGITS.test(digits)) {
    return {
      ok: false,
      message: `maxIterations is ${excerpt(digits, 60)}; give a whole number of 1 to 7 digits`,
    };
  }
  const value = Number(digits);
  if (value > cap) {
    return {
      ok: false,
      message: `maxIterations is ${value}, more than the operator's cap of ${cap} (${variable})`,
    };
  }
  return { ok: true, value };
}
