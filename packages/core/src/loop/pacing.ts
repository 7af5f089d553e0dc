import { excerpt } from "../json/excerpt.ts";

/** Pauses between iterations in whole ms: `delayMs`, then × `backoffFactor` each time, never more than `maxDelayMs` (O-1). */
export type Pacing = {
  readonly delayMs: number;
  readonly backoffFactor: number;
  readonly maxDelayMs: number;
};

export type PacingResult =
  | { readonly ok: true; readonly pacing: Pacing }
  | { readonly ok: false; readonly problem: string };

export type PacingTexts = {
  readonly delayMs?: string | undefined;
  readonly backoffFactor?: string | undefined;
  readonly maxDelayMs?: string | undefined;
};

/** Longest pause there is: one hour (O-1). */
export const HIGHEST_DELAY_MS = 3_600_000;
const DEFAULT_MAX_DELAY_MS = 60_000;

const WHOLE = /^[0-9]{1,10}$/;
const DECIMAL = /^[0-9]{1,10}(?:\.[0-9]{1,10})?$/;

/** The three texts of O-1, blank or absent → default; a problem names the option and is `delay_invalid`. */
export function readPacing(texts: PacingTexts): PacingResult {
  const delay = numberOf("delayMs", texts.delayMs, WHOLE, 0);
  if (typeof delay === "string") return { ok: false, problem: delay };
  const factor = numberOf("backoffFactor", texts.backoffFactor, DECIMAL, 1);
  if (typeof factor === "string") return { ok: false, problem: factor };
  const most = numberOf("maxDelayMs", texts.maxDelayMs, WHOLE, Math.max(delay, DEFAULT_MAX_DELAY_MS));
  if (typeof most === "string") return { ok: false, problem: most };
  if (factor < 1) return { ok: false, problem: `backoffFactor is ${factor}, less than 1` };
  if (delay > HIGHEST_DELAY_MS)
    return { ok: false, problem: `delayMs is ${delay}, more than ${HIGHEST_DELAY_MS}` };
  if (most > HIGHEST_DELAY_MS)
    return { ok: false, problem: `maxDelayMs is ${most}, more than ${HIGHEST_DELAY_MS}` };
  if (most < delay) return { ok: false, problem: `maxDelayMs is ${most}, less than delayMs ${delay}` };
  return { ok: true, pacing: { delayMs: delay, backoffFactor: factor, maxDelayMs: most } };
}

/**
 * Whole ms to wait before the nth iteration since the start or the latest resume, counted from 1: none before the first,
 * then `delayMs`, growing by the factor up to the cap (O-1).
 */
export function pauseMs({ delayMs, backoffFactor, maxDelayMs }: Pacing, nth: number): number {
  if (nth <= 1 || delayMs === 0) return 0;
  return Math.min(maxDelayMs, Math.round(delayMs * backoffFactor ** (nth - 2)));
}

function numberOf(
  name: string,
  text: string | undefined,
  grammar: RegExp,
  fallback: number,
): number | string {
  const trimmed = (text ?? "").trim();
  if (trimmed === "") return fallback;
  if (grammar.test(trimmed)) return Number(trimmed);
  const wanted = grammar === WHOLE ? "a whole number of ms" : "a decimal number of 1 or more";
  return `${name} is ${excerpt(trimmed, 60)}; give ${wanted}`;
}
