import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { QueueKind } from "../crash/queue-place.ts";
import { stepProcesses } from "../support/step-processes.ts";
import { until } from "../support/until.ts";
import { call, type Told } from "./callers.ts";
import { gatherEvidence } from "./evidence.ts";
import { allFlows, flowFiles, stormFlows, type FlowName } from "./flows.ts";
import { install, LEASE_MS, type Composed, type Installation } from "./installation.ts";
import { judge, reExecuted, type Violation } from "./judge.ts";
import { load } from "./load.ts";
import { schedule, type FaultKind } from "./schedule.ts";
import { strike } from "./strike.ts";
import { Watcher } from "./watcher.ts";

export type StormOptions = {
  readonly seed: number;
  readonly queue: QueueKind;
  /** How long faults come down; then it is calm until everything is at rest. */
  readonly durationMs: number;
  readonly runs: number;
  /** Longest absence of a server. */
  readonly outageMs: number;
  readonly kinds?: readonly FaultKind[];
  readonly mix?: readonly FlowName[];
  readonly composed?: Composed;
  /** How long nothing may move before the rest counts as stuck. */
  readonly stillMs?: number;
};

export type StormReport = {
  readonly seed: number;
  readonly queue: QueueKind;
  readonly durationMs: number;
  readonly runs: number;
  readonly iterations: number;
  readonly faults: ReadonlyMap<FaultKind, number>;
  /** Iterations of which a step ran in more than one attempt. */
  readonly reExecuted: number;
  /** From each fault until the runs it struck were in hand again, ms, rising. */
  readonly recoveriesMs: readonly number[];
  readonly violations: readonly Violation[];
};

/** A live run may wait this long for a wake: S-9 says 20 s, and a job that a worker with a fast clock locked costs a minute. */
const STILL_MS = 90_000;
const LEFTOVERS_MS = 60_000;
const READY_LIMIT_MS = 60_000;

/** Starts a whole AgentFlow of its own, lets load and faults come down on it, waits for it to come to rest, and judges. */
export async function storm(options: StormOptions): Promise<StormReport> {
  const installation = await install(options.queue, options.composed ?? null);
  const watcher = new Watcher(installation.database);
  try {
    await begin(installation);
    return await rage(options, installation, watcher);
  } finally {
    await watcher.close();
    await installation.close();
  }
}

async function begin({ api, workers, client }: Installation): Promise<void> {
  const services = [api, ...workers.map(({ service }) => service)];
  await until(
    "all processes are ready",
    () => services.every(({ isReady }) => isReady),
    READY_LIMIT_MS,
  ).catch((error: Error) => {
    throw new Error(`${error.message}\n${services.map(({ name, log }) => `${name}: ${log}`).join("\n")}`);
  });
  for (const [name, { source }] of Object.entries(stormFlows))
    await client.registerFlow({ name, source, files: flowFiles });
}

async function rage(
  options: StormOptions,
  installation: Installation,
  watcher: Watcher,
): Promise<StormReport> {
  const { seed, queue, durationMs, runs, stillMs = STILL_MS } = options;
  const plans = load(seed, { runs, durationMs, mix: options.mix ?? allFlows });
  const faults = schedule({ ...options, leaseMs: LEASE_MS });
  const startMs = performance.now();
  const reached = (atMs: number): Promise<void> => sleep(Math.max(0, startMs + atMs - performance.now()));
  const giveUp = new AbortController();
  // Twenty callers of one run listen at once.
  setMaxListeners(0, giveUp.signal);
  const calling = { client: installation.client, watcher, signal: giveUp.signal };
  const stories: Promise<Told[]> = Promise.all(
    plans.map(async (plan) => {
      await reached(plan.atMs);
      return call(plan, calling);
    }),
  );
  const strikes: Promise<void>[] = [];
  for (const fault of faults) {
    await reached(fault.atMs);
    strikes.push(strike(fault, installation, watcher));
  }
  await reached(durationMs);
  await Promise.all(strikes);
  watcher.movedAtMs = performance.now();
  await Promise.race([stories, standstill(watcher, stillMs)]);
  await standstill(watcher, stillMs);
  giveUp.abort();
  const told = await stories;

  const evidence = await gatherEvidence(installation.database, installation.folder);
  const violations: Violation[] = [
    ...judge(told, evidence),
    ...[...watcher.violations, ...crashes(installation)].map((text) => ({ kind: "other" as const, text })),
  ];
  if (violations.length === 0) violations.push(...(await leftovers(installation, told)));
  const counts = new Map<FaultKind, number>();
  for (const { kind } of faults) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return {
    ...{ seed, queue, durationMs, runs },
    iterations: evidence.committed.length,
    faults: counts,
    reExecuted: reExecuted(evidence.effects),
    recoveriesMs: watcher.recoveriesMs.toSorted((a, b) => a - b),
    violations,
  };
}

/** Resolves when every run is over, or nothing moves any more. */
async function standstill(watcher: Watcher, stillMs: number): Promise<void> {
  while (!isOver(watcher) && performance.now() - watcher.movedAtMs < stillMs) await sleep(100);
}

const isOver = ({ runs, isAtRest }: Watcher): boolean =>
  isAtRest && [...runs.values()].every(({ status }) => status !== "waiting");

/** What runs that are over must not have any more: processes, and jobs once the stall check has handed the last ones on. */
async function leftovers(installation: Installation, told: readonly Told[]): Promise<Violation[]> {
  const runIds = told.flatMap(({ runId }) => runId ?? []);
  const left = async (): Promise<string[]> => {
    // BullMQ's PostgreSQL backend times locks, delays and its stall check by the clocks of the workers, which are hours apart here:
    // stale jobs may stay as long. They harm nobody; whether a live run is stuck behind one is judged by the runs.
    const judged = installation.queue === "redis" ? runIds : [];
    const jobs = await Promise.all(judged.map((runId) => installation.place.jobs(runId)));
    return [
      ...jobs.flat().map((id) => `job ${id}`),
      ...runIds.flatMap(stepProcesses).map((pid) => `process ${pid}`),
    ];
  };
  const isClean = async (): Promise<boolean> => (await left()).length === 0;
  return until("nothing is left", isClean, LEFTOVERS_MS).then(
    () => [],
    async () => (await left()).map((what) => ({ kind: "other", text: `${what} is left over` })),
  );
}

function crashes({ api, workers }: Installation): string[] {
  return [api, ...workers.map(({ service }) => service)].flatMap((service) => service.crashes);
}
