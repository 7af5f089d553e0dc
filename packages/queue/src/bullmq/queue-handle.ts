import { SchemaMigrationRequiredError, SchemaVersionMismatchError } from "bullmq";
import { endedWithin, sleep, withDeadline } from "../deadline.ts";
import type { BullQueue, Driver, Opened } from "./driver.ts";

const CONNECT_POLL_MS = 25;

/**
 * The BullMQ queue to add to. On PostgreSQL BullMQ remembers a first connection that failed for ever, so a queue that did
 * not become ready is thrown away and the next use makes a new one.
 */
export class QueueHandle {
  readonly #driver: Driver;
  readonly #onError: (error: Error) => void;
  #opened: Opened<BullQueue> | null = null;
  #closed = false;

  constructor(driver: Driver, onError: (error: Error) => void) {
    this.#driver = driver;
    this.#onError = onError;
  }

  /** The queue, ready as far as BullMQ knows; rejects when the server is away or the handle closed. */
  async get(): Promise<BullQueue> {
    if (this.#closed) throw new Error("the queue is closed");
    const opened = (this.#opened ??= this.#driver.openQueue(this.#onError));
    try {
      await opened.bull.waitUntilReady();
    } catch (error) {
      if (this.#opened === opened) {
        this.#opened = null;
        void opened.destroy();
      }
      throw error;
    }
    return opened.bull;
  }

  /** True when the server answers within `ms`; rejects only when the tables are missing or too new. */
  async ping(ms: number): Promise<boolean> {
    try {
      const answer = this.get().then((bull) => bull.getBackend().getQueueMetaField("version"));
      await withDeadline(answer, ms, "answer");
      return true;
    } catch (error) {
      if (error instanceof SchemaMigrationRequiredError) throw error;
      if (error instanceof SchemaVersionMismatchError) throw error;
      return false;
    }
  }

  /** Waits at most `ms` for the first connection: BullMQ on Redis refuses everything until then. */
  async connect(ms: number): Promise<void> {
    const endMs = performance.now() + ms;
    while (!(await this.ping(ms)) && performance.now() < endMs) await sleep(CONNECT_POLL_MS);
  }

  async close(deadlineMs: number): Promise<void> {
    this.#closed = true;
    const opened = this.#opened;
    if (opened === null) return;
    await endedWithin(opened.bull.close(), deadlineMs);
    await opened.destroy();
  }
}
