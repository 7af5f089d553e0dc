import type { Clock } from "./ports/runtime.ts";
import type { Claim, Fence, RunEvent, WorkStore } from "./ports/work.ts";

/** Why a lease stopped its work: somebody else owns the run (or it was cancelled), or this worker shuts down. */
export type StopReason = { readonly cause: "lost" | "shutdown"; readonly killGraceMs: number };

/** One held claim while its work goes on. The signal aborts, with a `StopReason`, when the work must stop at once (S-8). */
export interface Lease {
  readonly signal: AbortSignal;
  /** Whether the signal has aborted; cheaper to ask. */
  readonly stopped: boolean;
  /** From here on a write under way gives the claim back: only its own guard can still tell that the claim was lost. */
  ending(): void;
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

export type LeaseDeps = {
  readonly store: Pick<WorkStore, "heartbeat" | "appendEvents">;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly leaseMs: number;
  readonly onLost: (fence: Fence) => void;
};

/** Between SIGTERM and SIGKILL for a step whose run is not ours any more (L-29). */
const LOST: StopReason = { cause: "lost", killGraceMs: 5000 };

/** Share of the lease after which it counts as lost when no renewal succeeded (S-8). */
const TRUSTED_SHARE = 0.8;

/** The claims a worker holds: renewed together, in one statement each third of the lease, on the database's clock (S-8). */
export class Leases {
  readonly #deps: LeaseDeps;
  readonly #held = new Map<string, HeldLease>();
  readonly #timers: readonly NodeJS.Timeout[];
  #beating = false;

  constructor(deps: LeaseDeps) {
    this.#deps = deps;
    this.#timers = [
      setInterval(() => void this.#beat(), deps.leaseMs / 3),
      setInterval(() => this.#distrust(), deps.leaseMs / 10),
    ];
  }

  /** Claims held now. */
  get held(): number {
    return this.#held.size;
  }

  /** Takes care of a claim until it is released. An earlier claim on the same run is lost by that. */
  hold(claim: Claim): Lease {
    const lease = new HeldLease(this.#deps, claim, () => {
      if (this.#held.get(claim.runId) === lease) this.#held.delete(claim.runId);
    });
    this.#held.get(claim.runId)?.stop(LOST);
    this.#held.set(claim.runId, lease);
    return lease;
  }

  /** The lease of work that needs no claim: nothing is renewed and nothing stops it. */
  unheld(claim: Claim): Lease {
    return new HeldLease(this.#deps, claim, () => undefined);
  }

  /** Aborts all held work; its processes get `killGraceMs` between SIGTERM and SIGKILL (S-27). */
  shutdown(killGraceMs: number): void {
    for (const lease of this.#held.values()) lease.stop({ cause: "shutdown", killGraceMs });
  }

  /** Ends the renewals. */
  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  async #beat(): Promise<void> {
    const leases = [...this.#held.values()].filter(({ stopped }) => !stopped);
    if (this.#beating || leases.length === 0) return;
    this.#beating = true;
    const { store, clock, leaseMs } = this.#deps;
    const sentAtMs = clock.monotonicMs();
    try {
      const beats = leases.map((lease) => ({ ...lease.fence, activeMs: lease.activeMs() }));
      const kept = await store.heartbeat(beats, leaseMs);
      for (const lease of leases) {
        if (kept.has(lease.fence.runId)) lease.renewed(sentAtMs);
        else if (this.#held.get(lease.fence.runId) === lease && !lease.ends) lease.stop(LOST);
      }
      await Promise.all(leases.map((lease) => lease.flushEvents()));
    } catch {
      // An outage: `#distrust` decides when a lease can no longer be relied on.
    } finally {
      this.#beating = false;
    }
  }

  #distrust(): void {
    const oldestMs = this.#deps.clock.monotonicMs() - this.#deps.leaseMs * TRUSTED_SHARE;
    for (const lease of this.#held.values()) if (lease.renewedAtMs < oldestMs) lease.stop(LOST);
  }
}

class HeldLease implements Lease {
  readonly fence: Fence;
  readonly #deps: LeaseDeps;
  #abort: AbortController | null = null;
  #stopped: StopReason | null = null;
  readonly #release: () => void;
  #renewedAtMs: number;
  #activeSinceMs: number | null = null;
  #ends = false;
  #events: RunEvent[] = [];
  #flushing: Promise<void> = Promise.resolve();

  constructor(deps: LeaseDeps, claim: Claim, release: () => void) {
    this.#deps = deps;
    this.fence = { runId: claim.runId, token: claim.token };
    this.#release = release;
    this.#renewedAtMs = deps.clock.monotonicMs();
  }

  /** Made when asked for: most work ends sooner than that. */
  get signal(): AbortSignal {
    if (this.#abort === null) {
      this.#abort = new AbortController();
      if (this.#stopped !== null) this.#abort.abort(this.#stopped);
    }
    return this.#abort.signal;
  }

  get stopped(): boolean {
    return this.#stopped !== null;
  }

  get ends(): boolean {
    return this.#ends;
  }

  ending(): void {
    this.#ends = true;
  }

  get renewedAtMs(): number {
    return this.#renewedAtMs;
  }

  renewed(atMs: number): void {
    this.#renewedAtMs = atMs;
  }

  stop(reason: StopReason): void {
    if (this.#stopped !== null) return;
    this.#stopped = reason;
    if (reason.cause === "lost") this.#deps.onLost(this.fence);
    this.#abort?.abort(reason);
  }

  startActive(): void {
    this.#activeSinceMs = this.#deps.clock.monotonicMs();
  }

  activeMs(): number {
    return this.#activeSinceMs === null ? 0 : Math.ceil(this.#deps.clock.monotonicMs() - this.#activeSinceMs);
  }

  emit(event: RunEvent): void {
    this.#events.push(event);
  }

  flushEvents(): Promise<void> {
    if (this.#stopped !== null || this.#events.length === 0) return this.#flushing;
    const events = this.#events.splice(0);
    this.#flushing = this.#deps.store.appendEvents(this.fence, events).then(
      () => undefined,
      () => void this.#events.unshift(...events),
    );
    return this.#flushing;
  }

  async takeEvents(): Promise<readonly RunEvent[]> {
    await this.#flushing;
    return this.#events.splice(0);
  }

  release(): void {
    this.#release();
  }
}
