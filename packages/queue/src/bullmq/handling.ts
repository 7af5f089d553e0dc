import { WaitingError, type Job } from "bullmq";
import { readJob, type WakeJob } from "../job.ts";
import type { OnProblem } from "../problems.ts";
import type { Activity } from "./activity.ts";
import type { WakeProcessor } from "./driver.ts";

/**
 * `signal` makes the signal that says: stop, somebody else may have the job. Few ask, and making one for each job counts.
 * `dueAtMs` tells when the job was to be taken, in ms of the wall clock of whoever added it.
 */
export type Handle = (job: WakeJob, signal: () => AbortSignal, dueAtMs: () => number) => Promise<void>;

/**
 * Runs `handle` for each job BullMQ delivers. The job ends whatever `handle` does: BullMQ never learns of a result or a
 * failure, for Postgres alone knows both (S-5, A13, A23).
 */
export class Handling {
  readonly #handle: Handle;
  readonly #onProblem: OnProblem;
  readonly #activity: Activity;
  readonly #inHand = new Set<InHand>();
  /** While true, a job that was on its way already goes back to the queue, for another worker. */
  paused = false;

  constructor(handle: Handle, onProblem: OnProblem, activity: Activity) {
    this.#handle = handle;
    this.#onProblem = onProblem;
    this.#activity = activity;
  }

  /** What BullMQ calls for each job. */
  readonly process: WakeProcessor = async (job, lock) => {
    if (this.paused) await giveBack(job, lock);
    const wake = readJob(job.data);
    if (wake === null) {
      this.#onProblem({ kind: "malformed", jobId: job.id ?? "" });
      return undefined;
    }
    const inHand = new InHand(job.id ?? "");
    this.#inHand.add(inHand);
    this.#activity.begin();
    inHand.work = this.#run(wake, inHand, () => job.timestamp + (job.opts.delay ?? 0));
    await inHand.work;
    this.#inHand.delete(inHand);
    this.#activity.end();
    return undefined;
  };

  async #run(wake: WakeJob, inHand: InHand, dueAtMs: () => number): Promise<void> {
    try {
      await this.#handle(wake, inHand.signal, dueAtMs);
    } catch (error) {
      this.#onProblem({ kind: "handler", ...wake, error });
    }
  }

  /** Resolves when no job is being handled. */
  async settled(): Promise<void> {
    while (this.#inHand.size > 0) await Promise.all([...this.#inHand].map(({ work }) => work));
  }

  /** The job's lock was lost (A2). */
  abort(jobId: string, reason: Error): void {
    for (const inHand of this.#inHand) if (inHand.jobId === jobId) inHand.abort(reason);
  }

  abortAll(reason: Error): void {
    for (const inHand of this.#inHand) inHand.abort(reason);
  }
}

/** A job in hand. Its signal is made when asked for. */
class InHand {
  readonly jobId: string;
  work: Promise<void> = Promise.resolve();
  #controller: AbortController | null = null;
  #reason: Error | null = null;

  constructor(jobId: string) {
    this.jobId = jobId;
  }

  readonly signal = (): AbortSignal => {
    this.#controller ??= new AbortController();
    if (this.#reason !== null) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  };

  abort(reason: Error): void {
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}

/** Always throws: it is how BullMQ learns that the job is not over. A job it could not move is handed on by the stall check. */
async function giveBack(job: Job<WakeJob>, lock: string | undefined): Promise<never> {
  await job.moveToWait(lock).catch(() => {});
  throw new WaitingError();
}
