/** Failed tries of one address: so many within the time, then none are looked at until it is over. */
const MAX_FAILURES = 20;
const WINDOW_MS = 60_000;
/** Addresses remembered; the oldest go first, so that nobody fills the memory by changing theirs. */
const MAX_ADDRESSES = 10_000;

export type FailureLimit = {
  /** Ms until the address may try again; 0 when it may now. */
  blockedMs(address: string): number;
  failed(address: string): void;
};

/** Counts failed tries by address (S-19); `nowMs` is a monotonic clock. */
export function createFailureLimit(nowMs: () => number): FailureLimit {
  const known = new Map<string, { failures: number; readonly untilMs: number }>();
  return {
    blockedMs: (address) => {
      const entry = known.get(address);
      if (entry === undefined || entry.failures < MAX_FAILURES) return 0;
      return Math.max(0, entry.untilMs - nowMs());
    },
    failed: (address) => {
      const entry = known.get(address);
      if (entry !== undefined && entry.untilMs > nowMs()) {
        entry.failures += 1;
        return;
      }
      known.delete(address);
      known.set(address, { failures: 1, untilMs: nowMs() + WINDOW_MS });
      const oldest = known.keys().next().value;
      if (known.size > MAX_ADDRESSES && oldest !== undefined) known.delete(oldest);
    },
  };
}
