import { sweep } from "@agentflow/engine";
import type { Wake, WorkStore } from "@agentflow/engine";

export type SweeperOptions = {
  readonly store: Pick<WorkStore, "sweep">;
  readonly relay: { wake(wake: Wake): void };
  readonly intervalMs: number;
  /** Called with the number of runs found; every one had lost its job (S-9). */
  readonly onFound: (runs: number) => void;
  readonly onError: (error: unknown) => void;
};

export interface Sweeper {
  stop(): Promise<void>;
}

/** Most a sweep takes at once; a full one is followed by another without a pause. */
const BATCH = 200;

/** Sweeps for ever, one at a time, each interval with a fifth of jitter so that a fleet does not march in step (S-9). */
export function startSweeper(options: SweeperOptions): Sweeper {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  const once = async (): Promise<void> => {
    let found = BATCH;
    try {
      while (!stopped && found === BATCH) {
        found = await sweep(options, BATCH);
        if (found > 0) options.onFound(found);
      }
    } catch (error) {
      options.onError(error);
    }
    if (!stopped) schedule();
  };
  const schedule = (): void => {
    const jitter = 0.9 + Math.random() * 0.2;
    timer = setTimeout(() => void (running = once()), options.intervalMs * jitter);
  };
  schedule();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
