import { randomUUID } from "node:crypto";
import { registerFlow, resumeRun, sha256, startRun } from "@agentflow/engine";
import { createRelay, migrateQueue, openQueue } from "@agentflow/queue";
import { createStore, migrate } from "@agentflow/store";
import { composeWork, startSweeper } from "@agentflow/worker";
import pg from "pg";
import { benchFlow, benchRegistry } from "./flow.mjs";
import { checkState, STATE_BYTES } from "./step.mjs";

const CAPS = { maxIterations: 1_000_000, maxTimeoutMs: 86_400_000, maxRepeatIterations: 1_000_000 };
/** What `bursts` asks for; one job per iteration otherwise, as by default. */
const BURST = { iterations: 50, ms: 1000 };
/** The defaults of the service. */
const LEASE_MS = 15_000;
const SWEEP_MS = 1000;

/** AgentFlow on Redis, on Redis with bursts, or on PostgreSQL alone: API and worker in one process, with leases, heartbeats, sweep and events. */
export async function open({ name, key, databaseUrl, redisUrl, concurrency }) {
  await migrate(databaseUrl);
  if (name === "postgres") await migrateQueue(databaseUrl);
  const onProblem = (problem) => process.stderr.write(`${name}: ${JSON.stringify(problem)}\n`);
  const maxConnections = Math.min(concurrency + 2, 20);
  const store = createStore({ url: databaseUrl, applicationName: "bench", maxConnections });
  const target =
    name === "postgres"
      ? { kind: "postgres", url: databaseUrl }
      : { kind: "redis", url: redisUrl, prefix: `{${key}}` };
  const queue = await openQueue(target, { onProblem });
  const kept = createRelay(queue.producer);
  const relay = { wake: (wake) => void kept.wake(wake) };
  const hears = { onJudge: () => {}, onGate: () => {} };
  const registry = benchRegistry({
    onJudge: (iteration) => hears.onJudge(iteration),
    onGate: (iteration) => hears.onGate(iteration),
  });
  const work = composeWork({
    store: { ...store.work, flowVersionById: (id) => store.requests.flowVersionById(id) },
    runner: null,
    relay,
    registry,
    caps: CAPS,
    workspaceRoot: null,
    worker: "bench",
    leaseMs: LEASE_MS,
    maxAttempts: 5,
    timelineBytes: 8_388_608,
    onLost: onProblem,
    burst: name === "bursts" ? BURST : null,
    crowded: () => consumer.crowded,
  });
  const onError = (error) => onProblem(String(error));
  const onFound = (runs) => onProblem({ sweepFound: runs });
  const sweeper = startSweeper({ store: store.work, relay, intervalMs: SWEEP_MS, onFound, onError });
  const ends = new Map();
  const consumer = queue.consume({
    concurrency,
    handle: async (job) => {
      const outcome = await work.handle(job);
      if (outcome === "finished" || outcome === "failed") ends.get(job.runId)?.(outcome);
      if (outcome === "committed") ends.get(`${job.runId} parked`)?.();
    },
    onProblem,
  });
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  const parseSource = () => ({ ir: null, findings: [], positions: new Map(), fields: new Map() });
  const deps = { store: store.requests, relay, registry, caps: CAPS, sha256, newId: randomUUID, parseSource };
  const flows = new Set();
  let ended = [];

  const prepare = async (shape) => {
    const flow = `${shape.condition}-${shape.iterations}-${shape.bytes}`;
    if (flows.has(flow)) return flow;
    const irText = JSON.stringify(benchFlow(shape));
    const given = { source: null, irText, files: new Map(), layoutText: null, baseVersion: null };
    const made = await registerFlow(deps, { name: flow, ...given });
    if (made.kind !== "created" && made.kind !== "unchanged") throw new Error(JSON.stringify(made));
    flows.add(flow);
    return flow;
  };
  const start = async (flow) => {
    const none = { version: null, inputs: new Map(), tags: [], priority: null, idempotencyKey: null };
    const started = await startRun(deps, { flow, ...none });
    if (started.kind !== "created") throw new Error(JSON.stringify(started));
    return started.runId;
  };
  const loop = async (flow, iterations, bytes) => {
    const id = await start(flow);
    const outcome = await new Promise((resolve) => ends.set(id, resolve));
    ends.delete(id);
    if (outcome !== "finished") throw new Error(`run ${id} ${outcome}`);
    // The caller of one short run reads its result; the results of many are read by `verify`, as those of peers.
    if (iterations === 1 && (await store.reads.run(id)).status !== "succeeded")
      throw new Error(`run ${id} is not done`);
    ended.push({ id, iterations, bytes });
  };
  const shapeOf = (iterations, bytes = STATE_BYTES) => ({ iterations, bytes, condition: "bench.judge" });

  return {
    settings: {
      concurrency,
      maxConnections,
      leaseMs: LEASE_MS,
      sweepMs: SWEEP_MS,
      burst: name === "bursts" ? BURST : "one job per iteration",
    },
    prepare: async (iterations, bytes) => void (await prepare(shapeOf(iterations, bytes))),
    loops: async (n, iterations, bytes = STATE_BYTES) => {
      const flow = await prepare(shapeOf(iterations, bytes));
      await Promise.all(Array.from({ length: n }, () => loop(flow, iterations, bytes)));
    },
    verify: async () => {
      for (const one of ended.splice(0)) await verify(pool, one);
    },
    /** Ms of the last 990 of 1,000 iterations of a fresh loop, and of the last 990 of a loop of `iterations`, side by side. */
    flat: (iterations, bytes) => flat({ prepare, loop, hears, iterations, bytes }),
    resumes: (count) => resumes({ prepare, start, ends, hears, deps, count }),
    /** Makes `count` parked runs from one that parked itself. */
    park: (count) => park({ prepare, start, ends, pool, count }),
    walBytes: async () =>
      Number((await pool.query("select pg_current_wal_insert_lsn() - '0/0' as n")).rows[0].n),
    close: async () => {
      await consumer.close(2000);
      await sweeper.stop();
      work.leases.close();
      await queue.close(500);
      await store.close();
      await pool.end();
    },
  };
}

/** The run's checkpoint and its history, which must have one row per iteration without a gap. */
async function verify(pool, { id, iterations, bytes }) {
  const { rows } = await pool.query(
    `select c.state, c.status, (select array_agg(i.iteration order by i.iteration) from iteration i where i.run_id = c.run_id) as seen,
       (select count(*)::int from iteration i where i.run_id = c.run_id and i.decision = 'continue') as continued
     from checkpoint c where c.run_id = $1`,
    [id],
  );
  const [row] = rows;
  if (rows.length !== 1 || row.status !== "done") throw new Error(`run ${id} is not done`);
  checkState(JSON.parse(row.state), iterations - 1, bytes);
  if (row.seen.length !== iterations || row.seen.some((iteration, index) => iteration !== index + 1))
    throw new Error(`the history of run ${id} has gaps`);
  if (row.continued !== iterations - 1) throw new Error(`run ${id} continued ${row.continued} times`);
}

const FLAT_SHARE = 1000;
const FLAT_SKIPPED = 10;

async function flat({ prepare, loop, hears, iterations, bytes }) {
  const shape = { bytes, condition: "bench.judge" };
  const long = await prepare({ ...shape, iterations });
  const short = await prepare({ ...shape, iterations: FLAT_SHARE });
  const marks = {};
  let begun = false;
  let fresh = Promise.resolve();
  let freshSeen = 0;
  hears.onJudge = (iteration) => {
    if (begun && iteration === freshSeen + 1 && iteration <= FLAT_SHARE) {
      freshSeen = iteration;
      if (iteration === FLAT_SKIPPED) marks.freshFrom = performance.now();
      if (iteration === FLAT_SHARE) marks.freshTo = performance.now();
      return;
    }
    if (iteration === iterations - FLAT_SHARE && !begun) {
      begun = true;
      fresh = loop(short, FLAT_SHARE, bytes);
    }
    if (iteration === iterations - FLAT_SHARE + FLAT_SKIPPED) marks.longFrom = performance.now();
    if (iteration === iterations) marks.longTo = performance.now();
  };
  await loop(long, iterations, bytes);
  await fresh;
  hears.onJudge = () => {};
  return { freshMs: marks.freshTo - marks.freshFrom, longMs: marks.longTo - marks.longFrom };
}

async function resumes({ prepare, start, ends, hears, deps, count }) {
  const flow = await prepare({ iterations: count + 1, bytes: STATE_BYTES, condition: "bench.gate" });
  const latenciesMs = [];
  let begun = () => {};
  hears.onGate = () => begun();
  const id = await parked(flow, start, ends);
  const caller = { actor: "bench", remote: "127.0.0.1" };
  const none = { inputs: null, version: null, nextIteration: null, idempotencyKey: null };
  for (let n = 0; n < count; n++) {
    const over = new Promise((resolve) => {
      ends.set(`${id} parked`, resolve);
    });
    const started = new Promise((resolve) => (begun = () => resolve(performance.now())));
    const sentMs = performance.now();
    const answer = await resumeRun(deps, { runId: id, payload: '{"go":true}', caller, ...none });
    if (answer.kind !== "resumed") throw new Error(JSON.stringify(answer));
    latenciesMs.push((await started) - sentMs);
    await over;
  }
  ends.delete(`${id} parked`);
  hears.onGate = () => {};
  return latenciesMs;
}

async function parked(flow, start, ends) {
  const id = await start(flow);
  await new Promise((resolve) => ends.set(`${id} parked`, resolve));
  ends.delete(`${id} parked`);
  return id;
}

async function park({ prepare, start, ends, pool, count }) {
  const flow = await prepare({ iterations: 2, bytes: STATE_BYTES, condition: "bench.gate" });
  const id = await parked(flow, start, ends);
  await pool.query(
    `create table bench_parked as select gen_random_uuid() as id from generate_series(1, ${Number(count)})`,
  );
  for (const table of ["run", "checkpoint", "iteration"]) {
    const key = table === "run" ? "id" : "run_id";
    const { rows } = await pool.query(
      `select quote_ident(column_name) as name from information_schema.columns
       where table_schema = 'public' and table_name = $1 and is_identity = 'NO' and column_name <> $2`,
      [table, key],
    );
    const columns = rows.map(({ name }) => name);
    const copied = columns.map((column) => `t.${column}`);
    await pool.query(
      `insert into ${table} (${key}, ${columns.join(", ")})
       select p.id, ${copied.join(", ")} from ${table} t, bench_parked p where t.${key} = '${id}'`,
    );
  }
  await pool.query("vacuum analyze");
}
