import { parseTimeout } from "../duration.ts";
import { failure } from "../errors.ts";
import type { Failure } from "../errors.ts";
import {
  DEFAULT_OPERATION_ITERATIONS,
  DEFAULT_REPEAT_ITERATIONS_CAP,
  parseMaxIterations,
  parseRepeatIterations,
} from "../limits.ts";
import type { LimitResult } from "../limits.ts";
import type { LoopFormKind } from "./form.ts";
import { readInitialState } from "./state.ts";

/** The operator's caps on what a flow may ask for (L-7, L-8, R-1). */
export type LimitCaps = {
  readonly maxIterations: number;
  readonly maxTimeoutMs: number;
  /** Of `control.repeat`; 128 when it is not said. */
  readonly maxRepeatIterations?: number;
};

/** `maxIterations` by the form of the loop: required for a repeat, 100 for an operation (OP-3), else 20 (L-6). */
export function readMaxIterations(form: LoopFormKind, text: string, caps: LimitCaps): LimitResult {
  if (form === "repeat")
    return parseRepeatIterations(text, caps.maxRepeatIterations ?? DEFAULT_REPEAT_ITERATIONS_CAP);
  return form === "operation"
    ? parseMaxIterations(text, caps.maxIterations, DEFAULT_OPERATION_ITERATIONS)
    : parseMaxIterations(text, caps.maxIterations);
}

/** What a loop is admitted with: captured once, before iteration 1 (L-21). State is exact compact JSON. */
export type LoopConfig = {
  readonly state: string;
  readonly maxIterations: number;
  readonly timeoutMs: number;
};

export type LoopConfigResult =
  | { readonly ok: true; readonly config: LoopConfig }
  | { readonly ok: false; readonly failure: Failure };

/** Reads the resolved slots of a loop; errors are `config_invalid`, or the state's own codes (L-6 to L-10). */
export function readLoopConfig(
  slots: { readonly state: string; readonly maxIterations: string; readonly timeout: string },
  caps: LimitCaps,
): LoopConfigResult {
  const iterations = parseMaxIterations(slots.maxIterations, caps.maxIterations);
  if (!iterations.ok) return { ok: false, failure: failure("config_invalid", iterations.message) };
  const timeout = parseTimeout(slots.timeout, caps.maxTimeoutMs);
  if (!timeout.ok) return { ok: false, failure: failure("config_invalid", timeout.message) };
  const state = readInitialState(slots.state);
  if (!state.ok) return state;
  return { ok: true, config: { state: state.text, maxIterations: iterations.value, timeoutMs: timeout.ms } };
}
