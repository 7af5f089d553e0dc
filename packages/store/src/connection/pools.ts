import pg from "pg";

export type PoolOptions = {
  readonly url: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  /** Connections for work, and again for requests; 2 more serve heartbeats and the sweep. Nothing connects before it is used. */
  readonly maxConnections: number;
  /** Told of errors of idle connections, which nobody else hears. */
  readonly onError?: (error: Error) => void;
};

export type Pools = {
  /** Claims, commits and what workers read. */
  readonly work: pg.Pool;
  /** Heartbeats and sweep: work that waits for connections must not cost leases (reliability C7). */
  readonly side: pg.Pool;
  /** Requests and pages. */
  readonly requests: pg.Pool;
};

const CONNECT_LIMIT_MS = 5000;
const STATEMENT_LIMIT_MS = 15_000;
/** Ours, for a server that does not answer at all; longer than its own limit, which explains itself better. */
const ANSWER_LIMIT_MS = 20_000;

/** Transitions touch single rows by primary key; a plan made for a small table must not outlive its smallness. */
const WORK_PLANS = [
  "-c plan_cache_mode=force_generic_plan",
  "-c enable_seqscan=off",
  "-c enable_hashjoin=off",
  "-c enable_mergejoin=off",
  "-c jit=off",
];

/** A lost heartbeat or sweep does no harm, so the side pool does not wait for the disk (reliability C4). */
const SIDE_PLANS = [...WORK_PLANS, "-c synchronous_commit=off"];

const types = new pg.TypeOverrides();
/** Every bigint here is below 2^53: counters and ms. */
types.setTypeParser(pg.types.builtins.INT8, Number);

/** Opens the pools of one process. An error on any of their connections is reported and never ends the process (C5). */
export function openPools(options: PoolOptions): Pools {
  return {
    work: openPool(options, options.maxConnections, WORK_PLANS),
    side: openPool(options, 2, SIDE_PLANS),
    requests: openPool(options, options.maxConnections, ["-c jit=off"]),
  };
}

export async function closePools(pools: Pools): Promise<void> {
  await Promise.all([pools.work.end(), pools.side.end(), pools.requests.end()]);
}

function openPool(options: PoolOptions, max: number, settings: readonly string[]): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    options: settings.join(" "),
    max,
    types,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    statement_timeout: STATEMENT_LIMIT_MS,
    query_timeout: ANSWER_LIMIT_MS,
    lock_timeout: 5000,
    idle_in_transaction_session_timeout: 10_000,
  });
  const report = options.onError ?? (() => {});
  pool.on("error", report);
  // Without its own listener a checked-out connection's error is an uncaught exception (reliability C5).
  pool.on("connect", (client) => client.on("error", report));
  return pool;
}
