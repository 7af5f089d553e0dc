import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient, type Client } from "@agentflow/contract";
import type { Burst } from "@agentflow/core";
import { openQueue, type Queue } from "@agentflow/queue";
import { createStore, type Store } from "@agentflow/store";
import { createDatabase, type TestDatabase } from "@agentflow/store/testing";
import pg from "pg";
import { inject, onTestFinished } from "vitest";
import { AGENTFLOW } from "../support/cli.ts";
import { FixtureProcess } from "../support/fixture-process.ts";
import { freePort } from "../support/free-port.ts";
import { until } from "../support/until.ts";
import { gatherFacts, readLedger, type Facts, type LedgerLine } from "./facts.ts";
import type { CrashFlow } from "./flows.ts";
import { violations, type Expected } from "./invariants.ts";
import { ownServer, type OwnServer } from "./own-server.ts";
import { postgresPlace, redisPlace, type QueueKind, type QueuePlace } from "./queue-place.ts";
import { timelineViolations } from "./timeline.ts";
import { Requests, resumeOf, startOf } from "./requests.ts";

/** The shortest lease there may be (S-8): what a dead worker costs here. */
export const LEASE_MS = 2000;

/** More than any flow here needs, so that only what ends a burst at once ends it. */
const BURST: Burst = { iterations: 1000, ms: 60_000 };

/** A job of a dead worker is handed on by the stall check after this long at most (S-9). */
const STALL_LIMIT_MS = 20_000;

export type Fault = {
  readonly at:
    | "before_claim"
    | "after_claim"
    | "before_commit"
    | "frozen_before_commit"
    | "after_commit"
    | "after_enqueue"
    | "in_sweep";
  readonly iteration: number;
};

export type WorkerOptions = {
  readonly fault?: Fault;
  readonly sweeps?: boolean;
  readonly unguarded?: boolean;
  readonly concurrency?: number;
  readonly leaseMs?: number;
  readonly databaseUrl?: string;
};

type Servers = { readonly redis: OwnServer | null; readonly postgres: OwnServer | null };
type Parts = { readonly database: pg.Pool; readonly place: QueuePlace; readonly queue: Queue };

const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}.mjs`, import.meta.url));

/** A database, a queue and a folder of one test, and the processes it starts and kills. */
export class Rig {
  readonly folder: string;
  readonly database: pg.Pool;
  readonly store: Store;
  readonly queue: Queue;
  readonly place: QueuePlace;
  readonly #test: TestDatabase;
  readonly #processes: FixtureProcess[] = [];
  readonly #closers: (() => Promise<unknown>)[] = [];
  /** The servers nobody else uses; null where the rig shares them. */
  readonly redis: OwnServer | null;
  readonly postgres: OwnServer | null;
  readonly #requests: Requests;
  /** What its workers take for the burst of every loop. */
  readonly burst: Burst | null;

  private constructor(test: TestDatabase, servers: Servers, parts: Parts, burst: Burst | null) {
    this.burst = burst;
    this.#test = test;
    this.redis = servers.redis;
    this.postgres = servers.postgres;
    this.database = parts.database;
    this.place = parts.place;
    this.queue = parts.queue;
    this.store = createStore({ url: test.url, applicationName: "crash test", maxConnections: 4 });
    this.#requests = new Requests(this.store, this.queue);
    this.folder = mkdtempSync(join(tmpdir(), "agentflow-crash-"));
  }

  /** Ends with the test. A server of its own may be emptied, ended and started again. */
  static async open(
    kind: QueueKind,
    { ownRedis = false, ownPostgres = false, bursts = false } = {},
  ): Promise<Rig> {
    const redis = kind === "redis" && ownRedis ? await ownServer("redis") : null;
    const postgres = ownPostgres ? await ownServer("postgres") : null;
    const test = await createDatabase(postgres?.url ?? inject("postgresUrl"));
    const database = new pg.Pool({ connectionString: test.url, max: 2 });
    database.on("error", () => {});
    const place =
      kind === "postgres"
        ? await postgresPlace(test.url, database)
        : redisPlace(redis?.url ?? inject("redisUrl") ?? "", redis !== null);
    const queue = await openQueue(place.target, { onProblem: () => {} });
    const rig = new Rig(test, { redis, postgres }, { database, place, queue }, bursts ? BURST : null);
    onTestFinished(() => rig.#close());
    return rig;
  }

  get databaseUrl(): string {
    return this.#test.url;
  }

  /** Something else to end with the test, after the processes. */
  onClose(close: () => Promise<unknown>): void {
    this.#closers.push(close);
  }

  async #close(): Promise<void> {
    await Promise.all(this.#processes.map((process) => process.kill()));
    await this.queue.close(1000);
    await this.store.close();
    await this.database.end();
    for (const close of this.#closers) await close();
    await this.redis?.close();
    if (this.postgres === null) await this.#test.drop();
    else await this.postgres.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  register(flow: CrashFlow): Promise<void> {
    return this.#requests.register(flow);
  }

  /** Registers the flow where it is new, starts a run of it, and adds its job where the queue is there. */
  start(flow: CrashFlow): Promise<string> {
    return this.#requests.start(flow);
  }

  resume(runId: string): Promise<void> {
    return this.#requests.resume(runId);
  }

  /** Starts a run through a process that dies between the row and the job; returns the run it left behind. */
  async startAndDie(flow: CrashFlow): Promise<string> {
    await this.register(flow);
    await this.#dyingApi({ start: startOf(flow) });
    const { rows } = await this.database.query<{ id: string }>(
      "select id from run order by created_at desc limit 1",
    );
    return rows[0]?.id ?? "";
  }

  /** Resumes a run through a process that dies between the row and the job. */
  resumeAndDie(runId: string): Promise<void> {
    return this.#dyingApi({ resume: resumeOf(runId) });
  }

  async #dyingApi(call: object): Promise<void> {
    const api = this.#run("api", { databaseUrl: this.databaseUrl, ...call });
    const end = await api.ended;
    if (end !== "SIGKILL") throw new Error(`the API ended with ${end}\n${api.log}`);
  }

  /** A worker of the tests' own composition, ready to take jobs. Its lease owner is `worker-<number>`. */
  async worker(options: WorkerOptions = {}): Promise<FixtureProcess> {
    const settings = { leaseMs: LEASE_MS, concurrency: 4, sweeps: true, unguarded: false, fault: null };
    const worker = this.#run("worker", {
      name: `worker-${this.#processes.length}`,
      databaseUrl: this.databaseUrl,
      queue: this.place.target,
      dataDir: join(this.folder, "data"),
      workspaceRoot: this.folder,
      ...settings,
      burst: this.burst,
      ...options,
    });
    await worker.hears("the worker is ready", ({ said }) => said === "ready");
    return worker;
  }

  /** The worker as it is shipped, with its defaults but for the given variables. */
  async realWorker(env: Readonly<Record<string, string>>): Promise<FixtureProcess> {
    const { target } = this.place;
    const worker = new FixtureProcess(fixture("real-worker"), [], {
      DATABASE_URL: this.databaseUrl,
      AGENTFLOW_QUEUE: target.kind,
      REDIS_URL: target.kind === "redis" ? target.url : "",
      AGENTFLOW_DATA_DIR: join(this.folder, "data"),
      AGENTFLOW_WORKSPACE_ROOT: this.folder,
      ...env,
    });
    this.#processes.push(worker);
    await worker.hears("the worker is ready", ({ said }) => said === "ready");
    return worker;
  }

  /** The API as it is shipped, when it answers, and a client of it. */
  async realApi(
    env: Readonly<Record<string, string>> = {},
  ): Promise<{ process: FixtureProcess; client: Client; url: string }> {
    const { target } = this.place;
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const process = new FixtureProcess(AGENTFLOW, ["api"], {
      DATABASE_URL: this.databaseUrl,
      AGENTFLOW_QUEUE: target.kind,
      REDIS_URL: target.kind === "redis" ? target.url : "",
      AGENTFLOW_PORT: String(port),
      ...env,
    });
    this.#processes.push(process);
    const answers = (): Promise<boolean> =>
      fetch(`${url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until("the API answers", answers);
    return { process, client: createClient({ url }), url };
  }

  #run(program: string, given: object): FixtureProcess {
    const process = new FixtureProcess(fixture(program), [JSON.stringify(given)]);
    this.#processes.push(process);
    return process;
  }

  /** From now on steps of this role stand still in this iteration. */
  hold(role: LedgerLine["role"], iteration: number): void {
    writeFileSync(join(this.folder, `hold-${role}-${iteration}`), "");
  }

  release(role: LedgerLine["role"], iteration: number): void {
    rmSync(join(this.folder, `hold-${role}-${iteration}`));
  }

  /** Lets one held attempt go on; others of its iteration stand still. */
  letGo({ runId, token }: LedgerLine): void {
    writeFileSync(join(this.folder, `go-${runId}_${token}`), "");
  }

  ledger(runId: string): Promise<LedgerLine[]> {
    return readLedger(this.folder).then((lines) => lines.filter((line) => line.runId === runId));
  }

  /** Waits until a step of this role has started in this iteration for the `times`th time; returns that start. */
  started(runId: string, role: string, iteration: number, times = 1, limitMs?: number): Promise<LedgerLine> {
    const what = `${role} ${iteration} of ${runId} starts for the ${times}. time`;
    const look = async (): Promise<LedgerLine | undefined> =>
      (await this.ledger(runId)).filter((line) => line.role === role && line.iteration === iteration)[
        times - 1
      ];
    return until(what, look, limitMs);
  }

  /** One value of the run's row. */
  async column<T>(runId: string, expression: string): Promise<T> {
    const query = `select ${expression} as value from run where id = $1`;
    const { rows } = await this.database.query<{ value: T }>(query, [runId]);
    if (rows[0] === undefined) throw new Error(`no run ${runId}`);
    return rows[0].value;
  }

  /** Waits until the run has this status. */
  async reaches(runId: string, status: string, limitMs?: number): Promise<void> {
    const look = async (): Promise<boolean> => (await this.column(runId, "status")) === status;
    await until(`${runId} is ${status}`, look, limitMs).catch(async (error: Error) => {
      throw new Error(`${error.message}\n${JSON.stringify(await this.facts(runId))}`);
    });
  }

  async facts(runId: string): Promise<Facts> {
    return gatherFacts(this.database, this.folder, runId, await this.place.jobs(runId));
  }

  /**
   * What is wrong with a run that has come to rest; waits for the last jobs of dead workers to be handed on and dropped, and
   * sweeps once more, which must find nothing to do.
   */
  async violations(runId: string, expected: Expected): Promise<string[]> {
    const isDrained = async (): Promise<boolean> => (await this.place.jobs(runId)).length === 0;
    await until("its jobs are gone", isDrained, STALL_LIMIT_MS).catch(() => {});
    const before = await this.facts(runId);
    const wakes = await this.store.work.sweep(200);
    const swept = wakes.some((wake) => wake.runId === runId);
    await this.queue.producer.add(wakes.filter((wake) => wake.runId !== runId));
    const after = await this.facts(runId);
    const moved = JSON.stringify(before) !== JSON.stringify(after);
    return [
      ...violations(before, expected),
      ...(await timelineViolations(this.store.reads, runId, expected)),
      ...(swept ? ["sweep: it found something to do"] : []),
      ...(moved ? ["rest: the run moved after it had come to rest"] : []),
    ];
  }
}
