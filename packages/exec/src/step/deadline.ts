/** setTimeout takes 31 bits; a longer wait fires at once (L-8). */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Calls `onDue` once after `ms`, which may be of any size; null never calls it. Returns what takes it back. */
export function startDeadline(ms: number | null, onDue: () => void): () => void {
  if (ms === null) return () => {};
  const dueAt = performance.now() + ms;
  let timer: NodeJS.Timeout;
  const arm = (): void => {
    const left = dueAt - performance.now();
    timer =
      left > LONGEST_TIMER_MS
        ? setTimeout(arm, LONGEST_TIMER_MS)
        : setTimeout(onDue, Math.max(0, Math.ceil(left)));
  };
  arm();
  return () => clearTimeout(timer);
}
