import type {
  BulkStore,
  FleetStore,
  KeyStore,
  Reads,
  RequestDeps,
  ScheduleStore,
  WebhookStore,
} from "@agentflow/engine";
import type { Logger } from "@agentflow/host";
import type { ApiMetrics } from "./metrics.ts";
import type { ConnectionLimits } from "./plugins/limits.ts";

/** What the API works with; composed by main, or by a test on memory adapters. */
export type ApiDeps = {
  readonly use: RequestDeps;
  readonly reads: Reads;
  readonly keys: KeyStore;
  readonly bulk: BulkStore;
  readonly schedules: ScheduleStore;
  readonly webhooks: WebhookStore;
  /** Told when a bulk action was accepted, so that it begins at once. */
  readonly onBulk?: () => void;
  readonly fleet: Pick<FleetStore, "workers" | "size">;
  /** The API listens beyond this machine: every call needs a key (S-19). */
  readonly keysRequired: boolean;
  /** A monotonic clock. */
  readonly nowMs: () => number;
  readonly database: {
    /** Rejects unless Postgres answers and takes writes. */
    ping(): Promise<void>;
  };
  readonly queue: {
    /** Whether the queue's server answers; never rejects. */
    ping(): Promise<boolean>;
    /** Jobs that wait to be taken; rejects when the server is away. */
    depth(): Promise<number>;
  };
  readonly metrics: ApiMetrics;
  /** Of event streams; left out, looked at four times a second, with a sign of life every 15 s. */
  readonly eventTimes?: { readonly pollMs?: number; readonly heartbeatMs?: number };
  /** Of the server's connections; `connectionLimits` where left out. */
  readonly limits?: Partial<ConnectionLimits>;
  readonly logger: Logger;
};
