import { setTimeout as delay } from "node:timers/promises";

/** Why one try at a model call failed. `retry`: a rate limit, a 5xx, or trouble of the network (F-27); `afterMs` when the service said so. */
export type TryFailure = {
  readonly kind: "failed";
  readonly message: string;
  readonly retry: boolean;
  readonly afterMs: number | null;
};

const TRIES = 3;
/** A service that asks for a longer pause than this is away; ms. */
const LONGEST_PAUSE_MS = 600_000;

/**
 * Tries up to three times, after 1 s, then 2 s, each up to a quarter longer, or when the service says (F-27). Rejects when the signal
 * aborts.
 */
export async function withTries<T extends { readonly kind: string }>(
  attempt: () => Promise<T | TryFailure>,
  signal: AbortSignal,
  firstPauseMs = 1000,
): Promise<T | TryFailure> {
  for (let tried = 1; ; tried += 1) {
    const end = await attempt();
    if (!isFailure(end)) return end;
    if (!end.retry) return end;
    if (tried === TRIES) return { ...end, message: `${end.message} It was tried ${TRIES} times.` };
    const pauseMs = end.afterMs ?? firstPauseMs * 2 ** (tried - 1) * (1 + Math.random() / 4);
    if (pauseMs > LONGEST_PAUSE_MS) {
      const seconds = Math.round(pauseMs / 1000);
      return { ...end, message: `${end.message} It asks to wait ${seconds} s, which is too long.` };
    }
    await delay(pauseMs, undefined, { signal });
  }
}

function isFailure(end: { readonly kind: string }): end is TryFailure {
  return end.kind === "failed";
}

/** Milliseconds a `retry-after` asks for, in seconds or as a date, or `retry-after-ms`; null without a usable one. */
export function retryAfterMs(
  headers: Readonly<Record<string, string>> | undefined,
  nowMs: number,
): number | null {
  const precise = Number.parseFloat(headers?.["retry-after-ms"] ?? "");
  if (precise >= 0) return precise;
  const given = headers?.["retry-after"]?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(given)) return Number(given) * 1000;
  // A date of HTTP begins with a day of the week; Date.parse takes far more for one.
  const at = /^[A-Za-z]{3}/.test(given) ? Date.parse(given) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
