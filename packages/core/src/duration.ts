import { excerpt } from "./json/excerpt.ts";

/** `timeout` of a loop when the flow says nothing: 30 minutes (L-8). */
export const DEFAULT_TIMEOUT_MS = 1_800_000;
/** Operator's cap when the operator says nothing: 7 days (L-8). */
export const DEFAULT_TIMEOUT_CAP_MS = 604_800_000;

export type DurationResult =
  | { readonly ok: true; readonly ms: number }
  | { readonly ok: false; readonly message: string };

const GRAMMAR = /^([0-9]+)(?:\.([0-9]+))? *(ms|s|m|h|d)?$/i;
/** Longer numbers are no durations; exact arithmetic on them would only cost time. */
const MAX_UNITS = 100;

/**
 * A duration in whole ms, from 1 to `capMs` (L-8): decimal number, optional spaces, optional unit (seconds without one),
 * rounded half up and exactly. The message names the value, and beyond the cap also the cap and its `variable`.
 */
export function parseDuration(
  text: string,
  capMs: number,
  variable: string = "AGENTFLOW_MAX_TIMEOUT",
): DurationResult {
  const trimmed = text.trim();
  const shown = excerpt(trimmed, 60);
  const parts = trimmed.length > MAX_UNITS ? null : GRAMMAR.exec(trimmed);
  if (parts === null) {
    return {
      ok: false,
      message: `${shown} is not a duration; write a number and one unit of ms, s, m, h, d, as 90s or 1.5h`,
    };
  }
  const [, whole = "", fraction = "", unit = "s"] = parts;
  const scale = 10n ** BigInt(fraction.length);
  const ms = (2n * BigInt(whole + fraction) * unitMs(unit) + scale) / (2n * scale);
  if (ms < 1n) return { ok: false, message: `${shown} is less than 1 ms; give a longer duration` };
  if (ms > BigInt(capMs)) {
    return {
      ok: false,
      message: `${shown} is ${ms} ms, more than the operator's cap of ${capMs} ms (${variable})`,
    };
  }
  return { ok: true, ms: Number(ms) };
}

/** `timeout` of a loop (L-8): blank → 30 minutes, lowered to the cap when the flow asked for nothing. */
export function parseTimeout(text: string, capMs: number): DurationResult {
  if (text.trim() === "") return { ok: true, ms: Math.min(DEFAULT_TIMEOUT_MS, capMs) };
  return parseDuration(text, capMs);
}

function unitMs(unit: string): bigint {
  switch (unit.toLowerCase()) {
    case "ms":
      return 1n;
    case "m":
      return 60_000n;
    case "h":
      return 3_600_000n;
    case "d":
      return 86_400_000n;
    default:
      return 1000n;
  }
}
