import type { RedisQueueBackend } from "bullmq";
import type { Activity } from "./activity.ts";

/** How long a worker at work leaves a queue alone that woke it for nothing. */
const REST_MS = 10;

/**
 * Spares the server the questions of a worker's fetch loop whose answer is known. BullMQ on Redis leaves a mark whenever a job
 * is added or taken, so free slots are called for every job, also for those that the end of another job took already: with
 * one run at work that doubled what Redis and the worker had to do.
 */
export function spared(backend: RedisQueueBackend, activity: Activity): RedisQueueBackend {
  let called = false;
  let calledInVain = false;
  let tookAtEnd = false;
  let delayedUntilMs = 0;
  const moveToCompleted = backend.moveToCompleted.bind(backend);
  backend.moveToCompleted = async (...args) => {
    const ended = await moveToCompleted(...args);
    tookAtEnd = Boolean(ended.result?.[0]);
    return ended;
  };
  const moveToActive = backend.moveToActive.bind(backend);
  backend.moveToActive = async (lock, name) => {
    // A slot that filled itself says nothing about the free ones: they wait for a mark, and whatever is left has one.
    if (tookAtEnd && !called) {
      tookAtEnd = false;
      return [null, 0, 0, delayedUntilMs];
    }
    const next = await moveToActive(lock, name);
    calledInVain = called && !next[0];
    called = false;
    delayedUntilMs = next[3] ?? 0;
    return next;
  };
  const waitForJob = backend.waitForJob.bind(backend);
  backend.waitForJob = async (timeoutS) => {
    if (calledInVain && !(await activity.rest(REST_MS))) return null;
    const mark = await waitForJob(timeoutS);
    called = mark !== null;
    if (mark !== null) delayedUntilMs = mark.score;
    return mark;
  };
  return backend;
}
