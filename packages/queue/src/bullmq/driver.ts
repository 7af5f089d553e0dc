import type { Wake } from "@agentflow/engine";
import type { IQueueBackend, Job, Queue, Worker } from "bullmq";
import type { WakeJob } from "../job.ts";
import type { Activity } from "./activity.ts";

/** What we use of BullMQ's classes, the same on both backends. */
export type BullQueue = Pick<
  Queue<WakeJob>,
  "add" | "addBulk" | "getWaitingCount" | "waitUntilReady" | "close"
> & { getBackend(): IQueueBackend };

export type BullWorker = Pick<Worker<WakeJob>, "run" | "pause" | "resume" | "close" | "waitUntilReady"> & {
  getBackend(): IQueueBackend;
};

/** `destroy` frees every connection at once, whatever state they are in; it resolves within half a second. */
export type Opened<T> = { readonly bull: T; destroy(): Promise<void> };

/**
 * A worker, and how to add a wake over the connection by which it ends jobs: the server gets what is added before a job ends
 * in time for that end to take it. Null when that connection is not up.
 */
export type OpenedWorker = Opened<BullWorker> & { add?(wake: Wake): Promise<unknown> | null };

/** Two parameters: with three BullMQ makes a signal for every job. */
export type WakeProcessor = (job: Job<WakeJob>, lock: string | undefined) => Promise<undefined>;

export type WorkerPlan = {
  readonly concurrency: number;
  readonly processor: WakeProcessor;
  readonly activity: Activity;
  onError(error: Error): void;
  onLockLost(jobIds: string[]): void;
};

/** `refused`: the server answers, but must not be used; the text says why and what to change. */
export type ServerCheck =
  | { readonly kind: "fit"; readonly version: string }
  | { readonly kind: "refused"; readonly problem: string };

/** One kind of server: everything that differs between Redis and PostgreSQL. */
export interface Driver {
  readonly kind: "redis" | "postgres";
  openQueue(onError: (error: Error) => void): Opened<BullQueue>;
  openWorker(plan: WorkerPlan): OpenedWorker;
  /** Throws when the server cannot be reached within 5 s. */
  checkServer(options: { allowEviction: boolean }): Promise<ServerCheck>;
}
