import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { sweep } from "../../packages/store/src/transitions/sweep.ts";
import { scriptFlow, stateAfter } from "../crash/flows.ts";
import { queueKinds } from "../crash/queue-place.ts";
import { Rig } from "../crash/rig.ts";
import { probe, probeEnvironment, type ProbeSample } from "../soak/probe.ts";
import { redisCommand } from "../support/redis-command.ts";
import { until } from "../support/until.ts";
import { copyRun } from "./seed.ts";

const MANY = 100_000;
const parking = scriptFlow({ done: 2, waits: 1 });

type Rows = { readonly scanned: number; readonly fetched: number; readonly written: number };
type Seen = Rows & { readonly held: ProbeSample; readonly connections: number; readonly keys: number };

/** Rows that all connections have read and written in our tables; a connection that ended has told everything. */
async function rowsTouched(database: pg.Pool): Promise<Rows> {
  await database.query("select pg_stat_force_next_flush()");
  const { rows } = await database.query<Rows>(`
    select sum(seq_tup_read)::float8 as scanned, sum(coalesce(idx_tup_fetch, 0))::float8 as fetched,
      sum(n_tup_ins + n_tup_upd + n_tup_del)::float8 as written
    from pg_stat_user_tables where schemaname = 'public'`);
  return rows[0]!;
}

async function keysOf({ place, database }: Rig): Promise<number> {
  if (place.target.kind === "redis") {
    const script = 'return #redis.call("keys", ARGV[1] .. ":*")';
    return Number(await redisCommand(place.target.url, "EVAL", script, "0", place.target.prefix ?? ""));
  }
  const { rows } = await database.query<{ count: number }>("select count(*)::int as count from bullmq.job");
  return rows[0]?.count ?? -1;
}

/** A worker starts, sweeps three times over, one run is resumed to its end, the worker stops: what all of that cost. */
async function oneResume(rig: Rig, runId: string): Promise<Seen> {
  const folder = mkdtempSync(join(tmpdir(), "agentflow-probe-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const before = await rowsTouched(rig.database);
  const worker = await rig.realWorker({
    ...probeEnvironment(folder),
    AGENTFLOW_SWEEP_INTERVAL: "200ms",
    AGENTFLOW_LOG_LEVEL: "debug",
  });
  const started = performance.now();
  await until("three sweeps are over", () => performance.now() - started > 800);
  const keys = await keysOf(rig);
  const held = await probe(folder, worker.pid);
  const { rows } = await rig.database.query<{ count: number }>(
    "select count(*)::int as count from pg_stat_activity where datname = current_database() and application_name = 'agentflow-worker'",
  );
  await rig.resume(runId);
  await rig.reaches(runId, "succeeded", 30_000);
  const { state, history } = await rig.facts(runId);
  expect([state, history.length]).toEqual([stateAfter(2), 2]);
  await until("its job is gone", async () => (await rig.place.jobs(runId)).length === 0);
  worker.signal("SIGTERM");
  expect(await worker.ended).toBe(0);
  const after = await rowsTouched(rig.database);
  return {
    scanned: after.scanned - before.scanned,
    fetched: after.fetched - before.fetched,
    written: after.written - before.written,
    held,
    connections: rows[0]?.count ?? 0,
    keys,
  };
}

/** How the server would find what to sweep now. */
async function planOfSweep(database: pg.Pool): Promise<string> {
  let plan = "";
  const explaining = {
    async query({ text, values }: { text: string; values: unknown[] }) {
      const { rows } = await database.query({ text: `explain ${text}`, values });
      plan = rows.map((row: Record<string, string>) => row["QUERY PLAN"]).join("\n");
      return { rows: [] };
    },
  };
  await sweep(explaining as unknown as Parameters<typeof sweep>[0], 200);
  return plan;
}

describe.each(queueKinds)("100,000 parked runs, jobs on %s", (kind) => {
  it("S-12, S-13, C18: they hold no key, timer, connection or memory, and a resume among them reads and writes what it does among ten", async () => {
    const rig = await Rig.open(kind, { ownRedis: true });
    await rig.register(parking);
    const first = await rig.realWorker({});
    const pattern = await rig.start(parking);
    await rig.reaches(pattern, "waiting");
    first.signal("SIGTERM");
    await first.ended;

    const oneOfFew = await copyRun(rig.database, pattern, 9);
    const few = await oneResume(rig, oneOfFew);
    const oneOfMany = await copyRun(rig.database, pattern, MANY);
    const { rows } = await rig.database.query<{ count: number }>(
      "select count(*)::int as count from run where status = 'waiting'",
    );
    expect(rows[0]?.count).toBe(MANY + 9);

    expect(await planOfSweep(rig.database)).not.toMatch(/Seq Scan on run\b/);
    const many = await oneResume(rig, oneOfMany);
    // A few of BullMQ's own keys come and go.
    expect(many.keys).toBeLessThanOrEqual(few.keys + 3);
    // Its pools are at most that large, and open what they need.
    expect(many.connections).toBeLessThan(20);
    expect(many.held.timers).toBeLessThanOrEqual(few.held.timers + 2);
    expect(many.held.handles).toBeLessThanOrEqual(few.held.handles + 4);
    // A hundred thousand entries of anything would be megabytes.
    expect(many.held.heapBytes).toBeLessThan(few.held.heapBytes + 2_000_000);
    // The rest differs with the number of sweeps and heartbeats; one look at all runs would be 100,000.
    expect(many.scanned + many.fetched).toBeLessThan(few.scanned + few.fetched + 5000);
    expect(many.written).toBeLessThanOrEqual(few.written + 20);

    // Found again by the sweep when its job is lost.
    const worker = await rig.realWorker({ AGENTFLOW_SWEEP_INTERVAL: "200ms" });
    await rig.resumeAndDie(pattern);
    await rig.reaches(pattern, "succeeded", 30_000);
    worker.signal("SIGTERM");
    await worker.ended;
  }, 300_000);
});
