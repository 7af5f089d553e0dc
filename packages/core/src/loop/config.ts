import { parseTimeout } from "../duration.ts";
import { failure } from "../errors.ts";
import type { Failure } from "../errors.ts";
import { parseMaxIterations } from "../limits.ts";
import { readInitialState } from "./state.ts";

/** The operator's caps on what a flow may ask for (L-7, L-8). */
export type LimitCaps = { readonly maxIterations: number; readonly maxTimeoutMs: number };

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
