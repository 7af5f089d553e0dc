/**
 * Not monitorEventLoopDelay: after each reset its histogram drops one sample, which may be the one that mattered
 * (seen on Node 20.20).
 */
const TICK_MS = 50;

export type LoopLagOptions = {
  /** The longest delay of the event loop, in ms, that is still fine. */
  limitMs: number;
  /** Called after each stall longer than the limit, with its length, exact to 50 ms. */
  onLag: (lagMs: number) => void;
};

/**
 * Watches the event loop of this process: a loop that stands still cannot renew leases, so whoever takes work must know.
 * The report comes after the stall. Returns a function that ends the watch.
 */
export function watchLoopLag({ limitMs, onLag }: LoopLagOptions): () => void {
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    const lagMs = Math.round(now - last - TICK_MS);
    last = now;
    if (lagMs > limitMs) onLag(lagMs);
  }, TICK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
