import type { Wake } from "@agentflow/engine";
import { endedWithin, sleep } from "../deadline.ts";
import type { OnProblem } from "../problems.ts";
import { createActivity, type Activity } from "./activity.ts";
import type { BullWorker, Driver, Opened, OpenedWorker } from "./driver.ts";
import { Handling, type Handle } from "./handling.ts";

export type ConsumerOptions = {
  /** Jobs handled at the same time, at least 1. */
  readonly concurrency: number;
  /** The job is over when it settles; a rejection goes to `onProblem`. */
  handle: Handle;
  onProblem: OnProblem;
};

export interface Consumer {
  /** When the fetch loop last heard from the server, ms on the clock of `performance.now()`; for liveness (A18). */
  readonly lastActivity: number;
  /** True when other jobs may wait: every slot is taken; also while it takes no more jobs. */
  readonly crowded: boolean;
  /** Takes no more jobs, from now on and at once; the ones being handled go on. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /**
   * Takes no more jobs, waits until `handle` is done with the ones it has, aborts their signals at the deadline and
   * resolves within a second after it, also when the server is away (A14).
   */
  close(deadlineMs: number): Promise<void>;
}

/** A consumer as the queue knows it. */
export type AddingConsumer = Consumer & {
  /** Adds a wake over the consumer's own connection; null when it has none that is up. */
  add(wake: Wake): Promise<unknown> | null;
};

const WATCH_EVERY_MS = 1000;
/** Silent seconds, counted while this process runs, after which a consumer of a server that answers is made anew. */
const SILENT_TICKS = 15;
const REOPEN_AFTER_MS = 500;
/** BullMQ still writes that the last jobs are over. */
const POLITE_CLOSE_MS = 1000;
const LAST_CHANCE_MS = 250;

/** Starts to take jobs; waits for a server that is away, and outlives any outage. `ping`: does the server answer? */
export function startConsumer(
  driver: Driver,
  ping: () => Promise<boolean>,
  options: ConsumerOptions,
): AddingConsumer {
  return new WakeConsumer(driver, ping, options);
}

class WakeConsumer implements AddingConsumer {
  readonly #driver: Driver;
  readonly #ping: () => Promise<boolean>;
  readonly #options: ConsumerOptions;
  readonly #handling: Handling;
  readonly #activity: Activity;
  readonly #watch: NodeJS.Timeout;
  #opened: OpenedWorker | null = null;
  #running = false;
  #closing: Promise<void> | null = null;

  constructor(driver: Driver, ping: () => Promise<boolean>, options: ConsumerOptions) {
    this.#driver = driver;
    this.#ping = ping;
    this.#options = options;
    this.#activity = createActivity(options.concurrency, () => this.#handling.paused);
    this.#handling = new Handling(options.handle, options.onProblem, this.#activity);
    void this.#open();
    this.#watch = setInterval(this.#silenceWatch(), WATCH_EVERY_MS).unref();
  }

  get lastActivity(): number {
    return this.#activity.lastAtMs;
  }

  get crowded(): boolean {
    return this.#handling.paused || this.#activity.busy();
  }

  add(wake: Wake): Promise<unknown> | null {
    return this.#opened?.add?.(wake) ?? null;
  }

  /** Opens a worker until one becomes ready: BullMQ on PostgreSQL never forgets that its first connection failed. */
  async #open(): Promise<void> {
    while (this.#closing === null) {
      const opened = this.#openWorker();
      this.#opened = opened;
      try {
        await opened.bull.waitUntilReady();
      } catch (error) {
        if (this.#opened !== opened) return;
        this.#opened = null;
        this.#onError(error as Error);
        discard(opened);
        await sleep(REOPEN_AFTER_MS);
        continue;
      }
      if (this.#opened === opened && this.#closing === null) await this.#start(opened.bull);
      return;
    }
  }

  #openWorker(): OpenedWorker {
    return this.#driver.openWorker({
      concurrency: this.#options.concurrency,
      processor: this.#handling.process,
      activity: this.#activity,
      onError: (error) => this.#onError(error),
      onLockLost: (jobIds) => {
        for (const jobId of jobIds) {
          this.#options.onProblem({ kind: "lock_lost", jobId });
          this.#handling.abort(jobId, new Error("the job's lock was lost"));
        }
      },
    });
  }

  async #start(bull: BullWorker): Promise<void> {
    this.#running = true;
    if (this.#handling.paused) await bull.pause(true);
    else bull.run().catch((error: Error) => this.#onError(error));
  }

  /** Called every second; a second in which this process was frozen counts once. */
  #silenceWatch(): () => void {
    let seenMs = this.lastActivity;
    let silentTicks = 0;
    return () => {
      silentTicks = this.lastActivity === seenMs && !this.#handling.paused ? silentTicks + 1 : 0;
      seenMs = this.lastActivity;
      if (silentTicks < SILENT_TICKS) return;
      silentTicks = 0;
      void this.#ping().then((answers) => {
        if (answers && this.#closing === null && this.lastActivity === seenMs) this.#rebuild();
      });
    };
  }

  #rebuild(): void {
    const old = this.#opened;
    if (old === null) return;
    this.#opened = null;
    this.#running = false;
    discard(old);
    this.#options.onProblem({ kind: "rebuilt" });
    void this.#open();
  }

  #onError(error: Error): void {
    this.#options.onProblem({ kind: "queue", error });
  }

  async pause(): Promise<void> {
    this.#handling.paused = true;
    if (this.#running) await this.#opened?.bull.pause(true);
  }

  async resume(): Promise<void> {
    this.#handling.paused = false;
    this.#activity.touch();
    if (this.#running) await this.#opened?.bull.resume();
  }

  close(deadlineMs: number): Promise<void> {
    return (this.#closing ??= this.#close(deadlineMs));
  }

  async #close(deadlineMs: number): Promise<void> {
    const endMs = performance.now() + deadlineMs;
    clearInterval(this.#watch);
    await this.pause();
    if (!(await endedWithin(this.#handling.settled(), deadlineMs)))
      this.#handling.abortAll(new Error("the consumer is closed"));
    const opened = this.#opened;
    if (opened === null) return;
    const leftMs = Math.max(LAST_CHANCE_MS, endMs - performance.now());
    await endedWithin(opened.bull.close(), Math.min(leftMs, POLITE_CLOSE_MS));
    await opened.destroy();
  }
}

/** Ends a worker without waiting; jobs it still has are handed on when their locks end. */
function discard({ bull, destroy }: Opened<BullWorker>): void {
  void bull.close(true).catch(() => {});
  void destroy();
}
