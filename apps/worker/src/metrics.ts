import type { Observer } from "@agentflow/engine";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

/** What a worker counts for Prometheus (S-25). */
export type WorkerMetrics = {
  readonly contentType: string;
  /** Everything in Prometheus' text format. */
  text(): Promise<string>;
  readonly observer: Observer;
  /** A job was taken that was due at `dueAtMs`, ms of the wall clock. Call what comes back when it is over. */
  taken(runId: string, dueAtMs: number): () => void;
  /** A lease was lost while its step ran. */
  leaseLost(): void;
  /** The sweep woke runs that nothing else would have moved. */
  swept(runs: number): void;
  /** Retention removed ended runs. */
  removed(runs: number): void;
};

export type WorkerMetricsSources = {
  /** Connections of each pool of the database. */
  readonly connections: () => Readonly<Record<string, { open: number; idle: number; waiting: number }>>;
  readonly concurrency: number;
  /** Also tell about the process: memory, processor, event loop. */
  readonly ofProcess: boolean;
};

const OWN_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const WORK_SECONDS = [0.005, 0.025, 0.1, 0.5, 2, 10, 60, 300, 1800];

/** Counters are added to as things happen; gauges are read when somebody asks. */
export function createWorkerMetrics(sources: WorkerMetricsSources): WorkerMetrics {
  const registry = new Registry();
  if (sources.ofProcess) collectDefaultMetrics({ register: registry });
  const made = instruments(registry);
  const dueAt = new Map<string, number>();
  made.slots.set(sources.concurrency);
  for (const kind of ["checkpoint_corrupt", "unexpected_error"]) made.violations.inc({ kind }, 0);
  return {
    contentType: registry.contentType,
    text: () => {
      made.busy.set(dueAt.size);
      for (const [pool, { open, idle, waiting }] of Object.entries(sources.connections())) {
        made.connections.set({ pool, state: "busy" }, open - idle);
        made.connections.set({ pool, state: "idle" }, idle);
        made.connections.set({ pool, state: "waited_for" }, waiting);
      }
      return registry.metrics();
    },
    observer: observerOf(made, (runId) => dueAt.get(runId)),
    taken: (runId, dueAtMs) => {
      // Clocks of two machines differ: a job that came before it was due did not wait.
      made.queueWait.observe(Math.max(0, Date.now() - dueAtMs) / 1000);
      dueAt.set(runId, dueAtMs);
      return () => void dueAt.delete(runId);
    },
    leaseLost: () => made.leasesLost.inc(),
    swept: (runs) => made.swept.inc(runs),
    removed: (runs) => made.removed.inc(runs),
  };
}

type Instruments = ReturnType<typeof instruments>;

function instruments(registry: Registry) {
  const registers = [registry];
  const named = (name: string, help: string) => ({ name: `agentflow_${name}`, help, registers });
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ ...named(name, help), labelNames });
  const seconds = (name: string, help: string, buckets: number[], labelNames: string[] = []) =>
    new Histogram({ ...named(name, help), buckets, labelNames });
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ ...named(name, help), labelNames });
  const flow = ["flow"];
  return {
    iterations: counter("iterations_total", "Stored iterations.", ["flow", "decision"]),
    iteration: seconds("iteration_seconds", "Time of an iteration with its commit.", WORK_SECONDS, flow),
    overhead: seconds("iteration_overhead_seconds", "Of it, the time outside its steps.", OWN_SECONDS),
    queueWait: seconds("queue_wait_seconds", "Time from when a job was due until it was taken.", OWN_SECONDS),
    resume: seconds("resume_seconds", "Time from a resume to the commit of its iteration.", WORK_SECONDS),
    attempts: counter("attempts_total", "Claims: of a first attempt, or after a lost one.", ["kind"]),
    inDoubt: counter("in_doubt_total", "Claims after an attempt that died and may have had effects."),
    ended: counter("runs_ended_total", "Runs this worker ended.", ["flow", "status", "code"]),
    violations: counter("invariant_violations_total", "What must never be seen.", ["kind"]),
    leasesLost: counter("leases_lost_total", "Leases lost while a step ran."),
    swept: counter("sweep_woken_total", "Runs that only the sweep moved."),
    removed: counter("runs_removed_total", "Ended runs that retention removed."),
    busy: gauge("worker_jobs", "Jobs in hand."),
    slots: gauge("worker_slots", "Jobs this worker takes at the same time."),
    connections: gauge("database_connections", "Connections of this process to the database.", [
      "pool",
      "state",
    ]),
  };
}

function observerOf(made: Instruments, dueAtMs: (runId: string) => number | undefined): Observer {
  return {
    claimed: ({ attempt }) => {
      made.attempts.inc({ kind: attempt === 1 ? "first" : "repeated" });
      if (attempt > 1) made.inDoubt.inc();
    },
    iterated: ({ runId, flow, decision, tookMs, workMs, resumed, nested }) => {
      made.iterations.inc({ flow, decision });
      made.iteration.observe({ flow }, tookMs / 1000);
      made.overhead.observe(Math.max(0, tookMs - workMs) / 1000);
      const due = resumed && !nested ? dueAtMs(runId) : undefined;
      if (due !== undefined) made.resume.observe(Math.max(0, Date.now() - due) / 1000);
    },
    ended: ({ flow, status, code }) => made.ended.inc({ flow, status, code }),
    violated: (kind) => made.violations.inc({ kind }),
  };
}
