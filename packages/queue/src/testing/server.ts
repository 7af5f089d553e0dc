import type { QueueTarget } from "../open-queue.ts";

/** A server of the test file's own, which it may kill. */
export interface TestServer {
  /** A new, empty queue on the server. */
  newTarget(): Promise<QueueTarget>;
  /** Everything stored for the queue: keys in Redis, rows of all tables in PostgreSQL. */
  stored(target: QueueTarget): Promise<number>;
  /** The most that `stored` may be when all jobs are done, however many there were. */
  readonly storedAtRest: number;
  /** Takes the right to the job away from the worker that has it. */
  breakLock(target: QueueTarget, jobId: string): Promise<void>;
  /** Adds a job as somebody else would. */
  addRaw(target: QueueTarget, jobId: string, data: unknown): Promise<void>;
  /** SIGKILL; resolves when nothing listens any more. */
  kill(): Promise<void>;
  /** Starts it again, at the same address and with what it had stored. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}
