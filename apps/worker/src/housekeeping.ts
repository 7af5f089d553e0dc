import { WORKER_SIGN_MS } from "@agentflow/engine";
import type { FleetStore, WorkerSign } from "@agentflow/engine";

export type HousekeepingOptions = {
  readonly fleet: Pick<FleetStore, "signIn" | "signOff" | "removeEnded">;
  readonly worker: Omit<WorkerSign, "draining">;
  /** Age from which ended runs are removed; null keeps them for ever (S-26). */
  readonly retentionMs: number | null;
  readonly onRemoved: (runs: number) => void;
  readonly onError: (error: unknown) => void;
};

export interface Housekeeping {
  /** Tells that this worker takes no more jobs. */
  drain(): Promise<void>;
  /** Ends the work in hand and says goodbye. */
  stop(): Promise<void>;
}

/** Small enough to hold locks for milliseconds. */
const BATCH = 100;
/** One look for old runs in so many signs of life. */
const SIGNS_BETWEEN_LOOKS = 6;

/** Gives signs of life, and removes what retention no longer keeps, a batch at a time; any number of workers may (S-26). */
export function startHousekeeping(options: HousekeepingOptions): Housekeeping {
  const { fleet, worker, retentionMs } = options;
  let draining = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let signs = 0;

  const once = async (): Promise<void> => {
    try {
      await fleet.signIn({ ...worker, draining });
      if (!draining && signs % SIGNS_BETWEEN_LOOKS === 0) await removeOld();
    } catch (error) {
      options.onError(error);
    }
    signs += 1;
    if (stopped) return;
    const jitter = 0.9 + Math.random() * 0.2;
    timer = setTimeout(() => void (running = once()), WORKER_SIGN_MS * jitter);
  };
  const removeOld = async (): Promise<void> => {
    let removed = retentionMs === null ? 0 : BATCH;
    while (!stopped && !draining && removed === BATCH) {
      removed = await fleet.removeEnded(retentionMs!, BATCH);
      if (removed > 0) options.onRemoved(removed);
    }
  };
  running = once();
  return {
    drain: async () => {
      draining = true;
      await fleet.signIn({ ...worker, draining }).catch(options.onError);
    },
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
      await fleet.signOff(worker.id).catch(options.onError);
    },
  };
}
