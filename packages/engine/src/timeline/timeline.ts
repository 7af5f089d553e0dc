import type { WorkStore } from "../ports/work.ts";
import { makeStep } from "./step.ts";

/** Runs whose bytes a worker counts at a time; who is forgotten is counted anew. */
const COUNTED_RUNS = 10_000;

/** What a worker keeps of the states of loops: the steps it makes, and that a run's do not outgrow their budget. */
export interface Timeline {
  /** The step to store with an iteration that turned `before` into `after`; `previous` is that of the iteration before it. */
  step(previous: Uint8Array | undefined, before: string, after: string): Promise<Uint8Array>;
  /** To be told of a stored step. True when the run's oldest states were given up, perhaps this one with them. */
  kept(runId: string, step: Uint8Array): Promise<boolean>;
}

/**
 * A timeline within `budgetBytes` per run. A worker looks at what a run has stored each time it has added an eighth of the budget, so
 * that the hot path knows no sums; a run may be over it by as much for each worker it meets.
 */
export function createTimeline(store: Pick<WorkStore, "trimTimeline">, budgetBytes: number): Timeline {
  const added = new Map<string, number>();
  return {
    step: (previous, before, after) => makeStep(previous ?? null, before, after),
    kept: async (runId, { length }) => {
      const bytes = (added.get(runId) ?? 0) + length;
      added.delete(runId);
      if (bytes < budgetBytes / 8) {
        added.set(runId, bytes);
        const oldest = added.size > COUNTED_RUNS ? added.keys().next().value : undefined;
        if (oldest !== undefined) added.delete(oldest);
        return false;
      }
      return (await store.trimTimeline(runId, budgetBytes, Math.floor(budgetBytes * 0.75))) > 0;
    },
  };
}
