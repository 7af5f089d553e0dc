import type { Reads, RequestDeps } from "@agentflow/engine";
import type { Logger } from "@agentflow/host";

/** What the API works with; composed by main, or by a test on memory adapters. */
export type ApiDeps = {
  readonly use: RequestDeps;
  readonly reads: Reads;
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
  readonly logger: Logger;
};
