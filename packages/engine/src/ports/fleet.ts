/** What a worker tells of itself with every sign of life. */
export type WorkerSign = {
  /** What its leases name as their holder. */
  readonly id: string;
  readonly version: string;
  readonly queue: string;
  readonly concurrency: number;
  /** It takes no more jobs and ends when those in hand are done (S-27). */
  readonly draining: boolean;
};

/** A worker as operators see it. Times are ISO 8601 UTC. */
export type WorkerView = WorkerSign & {
  readonly startedAt: string;
  readonly lastSeenAt: string;
  /** Heard of within `WORKER_SILENT_MS`, by the database's clock. */
  readonly alive: boolean;
  /** Runs it holds a live lease of, parts of the seconds since the last beat included. */
  readonly holding: number;
};

/** How much the database holds. Sizes in bytes, indexes and long texts included; rows as Postgres estimates them. */
export type StoreSize = {
  readonly databaseBytes: number;
  /** Largest first. */
  readonly tables: readonly {
    readonly table: string;
    readonly bytes: number;
    readonly rows: number;
    readonly deadRows: number;
  }[];
};

/** A worker signs this often; one that was silent for three times as long counts as gone. Integer ms. */
export const WORKER_SIGN_MS = 10_000;
export const WORKER_SILENT_MS = 3 * WORKER_SIGN_MS;

/** Who works here, and what nobody needs any more. Nothing of a run's fate depends on it. */
export interface FleetStore {
  /** Stores a sign of life; forgets workers that were silent for an hour. */
  signIn(worker: WorkerSign): Promise<void>;
  /** The worker is gone, and said so. */
  signOff(id: string): Promise<void>;
  /** Oldest first. */
  workers(): Promise<readonly WorkerView[]>;
  /**
   * Removes at most `limit` runs that ended `olderThanMs` ago or earlier, oldest first, with everything stored for them (S-26); their
   * audit rows stay without payloads. Live and parked runs are never touched. Returns how many went; safe in any number at once.
   */
  removeEnded(olderThanMs: number, limit: number): Promise<number>;
  size(): Promise<StoreSize>;
}
