import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Queue } from "bullmq";
import { Redis } from "ioredis";
import type { QueueTarget } from "../open-queue.ts";
import type { TestServer } from "./server.ts";

const PROGRAM = "redis-server";

/** Whether this machine has redis-server; without it the tests on Redis are reported as not run. */
export const hasRedis = spawnSync(PROGRAM, ["--version"]).status === 0;

export type RedisTestServer = TestServer & { readonly url: string; readonly pid: number };

export async function startRedisServer(...settings: string[]): Promise<RedisTestServer> {
  const folder = mkdtempSync(join(tmpdir(), "queue-redis-"));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const start = async (): Promise<ChildProcess> => {
    const fixed = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", ""];
    const args = [...fixed, "--appendonly", "yes", "--hz", "100", ...settings];
    const child = spawn(PROGRAM, args, { stdio: "ignore" });
    process.once("exit", () => child.kill("SIGKILL"));
    await withRedis(url, (redis) => redis.ping());
    return child;
  };
  let server = await start();
  const kill = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill("SIGKILL");
    await once(server, "exit");
  };
  return {
    url,
    get pid() {
      return server.pid ?? 0;
    },
    newTarget: async () => ({ kind: "redis", url, prefix: `{${randomUUID()}}` }),
    // meta, events, stalled-check and the marker.
    storedAtRest: 4,
    stored: (target) => withRedis(url, async (redis) => (await redis.keys(glob(target))).length),
    breakLock: (target, jobId) =>
      withRedis(url, async (redis) => void (await redis.del(`${prefixOf(target)}:wakes:${jobId}:lock`))),
    async addRaw(target, jobId, data) {
      const queue = new Queue("wakes", { connection: { url }, prefix: prefixOf(target) });
      await queue.add("wake", data, { jobId, removeOnComplete: true });
      await queue.close();
    },
    kill,
    restart: async () => void (server = await start()),
    async stop() {
      await kill();
      rmSync(folder, { recursive: true });
    },
  };
}

function prefixOf(target: QueueTarget): string {
  return (target.kind === "redis" && target.prefix) || "";
}

function glob(target: QueueTarget): string {
  return `${prefixOf(target)}:*`;
}

async function withRedis<T>(url: string, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: () => 20 });
  redis.on("error", () => {});
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
