import { WaitingError, type Job } from "bullmq";
import { readJob, type WakeJob } from "../job.ts";
import type { OnProblem } from "../problems.ts";
import type { WakeProcessor } from "./driver.ts";

export type Handle = (job: WakeJob, signal: AbortSignal) => Promise<void>;

/**
 * Runs `handle` for each job BullMQ delivers. The job ends whatever `handle` does: BullMQ never learns of a result or a
 * failure, for Postgres alone knows both (S-5, A13, A23).
 */
export class Handling {
  readonly #handle: Handle;
  readonly #onProblem: OnProblem;
  readonly #active = new Map<AbortController, Promise<void>>();
  /** While true, a job that was on its way already goes back to the queue, for another worker. */
  paused = false;

  constructor(handle: Handle, onProblem: OnProblem) {
    this.#handle = handle;
    this.#onProblem = onProblem;
  }

  get activeCount(): number {
    return this.#active.size;
  }

  /** What BullMQ calls for each job; the signal aborts when the job's lock is lost (A2) or the consumer is closed. */
  readonly process: WakeProcessor = async (job, lock, signal) => {
    if (this.paused) await giveBack(job, lock);
    const wake = readJob(job.data);
    if (wake === null) {
      this.#onProblem({ kind: "malformed", jobId: job.id ?? "" });
      return undefined;
    }
    const controller = new AbortController();
    // Cheaper than AbortSignal.any, which counts at thousands of jobs a second.
    signal?.addEventListener("abort", () => controller.abort(signal.reason), { once: true });
    const work = this.#run(wake, controller.signal);
    this.#active.set(controller, work);
    await work;
    this.#active.delete(controller);
    return undefined;
  };

  async #run(wake: WakeJob, signal: AbortSignal): Promise<void> {
    try {
      await this.#handle(wake, signal);
    } catch (error) {
      this.#onProblem({ kind: "handler", ...wake, error });
    }
  }

  /** Resolves when no job is being handled. */
  async settled(): Promise<void> {
    while (this.#active.size > 0) await Promise.all(this.#active.values());
  }

  abortAll(reason: Error): void {
    for (const controller of this.#active.keys()) controller.abort(reason);
  }
}

/** Always throws: it is how BullMQ learns that the job is not over. A job it could not move is handed on by the stall check. */
async function giveBack(job: Job<WakeJob>, lock: string | undefined): Promise<never> {
  await job.moveToWait(lock).catch(() => {});
  throw new WaitingError();
}
