import type { Burst } from "@agentflow/core";
import type { FlowPlan } from "./plan.ts";
import type { Clock } from "./ports/runtime.ts";
import type { Wake } from "./ports/work.ts";
import type { RecentCheckpoints } from "./recent-checkpoints.ts";

export type BurstDeps = {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly relay: { wake(wake: Wake): void };
  readonly recent: Pick<RecentCheckpoints, "path">;
  /** For loops that set none themselves; one job per iteration when left out. */
  readonly burst?: Burst | null;
  /** Whether other jobs may wait for this worker, or it takes no more work: bursts end at once. */
  readonly crowded?: () => boolean;
};

/**
 * One job's burst: keeps the wake of a commit back and goes on with it itself, as long as its loop allows and nobody waits.
 * A wake kept back is only a hint that is late: if the worker dies, the sweep finds the run as it finds any.
 */
export class JobBurst<D extends BurstDeps> {
  readonly #deps: D;
  readonly #runId: string;
  #keeping: D | null = null;
  #plan: FlowPlan | null = null;
  #kept: Wake | null = null;
  #iterations = 0;
  #startedMs = 0;

  constructor(deps: D, runId: string) {
    this.#deps = deps;
    this.#runId = runId;
  }

  /** What the work of this job gets: the same, but for the relay where a burst may follow. */
  depsFor(plan: FlowPlan): D {
    if (!plan.mayBurst && (this.#deps.burst ?? null) === null) return this.#deps;
    if (this.#keeping === null) {
      this.#startedMs = this.#deps.clock.monotonicMs();
      this.#keeping = { ...this.#deps, relay: { wake: (wake) => this.#keep(wake) } };
    }
    this.#plan = plan;
    return this.#keeping;
  }

  #keep(wake: Wake): void {
    if (wake.delayMs > 0 || wake.runId !== this.#runId) this.#deps.relay.wake(wake);
    else this.#kept = wake;
  }

  /** The wake to go on with; null, and the queue has it, when the burst is over. */
  next(): Wake | null {
    const wake = this.#kept;
    if (wake === null) return null;
    this.#iterations += 1;
    if (!this.#goesOn(wake)) {
      this.release();
      return null;
    }
    this.#kept = null;
    return wake;
  }

  #goesOn({ runId, token }: Wake): boolean {
    const { recent, clock, crowded, burst = null } = this.#deps;
    const path = recent.path(runId, token);
    const limit = path === null ? null : (this.#plan?.burst(path) ?? burst);
    return (
      limit !== null &&
      this.#iterations < limit.iterations &&
      clock.monotonicMs() - this.#startedMs < limit.ms &&
      crowded?.() !== true
    );
  }

  /** Lets the queue have a wake that is still kept. */
  release(): void {
    if (this.#kept !== null) this.#deps.relay.wake(this.#kept);
    this.#kept = null;
  }
}
