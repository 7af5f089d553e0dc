/** The longest delay a timer of Node takes; a longer one would fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

export type LongTimeout = {
  /** Gives up the timer; safe to call again and after it fired. */
  clear(): void;
  /** Lets the process end although the timer is pending. */
  unref(): LongTimeout;
};

/** Calls `callback` once after `delayMs` (any length; below 0 counts as 0, `Infinity` as never), see L-8. */
export function setLongTimeout(callback: () => void, delayMs: number): LongTimeout {
  let leftMs = Math.max(0, delayMs);
  let referenced = true;
  let timer: NodeJS.Timeout;
  const arm = (): void => {
    const stepMs = Math.min(leftMs, MAX_DELAY_MS);
    leftMs -= stepMs;
    timer = setTimeout(leftMs > 0 ? arm : callback, stepMs);
    if (!referenced) timer.unref();
  };
  arm();
  const handle: LongTimeout = {
    clear: () => clearTimeout(timer),
    unref: () => {
      referenced = false;
      timer.unref();
      return handle;
    },
  };
  return handle;
}
