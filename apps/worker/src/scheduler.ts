export type SchedulerOptions = {
  /** Deals with what is due next; false when nothing is (`runDueSchedule`, `sendDueDeliveries`). */
  readonly step: (leaseMs: number) => Promise<boolean>;
  readonly onError: (error: unknown) => void;
  readonly intervalMs?: number;
};

export interface Scheduler {
  /** Resolves when the step in hand is done. */
  stop(): Promise<void>;
}

/** How long a step is this process's: longer than a receiver of a webhook may take. */
const LEASE_MS = 15_000;
/** How late what is due may be looked for, at most; any number of workers look. */
const INTERVAL_MS = 1000;

/** Deals with ticks or deliveries for ever, one step at a time, with a fifth of jitter so that a fleet does not march in step. */
export function startScheduler({ step, onError, intervalMs = INTERVAL_MS }: SchedulerOptions): Scheduler {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  const once = async (): Promise<void> => {
    try {
      while (!stopped && (await step(LEASE_MS)));
    } catch (error) {
      onError(error);
    }
    if (!stopped) lookLater();
  };
  const lookLater = (): void => {
    timer = setTimeout(() => void (running = once()), intervalMs * (0.8 + Math.random() * 0.2));
  };
  lookLater();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
