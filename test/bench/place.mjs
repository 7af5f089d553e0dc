import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres, startRedis } from "@agentflow/host";
import { Redis } from "ioredis";
import pg from "pg";

const SHOWN = [
  "server_version",
  "synchronous_commit",
  "fsync",
  "full_page_writes",
  "shared_buffers",
  "max_connections",
];

/** A PostgreSQL and a Redis of the bench's own, in a folder that goes with it; fsync is on, nothing is tuned. */
export async function openPlace() {
  // /tmp may be memory, which would make every commit free.
  const dir = mkdtempSync(join(existsSync("/var/tmp") ? "/var/tmp" : tmpdir(), "agentflow-bench-"));
  // As root the database runs as another user, who must get through.
  chmodSync(dir, 0o711);
  process.once("exit", () => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
  const postgres = await startPostgres(dir);
  const redis = await startRedis(dir);
  if (redis === null) throw new Error("the bench needs redis-server or valkey-server on the search path");
  const admin = new pg.Client({ connectionString: postgres.url });
  await admin.connect();
  const settings = {};
  for (const name of SHOWN) settings[name] = Object.values((await admin.query(`show ${name}`)).rows[0])[0];
  return {
    redisUrl: redis.url,
    settings,
    pids: [postgres.pid, redis.pid],
    /** A fresh database. */
    async database(name) {
      const database = `bench_${name.replaceAll("-", "_")}`;
      await admin.query(`create database ${database}`);
      const url = new URL(postgres.url);
      url.pathname = `/${database}`;
      return url.href;
    },
    checkpoint: () => admin.query("checkpoint"),
    /** Keys in Redis below the prefix of this contender. */
    async queueKeys(key) {
      const client = new Redis(redis.url);
      const keys = await client.keys(`{${key}}:*`);
      client.disconnect();
      return keys.length;
    },
    async close() {
      await admin.end();
      await redis.stop();
      await postgres.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
