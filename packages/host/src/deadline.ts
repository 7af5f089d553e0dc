import { setLongTimeout } from "./timers.ts";

/** Thrown by `withDeadline`; the work itself goes on and its result is dropped. */
export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
}

/** The result of `work`, or a `DeadlineError` naming `what` when it takes longer than `ms` milliseconds. */
export function withDeadline<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setLongTimeout(() => reject(new DeadlineError(`${what} did not end within ${ms} ms`)), ms);
    work.then(resolve, reject).finally(() => timer.clear());
  });
}
