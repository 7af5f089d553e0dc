import { mkdirSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient } from "@agentflow/contract";
import { expect, test } from "vitest";
import { queueKinds } from "../crash/queue-place.ts";
import { Rig } from "../crash/rig.ts";
import { processesBelow } from "../support/cli.ts";
import { FixtureProcess } from "../support/fixture-process.ts";
import { redisCommand } from "../support/redis-command.ts";
import { until } from "../support/until.ts";
import { judge, table, type Series } from "./judge.ts";
import { Load, registerFlows } from "./load.ts";
import { descriptorsOf, probe, probeEnvironment } from "./probe.ts";

/** `pnpm soak --minutes 30` and CI set it; without, a sample of a soak that finds what leaks with every call. */
const MINUTES = Number(process.env["SOAK_MINUTES"] ?? 0.75);
const CALLERS = 4;
const SAMPLES = Math.max(15, Math.min(60, Math.round(MINUTES * 6)));

type Sample = { readonly [name: string]: number };

/** What may rise by how much: memory is given room for what a collection leaves; the rest is counted at rest, where it is the same. */
function allowanceOf(name: string): Series["allowed"] {
  if (name.includes("rss")) return { more: 32_000_000, percent: 20 };
  // States and bodies of 1 MiB are in hand, or kept for the next iteration, when the sample is taken.
  if (name.includes("heap")) return { more: 16_000_000, percent: 15 };
  if (name.includes("memory")) return { more: 1_500_000, percent: 15 };
  if (name.includes("loop delay")) return { more: 200, percent: 200 };
  // Pools fill up as far as they may; what leaks with every call is hundreds.
  return { more: 10, percent: 10 };
}

const REDIS_NUMBER = `return redis.status_reply(string.match(redis.call("info", ARGV[1]), ARGV[2] .. ":(%d+)"))`;

async function redisNumbers(url: string): Promise<Sample> {
  const number = async (...words: string[]): Promise<number> => Number(await redisCommand(url, ...words));
  return {
    "redis: memory": await number("EVAL", REDIS_NUMBER, "0", "memory", "used_memory"),
    "redis: keys": await number("DBSIZE"),
    "redis: connections": await number("EVAL", REDIS_NUMBER, "0", "clients", "connected_clients"),
  };
}

async function processNumbers(folder: string, name: string, pid: number): Promise<Sample> {
  const { rssBytes, heapBytes, timers, handles, loopMs } = await probe(folder, pid);
  return {
    [`${name}: rss`]: rssBytes,
    [`${name}: heap`]: heapBytes,
    [`${name}: descriptors`]: descriptorsOf(pid),
    [`${name}: timers`]: timers,
    [`${name}: handles`]: handles,
    [`${name}: children`]: processesBelow(pid).length,
    [`${name}: loop delay p99, ms`]: loopMs.p99,
    [`${name}: loop delay max, ms`]: loopMs.max,
  };
}

async function postgresNumbers(rig: Rig): Promise<Sample> {
  const { rows } = await rig.database.query<{ count: number; locked: number }>(
    `select count(*)::int as count, count(*) filter (where state = 'idle in transaction')::int as locked
     from pg_stat_activity where datname = current_database()`,
  );
  return {
    "postgres: connections": rows[0]?.count ?? 0,
    "postgres: idle in transaction": rows[0]?.locked ?? 0,
  };
}

async function serveApi(rig: Rig, folder: string): Promise<{ api: FixtureProcess; url: string }> {
  const { target } = rig.place;
  const program = fileURLToPath(new URL("./fixtures/api.mjs", import.meta.url));
  const api = new FixtureProcess(program, [], {
    ...probeEnvironment(folder),
    DATABASE_URL: rig.databaseUrl,
    AGENTFLOW_QUEUE: target.kind,
    REDIS_URL: target.kind === "redis" ? target.url : "",
    AGENTFLOW_PORT: "0",
  });
  rig.onClose(() => api.kill());
  const said = await api.hears("the API is ready", ({ said: what }) => what === "ready");
  return { api, url: (said as unknown as { url: string }).url };
}

test(
  "S-12, S-13: under mixed load memory, descriptors, connections, timers, processes and keys stay what they were",
  async () => {
    const rig = await Rig.open(queueKinds.includes("redis") ? "redis" : "postgres", { ownRedis: true });
    const folder = join(rig.folder, "probes");
    mkdirSync(folder);
    const { api, url } = await serveApi(rig, folder);
    const worker = await rig.realWorker({ ...probeEnvironment(folder), AGENTFLOW_CONCURRENCY: "4" });
    const client = createClient({ url });
    await registerFlows(client);
    const load = new Load(client, url, CALLERS);
    const samples: Sample[] = [];
    for (let taken = 0; taken < SAMPLES; taken += 1) {
      await pause((MINUTES * 60_000) / SAMPLES);
      samples.push(
        await load.atRest(async () => {
          // Steps that were cancelled are killed after the answer.
          await until("nothing runs", async () => {
            const query = "select count(*)::int as count from run where lease_owner is not null";
            return (await rig.database.query<{ count: number }>(query)).rows[0]?.count === 0;
          });
          return {
            ...(await processNumbers(folder, "api", api.pid)),
            ...(await processNumbers(folder, "worker", worker.pid)),
            ...(rig.redis === null ? {} : await redisNumbers(rig.redis.url)),
            ...(await postgresNumbers(rig)),
          };
        }),
      );
    }
    await load.stop();
    const verdicts = Object.keys(samples[0] ?? {}).map((name) =>
      judge({
        name,
        unit: /rss|heap|memory/.test(name) ? "MB" : "",
        values: samples.map((sample) => sample[name] ?? Number.NaN),
        allowed: allowanceOf(name),
      }),
    );
    console.error(
      `soak: ${MINUTES} minutes, ${load.done} deeds of ${CALLERS} callers, ${SAMPLES} samples\n${table(verdicts)}`,
    );
    expect(verdicts.filter(({ flat }) => !flat)).toEqual([]);
    expect(load.done).toBeGreaterThan(SAMPLES);
    for (const process of [api, worker]) {
      process.signal("SIGTERM");
      expect(await process.ended).toBe(0);
    }
  },
  MINUTES * 60_000 + 300_000,
);
