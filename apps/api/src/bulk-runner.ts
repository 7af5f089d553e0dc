/** How long a step's runs are this process's; a step takes far less. */
const LEASE_MS = 10_000;
/** How often a process that has nothing to do looks for actions that others left behind. */
const IDLE_MS = 2000;

export type BulkRunnerOptions = {
  /** Deals with the next step of an action; ms until its next one, null when nothing is due (`runBulkStep`). */
  readonly step: (leaseMs: number) => Promise<number | null>;
  readonly onError: (error: unknown) => void;
  readonly idleMs?: number;
};

export interface BulkRunner {
  /** There is something to do: looks at once. */
  poke(): void;
  /** Resolves when the step in hand is done. */
  stop(): Promise<void>;
}

/**
 * Deals with bulk actions, one step at a time, as long as there are any; any number of processes may do so (3.4). What dies with
 * this process is taken up by another, or by this one when it is back.
 */
export function startBulkRunner({ step, onError, idleMs = IDLE_MS }: BulkRunnerOptions): BulkRunner {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  let again = false;

  const once = async (): Promise<void> => {
    again = false;
    let waitMs = idleMs;
    try {
      waitMs = Math.min((await step(LEASE_MS)) ?? idleMs, idleMs);
    } catch (error) {
      onError(error);
    }
    running = null;
    schedule(again ? 0 : waitMs);
  };
  const schedule = (ms: number): void => {
    if (stopped) return;
    clearTimeout(timer);
    timer = setTimeout(() => void (running = once()), ms);
    timer.unref();
  };
  schedule(idleMs);
  return {
    poke: () => {
      if (running === null) schedule(0);
      else again = true;
    },
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
