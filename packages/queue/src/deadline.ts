/** Thrown by `withDeadline`; the work itself goes on and its result is dropped. */
export class QueueDeadlineError extends Error {
  override readonly name = "QueueDeadlineError";
}

/** The result of `work`, or a `QueueDeadlineError` naming `what` after `ms` milliseconds (A14, A17). */
export function withDeadline<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new QueueDeadlineError(`the queue did not ${what} within ${ms} ms`)),
      ms,
    );
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Whether `work` ended, in success or not, within `ms` milliseconds; never rejects. */
export async function endedWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const ended = work.then(
    () => true,
    () => true,
  );
  try {
    return await withDeadline(ended, ms, "end");
  } catch {
    return false;
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
