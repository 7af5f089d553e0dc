import type { IQueueBackend } from "bullmq";
import { sleep } from "../deadline.ts";

/** A failed fetch waits this long, or a server that refuses quickly would be asked thousands of times a second. */
const FAILED_FETCH_PAUSE_MS = 250;
/** Ceiling of one wait, s: BullMQ would be silent for an hour on PostgreSQL while a delayed job is far away. */
const MAX_BLOCK_S = 5;

/** When a worker last heard from the server in its fetch loop (the sign of life of A18), and what it has in hand. */
export type Activity = {
  /** On the clock of `performance.now()`, ms. */
  readonly lastAtMs: number;
  touch(): void;
  /** Jobs in hand. */
  readonly jobs: number;
  begin(): void;
  end(): void;
  /** True when every slot is busy: nothing is fetched then, and a renewed lock is the sign of life. */
  busy(): boolean;
  /** Resolves when no job is in hand, or after `ms`: to whether jobs may still be taken. */
  rest(ms: number): Promise<boolean>;
};

/** `paused`: whether no more jobs are wanted. */
export function createActivity(slots: number, paused: () => boolean): Activity {
  let lastAtMs = performance.now();
  let jobs = 0;
  let wake = (): void => {};
  return {
    get lastAtMs() {
      return lastAtMs;
    },
    get jobs() {
      return jobs;
    },
    touch: () => void (lastAtMs = performance.now()),
    begin: () => void (jobs += 1),
    end: () => {
      jobs -= 1;
      if (jobs === 0) wake();
    },
    busy: () => jobs >= slots,
    async rest(ms) {
      if (jobs > 0)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      return !paused();
    },
  };
}

/** Notes in `activity` whenever the fetch loop of the worker that owns `backend` heard from the server. */
export function watched<B extends IQueueBackend>(backend: B, activity: Activity): B {
  const moveToActive = backend.moveToActive.bind(backend);
  backend.moveToActive = async (lock, name) => {
    try {
      const next = await moveToActive(lock, name);
      activity.touch();
      return next;
    } catch (error) {
      await sleep(FAILED_FETCH_PAUSE_MS);
      throw error;
    }
  };
  // Under load every job's end brings the next job, and nothing else is asked for.
  const moveToCompleted = backend.moveToCompleted.bind(backend);
  backend.moveToCompleted = async (...args) => {
    const ended = await moveToCompleted(...args);
    activity.touch();
    return ended;
  };
  const waitForJob = backend.waitForJob.bind(backend);
  backend.waitForJob = async (timeoutS) => {
    const marker = await waitForJob(Math.min(timeoutS, MAX_BLOCK_S));
    activity.touch();
    return marker;
  };
  const extendLocks = backend.extendLocks.bind(backend);
  backend.extendLocks = async (ids, locks, durationMs) => {
    const lost = await extendLocks(ids, locks, durationMs);
    if (activity.busy()) activity.touch();
    return lost;
  };
  return backend;
}
