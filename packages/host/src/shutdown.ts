import { withDeadline } from "./deadline.ts";
import type { Logger } from "./logger.ts";

/** Ctrl-C reaches a process from the terminal and again from its parent; within this time both are one signal. */
const ECHO_MS = 250;

const SIGNAL_NUMBER = { SIGINT: 2, SIGTERM: 15 } as const;
type StopSignal = keyof typeof SIGNAL_NUMBER;

export type ShutdownOptions = {
  logger: Logger;
  /**
   * The process was forked by a supervisor that stops it with SIGTERM: an interrupt from the terminal is left to the
   * supervisor, and losing it (its IPC channel closes) is a reason to stop.
   */
  supervised?: boolean;
  exit?: (code: number) => void;
};

/** What work is aborted with when the process is asked to stop. */
class StopAsked extends Error {
  override readonly name = "StopAsked";
}

/** Whether an error only says that the process is stopping: then its closers end it, and nothing failed. */
export function isStop(error: unknown): boolean {
  return error instanceof StopAsked || (error instanceof Error && error.cause instanceof StopAsked);
}

type Closer = { what: string; deadlineMs: number; close: () => Promise<unknown> };

export type Shutdown = {
  /** Aborted as soon as the process is asked to stop. */
  readonly signal: AbortSignal;
  /** Registers what to close; the last registered is closed first, each has `deadlineMs` for itself. */
  onClose(what: string, deadlineMs: number, close: () => Promise<unknown>): void;
  /** Starts the orderly stop, as a signal would, and ends the process with `exitCode`; later calls change nothing. */
  begin(reason: string, exitCode?: number): void;
};

/**
 * Takes over the end of the process (S-27): the first SIGTERM or SIGINT closes what is registered, in reverse order and in
 * bounded time, and exits with 0; a second one exits at once. A rejection or exception nobody handled exits with 1 at once.
 */
export function createShutdown({
  logger,
  supervised = false,
  exit = process.exit,
}: ShutdownOptions): Shutdown {
  const closers: Closer[] = [];
  const abort = new AbortController();
  let begunAt = 0;

  const begin = (reason: string, exitCode = 0): void => {
    if (abort.signal.aborted) return;
    begunAt = performance.now();
    logger.info({ reason }, "stopping");
    abort.abort(new StopAsked(`stopping: ${reason}`));
    void closeAll(closers, logger).then(() => {
      logger.info({ tookMs: Math.round(performance.now() - begunAt) }, "stopped");
      exit(exitCode);
    });
  };
  const onSignal = (signal: StopSignal): void => {
    if (!abort.signal.aborted) return begin(signal);
    if (performance.now() - begunAt < ECHO_MS) return;
    logger.warn({ signal }, "second signal, stopping at once");
    exit(128 + SIGNAL_NUMBER[signal]);
  };
  const die = (error: unknown): void => {
    logger.fatal({ err: error }, "unhandled error");
    exit(1);
  };

  process.on("SIGTERM", onSignal);
  process.on("SIGINT", supervised ? () => {} : onSignal);
  if (supervised) process.once("disconnect", () => begin("the supervisor is gone"));
  process.on("unhandledRejection", die);
  process.on("uncaughtException", die);
  return {
    signal: abort.signal,
    onClose: (what, deadlineMs, close) => void closers.push({ what, deadlineMs, close }),
    begin,
  };
}

/** One after the other, so that what is closed may still use what is registered before it. */
async function closeAll(closers: Closer[], logger: Logger): Promise<void> {
  for (let closer = closers.pop(); closer !== undefined; closer = closers.pop()) {
    const { what, deadlineMs, close } = closer;
    try {
      await withDeadline(close(), deadlineMs, what);
    } catch (error) {
      logger.error({ what, err: error }, "closing failed");
    }
  }
}
