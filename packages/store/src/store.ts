import type {
  BulkStore,
  FleetStore,
  KeyStore,
  Reads,
  RequestStore,
  ScheduleStore,
  WebhookStore,
  WorkStore,
} from "@agentflow/engine";
import { translating } from "./connection/failures.ts";
import { closePools, openPools, type PoolOptions, type Pools } from "./connection/pools.ts";
import { createBulkStore } from "./bulk-store.ts";
import { createFleetStore } from "./fleet-store.ts";
import { createKeyStore } from "./key-store.ts";
import { createReads } from "./reads-store.ts";
import { createRequestStore } from "./request-store.ts";
import { createScheduleStore } from "./schedule-store.ts";
import { createWebhookStore } from "./webhook-store.ts";
import { createWorkStore, type WorkStoreOptions } from "./work-store.ts";

export type Store = {
  readonly work: WorkStore;
  readonly requests: RequestStore;
  readonly reads: Reads;
  readonly keys: KeyStore;
  readonly fleet: FleetStore;
  readonly bulk: BulkStore;
  readonly schedules: ScheduleStore;
  readonly webhooks: WebhookStore;
  /** Resolves when Postgres answers and takes writes; throws StoreUnavailable when it does not (`/readyz`). */
  ping(): Promise<void>;
  /** Connections per pool, for metrics. */
  connections(): Readonly<Record<keyof Pools, { open: number; idle: number; waiting: number }>>;
  /** Ends every wait for a lost database, then the connections, when their statements are done. */
  close(): Promise<void>;
};

/** The ports of the engine on one Postgres. Connects when first used. */
export function createStore(
  source: Pools | PoolOptions,
  hooks: Pick<WorkStoreOptions, "onFound"> = {},
): Store {
  const pools = "url" in source ? openPools(source) : source;
  const closing = new AbortController();
  return {
    work: createWorkStore(pools, { ...hooks, signal: closing.signal }),
    requests: createRequestStore(pools),
    reads: createReads(pools),
    keys: createKeyStore(pools),
    fleet: createFleetStore(pools),
    bulk: createBulkStore(pools),
    schedules: createScheduleStore(pools),
    webhooks: createWebhookStore(pools),
    ping: () => translating(() => ping(pools)),
    connections: () => ({ work: load(pools.work), side: load(pools.side), requests: load(pools.requests) }),
    close: async () => {
      closing.abort();
      await closePools(pools);
    },
  };
}

/** A standby answers but cannot store anything. */
async function ping({ side }: Pools): Promise<void> {
  const { rows } = await side.query<{ readonly: boolean }>("select pg_is_in_recovery() as readonly");
  if (rows[0]?.readonly !== false)
    throw Object.assign(new Error("the database is read-only"), { code: "25006" });
}

function load(pool: Pools["work"]) {
  return { open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount };
}
