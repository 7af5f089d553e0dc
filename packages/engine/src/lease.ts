import type { Clock } from "./ports/runtime.ts";
import type { Claim, Fence, RunEvent, WorkStore } from "./ports/work.ts";

/** Why a lease stopped its work: somebody else owns the run (or it was cancelled), or this worker shuts down. */
export type StopReason = { readonly cause: "lost" | "shutdown"; readonly killGraceMs: number };

/** One held claim while its work goes on. The signal aborts, with a `StopReason`, when the work must stop at once (S-8). */
export interface Lease {
  readonly signal: AbortSignal;
  /** Starts counting active time: called when an iteration's work begins (L-35). */
  startActive(): void;
  /** Active ms since `startActive`; 0 before it. */
  activeMs(): number;
  /** Keeps an event for the next write; long work stores it with the next heartbeat (L-50). */
  emit(event: RunEvent): void;
  /** Waits for a store of events under way and hands over the rest, for the commit that ends the work. */
  takeEvents(): Promise<readonly RunEvent[]>;
  release(): void;
}

export interface Leases {
  hold(claim: Claim): Lease;
  /** Aborts all held work; its processes get `killGraceMs` between SIGTERM and SIGKILL (S-27). */
  shutdown(killGraceMs: number): void;
  /** Claims held now. */
  readonly held: number;
  close(): void;
}

type Held = {
  fence: Fence;
  abort: AbortController;
  activeSince: number | null;
  renewedAt: number;
  events: RunEvent[];
  flushing: Promise<void>;
};

/** Renews every held claim in one statement each third of the lease; without success for 0.8 of it the work stops (S-8). */
export function createLeases(deps: {
  readonly store: Pick<WorkStore, "heartbeat" | "appendEvents">;
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly onLost: (fence: Fence) => void;
}): Leases {
  const { store, clock, leaseMs, onLost } = deps;
  const held = new Map<string, Held>();

  const stop = (entry: Held, reason: StopReason): void => {
    if (entry.abort.signal.aborted) return;
    if (reason.cause === "lost") onLost(entry.fence);
    entry.abort.abort(reason);
  };
  const flush = (entry: Held): Promise<void> => {
    const events = entry.events.splice(0);
    if (events.length === 0) return entry.flushing;
    entry.flushing = store.appendEvents(entry.fence, events).then(
      () => undefined,
      () => void entry.events.unshift(...events),
    );
    return entry.flushing;
  };
  const beat = async (): Promise<void> => {
    const entries = [...held.values()].filter(({ abort }) => !abort.signal.aborted);
    if (entries.length === 0) return;
    const sentAt = clock.monotonicMs();
    const beats = entries.map((entry) => ({ ...entry.fence, activeMs: activeMs(entry) }));
    try {
      const kept = await store.heartbeat(beats, leaseMs);
      for (const entry of entries) {
        if (kept.has(entry.fence.runId)) entry.renewedAt = sentAt;
        else if (held.get(entry.fence.runId) === entry) stop(entry, { cause: "lost", killGraceMs: 5000 });
      }
      await Promise.all(entries.filter((entry) => !entry.abort.signal.aborted).map(flush));
    } catch {
      // An outage: the check below decides when the lease can no longer be trusted.
    }
  };
  const check = (): void => {
    const oldest = clock.monotonicMs() - leaseMs * 0.8;
    for (const entry of held.values())
      if (entry.renewedAt < oldest) stop(entry, { cause: "lost", killGraceMs: 5000 });
  };
  const activeMs = (entry: Held): number =>
    entry.activeSince === null ? 0 : Math.ceil(clock.monotonicMs() - entry.activeSince);

  let beating = false;
  const beatTimer = setInterval(() => {
    if (beating) return;
    beating = true;
    void beat().finally(() => (beating = false));
  }, leaseMs / 3);
  const checkTimer = setInterval(check, leaseMs / 10);

  return {
    hold: (claim) => {
      const entry: Held = {
        fence: { runId: claim.runId, token: claim.token },
        abort: new AbortController(),
        activeSince: null,
        renewedAt: clock.monotonicMs(),
        events: [],
        flushing: Promise.resolve(),
      };
      const earlier = held.get(claim.runId);
      if (earlier) stop(earlier, { cause: "lost", killGraceMs: 5000 });
      held.set(claim.runId, entry);
      return {
        signal: entry.abort.signal,
        startActive: () => void (entry.activeSince = clock.monotonicMs()),
        activeMs: () => activeMs(entry),
        emit: (event) => void entry.events.push(event),
        takeEvents: async () => {
          await entry.flushing;
          return entry.events.splice(0);
        },
        release: () => {
          if (held.get(claim.runId) === entry) held.delete(claim.runId);
        },
      };
    },
    shutdown: (killGraceMs) => {
      for (const entry of held.values()) stop(entry, { cause: "shutdown", killGraceMs });
    },
    get held() {
      return held.size;
    },
    close: () => {
      clearInterval(beatTimer);
      clearInterval(checkTimer);
    },
  };
}
