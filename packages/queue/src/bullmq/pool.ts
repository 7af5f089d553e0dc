import pg from "pg";
import { endedWithin } from "../deadline.ts";

/** The namespace of BullMQ's tables; its backend finds them through the search path only. */
export const SCHEMA = "bullmq";
const ignore = (): void => {};

/**
 * A client that never crashes the process: a lost connection is an `error` event, which throws where nobody listens, and
 * BullMQ takes all listeners off before it ends its LISTEN client.
 */
export class CalmClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on("error", ignore);
  }

  override removeAllListeners(event?: string | symbol): this {
    super.removeAllListeners(event);
    this.on("error", ignore);
    return this;
  }
}

export type QueuePool = { readonly pool: pg.Pool; destroy(): Promise<void> };

/** A pool with BullMQ's schema as its search path; a server that does not answer costs `connectMs`, then `queryMs`. */
export function openPool(url: string, max: number, connectMs: number, queryMs: number): QueuePool {
  const pool = new pg.Pool({
    ...clientConfig(url),
    Client: CalmClient,
    max,
    connectionTimeoutMillis: connectMs,
    query_timeout: queryMs,
  });
  pool.on("error", ignore);
  const clients = new Set<pg.PoolClient>();
  pool.on("connect", (client) => void clients.add(client));
  pool.on("remove", (client) => void clients.delete(client));
  return {
    pool,
    async destroy() {
      const ended = pool.ended || pool.ending ? Promise.resolve() : pool.end();
      // A client that is lent out would keep the pool open for as long as its query takes.
      for (const client of clients) void (client as unknown as pg.Client).end().catch(ignore);
      await endedWithin(ended, 500);
    },
  };
}

/** Runs `work` on one connection of its own; throws when the server is away. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new CalmClient({ ...clientConfig(url), connectionTimeoutMillis: 5000 });
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(ignore);
  }
}

function clientConfig(url: string): pg.ClientConfig {
  return {
    connectionString: withSearchPath(url),
    application_name: "agentflow-queue",
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

/** Options of the address win over others, so the search path must be among them. */
export function withSearchPath(url: string): string {
  const address = new URL(url);
  const options = address.searchParams.get("options");
  const path = `-c search_path=${SCHEMA}`;
  address.searchParams.set("options", options === null ? path : `${options} ${path}`);
  return address.href;
}
