import type { StepScope } from "./work.ts";

/** What one command wrote to stderr, as a worker hands it over: sanitised and bounded (L-47, L-25). */
export type StepLog = {
  readonly scope: StepScope;
  /** `frameKey` of the frame the node ran in. */
  readonly frame: string;
  readonly node: string;
  readonly attempt: number;
  readonly text: string;
};

/** A stored log. `seq` rises with time. `loop` is the path of the loop of the parent graph; null outside of every loop. */
export type LogEntry = {
  readonly seq: number;
  readonly at: string;
  readonly loop: string | null;
  readonly epoch: number;
  readonly iteration: number | null;
  readonly frame: string;
  readonly node: string;
  readonly attempt: number;
  readonly text: string;
};

export type LogQuery = {
  readonly iteration: number | null;
  readonly limit: number;
  readonly cursor?: string;
};

/** Text on one page of logs, UTF-16 code units; a page holds at least one entry whatever its size. */
export const LOG_PAGE_UNITS = 1_048_576;
