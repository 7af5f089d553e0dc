import type { Wake, WakeProducer } from "@agentflow/engine";

export type RelayOptions = {
  /** Runs whose wake is kept at most; beyond it the oldest is left to the sweep. Default 10,000. */
  readonly maxKept?: number;
  /** Called when the first wake is kept after things went well, with the reason. */
  onKept?(error: unknown): void;
};

/** Carries wakes to the queue after a commit, through outages too, while this process lives (S-10, S-17). */
export interface Relay {
  /** Tries at once; true when the queue has it, false when it is kept and tried again. Never rejects. */
  wake(wake: Wake): Promise<boolean>;
  /** Wakes kept now. */
  readonly kept: number;
  /** Tries once more, within the deadline, and gives up; the sweep finds the rest. Resolves to how many were left. */
  close(deadlineMs: number): Promise<number>;
}

type Kept = { readonly wake: Wake; readonly dueMs: number };

const DEFAULT_MAX_KEPT = 10_000;
const BATCH = 200;
const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 5000;

/** A relay over any producer. Of several kept wakes of one run the newest token wins: older ones are stale by then. */
export function createRelay(producer: WakeProducer, options: RelayOptions = {}): Relay {
  return new WakeRelay(producer, options);
}

class WakeRelay implements Relay {
  readonly #producer: WakeProducer;
  readonly #options: RelayOptions;
  readonly #kept = new Map<string, Kept>();
  #retryMs = FIRST_RETRY_MS;
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | null = null;
  #closed = false;

  constructor(producer: WakeProducer, options: RelayOptions) {
    this.#producer = producer;
    this.#options = options;
  }

  get kept(): number {
    return this.#kept.size;
  }

  async wake(wake: Wake): Promise<boolean> {
    const dueMs = performance.now() + wake.delayMs;
    try {
      await this.#producer.add([wake]);
    } catch (error) {
      if (!this.#closed) this.#keep({ wake, dueMs }, error);
      return false;
    }
    this.#forget(wake);
    // The queue is back: the others need not wait for their next try.
    if (this.#kept.size > 0 && !this.#closed) this.#retryIn(0);
    return true;
  }

  #keep(kept: Kept, error: unknown): void {
    const { runId, token } = kept.wake;
    const before = this.#kept.get(runId);
    if (before !== undefined && before.wake.token > token) return;
    if (this.#kept.size === 0) this.#options.onKept?.(error);
    this.#kept.delete(runId);
    this.#kept.set(runId, kept);
    const oldest = this.#kept.keys().next().value;
    if (this.#kept.size > (this.#options.maxKept ?? DEFAULT_MAX_KEPT) && oldest !== undefined)
      this.#kept.delete(oldest);
    if (this.#timer === undefined && this.#flushing === null) this.#retryIn(this.#retryMs);
  }

  #forget({ runId, token }: Wake): void {
    const kept = this.#kept.get(runId);
    if (kept !== undefined && kept.wake.token <= token) this.#kept.delete(runId);
  }

  #retryIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#flush();
    }, ms).unref();
  }

  #flush(): Promise<void> {
    return (this.#flushing ??= this.#tryAll().finally(() => {
      this.#flushing = null;
      if (this.#kept.size > 0 && !this.#closed) this.#retryIn(this.#retryMs);
    }));
  }

  async #tryAll(): Promise<void> {
    while (this.#kept.size > 0) {
      const batch = [...this.#kept.values()].slice(0, BATCH);
      const nowMs = performance.now();
      try {
        await this.#producer.add(
          batch.map(({ wake, dueMs }) => ({ ...wake, delayMs: Math.max(0, dueMs - nowMs) })),
        );
      } catch {
        this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS);
        return;
      }
      for (const { wake } of batch) this.#forget(wake);
      this.#retryMs = FIRST_RETRY_MS;
    }
  }

  async close(deadlineMs: number): Promise<number> {
    this.#closed = true;
    clearTimeout(this.#timer);
    let giveUp: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (giveUp = setTimeout(resolve, deadlineMs)));
    await Promise.race([this.#flush(), late]);
    clearTimeout(giveUp);
    return this.#kept.size;
  }
}
