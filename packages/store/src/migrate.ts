import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate as applyMigrations } from "drizzle-orm/node-postgres/migrator";
import pg from "pg";
import { isOutage, translating } from "./connection/failures.ts";

/** The same from src/ and from dist/. */
export const MIGRATIONS = fileURLToPath(new URL("../../../migrations", import.meta.url));

/** Names our migration lock; any number, but always this one. */
const LOCK = 4_771_340_911;
const POLL_MS = 250;

/** The database has migrations this process does not know: it must not touch it (S-23). */
export class DatabaseNewer extends Error {
  override readonly name = "DatabaseNewer";
  constructor() {
    super(
      "the database was migrated by a newer release; update this process or point it at another database",
    );
  }
}

type Journal = { entries: readonly { when: number }[] };

/** Time stamp of the newest migration this process has; drizzle orders and finds them by it. */
function ours(): number {
  const journal: Journal = JSON.parse(readFileSync(`${MIGRATIONS}/meta/_journal.json`, "utf8"));
  return Math.max(...journal.entries.map(({ when }) => when));
}

/**
 * Brings the database to this release's schema. Any number of processes may call it at once: one migrates, the others wait
 * and find it done (S-23). Throws DatabaseNewer before it changes anything, and StoreUnavailable.
 */
export async function migrate(url: string): Promise<void> {
  await withClient(url, async (client) => {
    // A lock of the session on a connection of its own: it ends with us, whatever happens (reliability C2, C15).
    await client.query("select pg_advisory_lock($1)", [LOCK]);
    if ((await stored(client)) > ours()) throw new DatabaseNewer();
    await client.query("set lock_timeout = '5s'");
    await applyMigrations(drizzle(client), { migrationsFolder: MIGRATIONS });
  });
}

/** Waits until somebody has migrated the database; throws DatabaseNewer, and the signal's reason when it is aborted. */
export async function awaitSchema(url: string, signal: AbortSignal): Promise<void> {
  const wanted = ours();
  for (;;) {
    signal.throwIfAborted();
    const found = await withClient(url, stored).catch((error: unknown) => {
      if (isOutage((error as Error).cause ?? error)) return 0;
      throw error;
    });
    if (found > wanted) throw new DatabaseNewer();
    if (found === wanted) return;
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** Time stamp of the newest migration in the database; 0 when there is none. */
async function stored(client: pg.Client): Promise<number> {
  const { rows: tables } = await client.query(
    "select to_regclass('drizzle.__drizzle_migrations') is not null as there",
  );
  if (!tables[0].there) return 0;
  const { rows } = await client.query(
    "select coalesce(max(created_at), 0) as newest from drizzle.__drizzle_migrations",
  );
  return Number(rows[0].newest);
}

/** Runs `work` on a connection of its own. */
export function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  return translating(async () => {
    const client = new pg.Client({
      connectionString: url,
      application_name: "agentflow-schema",
      connectionTimeoutMillis: 5000,
    });
    // A lost connection fails the query under way; this keeps it from ending the process too (C5).
    client.on("error", () => {});
    try {
      await client.connect();
      return await work(client);
    } finally {
      await client.end().catch(() => {});
    }
  });
}
