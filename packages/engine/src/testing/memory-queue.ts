import type { WakeProducer } from "../ports/queue.ts";
import type { Wake } from "../ports/work.ts";

type Job = { readonly wake: Wake; readonly dueMs: number; active: boolean };

/**
 * The queue as far as the engine may rely on it: first in, first out among the due; one job per run and token, also while
 * that job is active. It can be emptied and taken away at any moment (L-3).
 */
export class MemoryQueue implements WakeProducer {
  readonly #clock: { nowMs(): number };
  #jobs = new Map<string, Job>();
  #away = false;

  constructor(clock: { nowMs(): number }) {
    this.#clock = clock;
  }

  async add(wakes: readonly Wake[]): Promise<void> {
    if (this.#away) throw new Error("the queue is away");
    for (const wake of wakes) {
      const id = jobId(wake);
      if (!this.#jobs.has(id))
        this.#jobs.set(id, { wake, dueMs: this.#clock.nowMs() + wake.delayMs, active: false });
    }
  }

  /** The next due wake, now active; null when there is none. `finish` must follow. */
  take(): Wake | null {
    for (const job of this.#jobs.values()) {
      if (job.active || job.dueMs > this.#clock.nowMs()) continue;
      job.active = true;
      return job.wake;
    }
    return null;
  }

  /** Ends an active job, however it went: nothing of it is kept. */
  finish(wake: Wake): void {
    this.#jobs.delete(jobId(wake));
  }

  /** Handles wakes until none is due; returns how many it handled. Throws after `limit`, so that a run that spins shows. */
  async drain(handle: (wake: Wake) => Promise<void>, limit = 10_000): Promise<number> {
    for (let handled = 0; handled < limit; handled += 1) {
      const wake = this.take();
      if (wake === null) return handled;
      try {
        await handle(wake);
      } finally {
        this.finish(wake);
      }
    }
    throw new Error(`the queue was not empty after ${limit} jobs`);
  }

  /** Ms until the next delayed job is due; 0 when one is, null when nothing waits. */
  nextDueInMs(): number | null {
    const dues = [...this.#jobs.values()].filter((job) => !job.active).map((job) => job.dueMs);
    return dues.length === 0 ? null : Math.max(0, Math.min(...dues) - this.#clock.nowMs());
  }

  /** Waiting, delayed and active wakes, oldest first. */
  get wakes(): readonly Wake[] {
    return [...this.#jobs.values()].map((job) => job.wake);
  }

  /** Loses every job, active ones too: what FLUSHALL does. */
  empty(): void {
    this.#jobs = new Map();
  }

  /** Takes the queue away (`add` rejects) or brings it back; jobs survive. */
  setAway(away: boolean): void {
    this.#away = away;
  }
}

function jobId(wake: Wake): string {
  return `${wake.runId}_${wake.token}`;
}
