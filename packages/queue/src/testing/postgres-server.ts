import { randomUUID } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "@agentflow/host";
import { createPostgresBackend, Queue, type PgPool } from "bullmq";
import pg from "pg";
import { migrateQueue } from "../bullmq/postgres.ts";
import type { QueueTarget } from "../open-queue.ts";
import { startGate } from "./gate.ts";
import type { TestServer } from "./server.ts";

export type PostgresTestServer = TestServer & {
  /** A database of its own, without BullMQ's tables. */
  newDatabase(): Promise<string>;
  /** What an administrator or a failover does to connections. */
  terminateBackends(target: QueueTarget): Promise<number>;
};

/** A real server behind an address that stays the same when it is started again. */
export async function startPostgresServer(): Promise<PostgresTestServer> {
  const folder = mkdtempSync(join(tmpdir(), "queue-postgres-"));
  chmodSync(folder, 0o755);
  const gate = await startGate();
  let server = await startPostgres(folder, { fsync: false });
  const direct = (): URL => new URL(server.url);
  gate.open(Number(direct().port));
  const admin = <T>(work: (client: pg.Client) => Promise<T>): Promise<T> => withClient(server.url, work);
  const newDatabase = async (): Promise<string> => {
    const name = `q${randomUUID().replaceAll("-", "")}`;
    await admin((client) => client.query(`create database ${name}`));
    const url = direct();
    url.port = String(gate.port);
    url.pathname = `/${name}`;
    return url.href;
  };
  return {
    newDatabase,
    async newTarget() {
      const url = await newDatabase();
      await migrateQueue(url);
      return { kind: "postgres", url };
    },
    // The last 500 events, 256 more until the next trim, and a handful of settings.
    storedAtRest: 500 + 256 + 10,
    stored: (target) =>
      withClient(target.url, async (client) => {
        await client.query("set search_path = bullmq");
        const { rows } = await client.query<{ n: string }>(
          `select (select count(*) from job) + (select count(*) from event) + (select count(*) from job_log)
             + (select count(*) from meta) + (select count(*) from metrics) + (select count(*) from dedup) as n`,
        );
        return Number(rows[0]?.n);
      }),
    breakLock: (target, jobId) =>
      withClient(target.url, async (client) => {
        await client.query("update bullmq.job set lock_token = 'other' where id = $1", [jobId]);
      }),
    async addRaw(target, jobId, data) {
      const pool = new pg.Pool({ connectionString: target.url, options: "-c search_path=bullmq" });
      const connection = pool as unknown as PgPool;
      const queue = new Queue("wakes", { connection }, createPostgresBackend);
      await queue.add("wake", data, { jobId, removeOnComplete: true });
      await queue.close();
      await pool.end();
    },
    terminateBackends: (target) =>
      admin(async (client) => {
        const { rowCount } = await client.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1",
          [new URL(target.url).pathname.slice(1)],
        );
        return rowCount ?? 0;
      }),
    async kill() {
      process.kill(server.pid, "SIGKILL");
      await server.exited;
      await gate.shut();
    },
    async restart() {
      server = await startPostgres(folder, { fsync: false });
      gate.open(Number(direct().port));
      await gate.reopen();
    },
    async stop() {
      await gate.shut();
      await server.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
