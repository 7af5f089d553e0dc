import { monitorEventLoopDelay } from "node:perf_hooks";

const RESOLUTION_MS = 20;

export type LoopLagOptions = {
  /** The longest delay of the event loop, in ms, that is still fine. */
  limitMs: number;
  /** How often it is looked at, in ms. */
  everyMs: number;
  /** Called after each period whose longest delay was above the limit. */
  onLag: (lagMs: number) => void;
};

/**
 * Watches the event loop of this process: a loop that stands still cannot renew leases, so whoever takes work must know.
 * The report comes after the stall. Returns a function that ends the watch.
 */
export function watchLoopLag({ limitMs, everyMs, onLag }: LoopLagOptions): () => void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const timer = setInterval(() => {
    const lagMs = Math.round(delay.max / 1e6) - RESOLUTION_MS;
    delay.reset();
    if (lagMs > limitMs) onLag(lagMs);
  }, everyMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    delay.disable();
  };
}
