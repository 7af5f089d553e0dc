import { setTimeout as sleep } from "node:timers/promises";
import { isOutage, translated } from "./failures.ts";

export type Patience = {
  /** How long an outage is sat out, ms. */
  readonly limitMs: number;
  /** Ends the waiting at once, for shutdown. */
  readonly signal: AbortSignal;
};

const FIRST_DELAY_MS = 25;
const LONGEST_DELAY_MS = 1000;

/**
 * Runs `work` until it succeeds, fails for a reason of its own, or the database stays away for `limitMs`; then
 * throws StoreUnavailable. `work` is told whether an earlier try may have been stored without our knowing (C3).
 */
export async function patiently<T>(
  patience: Patience,
  work: (mayBeStored: boolean) => Promise<T>,
): Promise<T> {
  const start = performance.now();
  for (
    let delayMs = FIRST_DELAY_MS, tries = 0;
    ;
    tries += 1, delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS)
  ) {
    try {
      return await work(tries > 0);
    } catch (error) {
      const left = patience.limitMs - (performance.now() - start);
      if (!isOutage(error) || left <= 0) throw translated(error);
      // Jitter, so that all waiting workers do not come back in the same instant.
      await sleep(Math.min(left, delayMs * (0.5 + Math.random())), undefined, {
        signal: patience.signal,
      }).catch(() => {
        throw translated(error);
      });
    }
  }
}
