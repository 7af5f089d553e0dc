import {
  createPostgresBackend,
  Queue,
  runMigrations,
  Worker,
  type BackendFactory,
  type PgPool,
  type PostgresConnectionOptions,
  type PostgresQueueBackend,
} from "bullmq";
import { withDeadline } from "../deadline.ts";
import type { WakeJob } from "../job.ts";
import { watched } from "./activity.ts";
import type { Driver, ServerCheck } from "./driver.ts";
import { openPool, SCHEMA, withClient } from "./pool.ts";
import { ADD_DEADLINE_MS, QUEUE_NAME, QUEUE_SETTINGS, WORKER_SETTINGS } from "./settings.ts";

const MIN_MAJOR = 15;
const CHECK_DEADLINE_MS = 5000;
const QUERY_TIMEOUT_MS = 10_000;
const QUEUE_CONNECTIONS = 3;
/** One of them is kept for LISTEN. */
const WORKER_CONNECTIONS = 5;

/** BullMQ's own PostgreSQL backend (S-3): the pools are ours, for only so can every client have an error listener. */
export function postgresDriver(url: string): Driver {
  return {
    kind: "postgres",
    openQueue(onError) {
      const { pool, destroy } = openPool(url, QUEUE_CONNECTIONS, ADD_DEADLINE_MS, QUERY_TIMEOUT_MS);
      const bull = new Queue<
        WakeJob,
        undefined,
        string,
        WakeJob,
        undefined,
        string,
        PostgresQueueBackend,
        PostgresConnectionOptions
      >(QUEUE_NAME, { ...QUEUE_SETTINGS, connection: pool as unknown as PgPool }, createPostgresBackend);
      bull.on("error", onError);
      return { bull, destroy: () => freeAll(bull.getBackend(), destroy) };
    },
    openWorker({ concurrency, processor, activity, onError, onLockLost }) {
      const { pool, destroy } = openPool(url, WORKER_CONNECTIONS, 5000, QUERY_TIMEOUT_MS);
      const factory: BackendFactory<PostgresQueueBackend, PostgresConnectionOptions> = (...args) =>
        watched(createPostgresBackend(...args), activity);
      const bull = new Worker(
        QUEUE_NAME,
        processor,
        { ...WORKER_SETTINGS, concurrency, connection: pool as unknown as PgPool },
        factory,
      );
      bull.on("error", onError);
      bull.on("lockRenewalFailed", onLockLost);
      return { bull, destroy: () => freeAll(bull.getBackend(), destroy) };
    },
    checkServer: () => withDeadline(checkPostgres(url), CHECK_DEADLINE_MS, "answer"),
  };
}

/** Closing gives the LISTEN client back to the pool, which could not end without it. */
function freeAll(backend: PostgresQueueBackend, destroyPool: () => Promise<void>): Promise<void> {
  void backend.close(true).catch(() => {});
  return destroyPool();
}

/** Creates or updates BullMQ's tables in the schema `bullmq`; any number of processes may do it at once (S-23). */
export async function migrateQueue(url: string): Promise<void> {
  await withClient(url, (client) => runMigrations(client, SCHEMA));
}

async function checkPostgres(url: string): Promise<ServerCheck> {
  const version = await withClient(url, async (client) => {
    const { rows } = await client.query<{ server_version: string }>("show server_version");
    return rows[0]?.server_version ?? "";
  });
  return Number.parseInt(version, 10) >= MIN_MAJOR
    ? { kind: "fit", version }
    : {
        kind: "refused",
        problem: `PostgreSQL ${MIN_MAJOR} or later is needed, this is ${version}`,
      };
}
