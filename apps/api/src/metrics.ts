import { withDeadline } from "@agentflow/host";
import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Reads } from "@agentflow/engine";

/** What the API counts for Prometheus (S-25). */
export type ApiMetrics = {
  readonly contentType: string;
  /** Everything in Prometheus' text format; what cannot be found out now is left out, and `agentflow_up` says why. */
  text(): Promise<string>;
  /** Notes an answer; `route` is the pattern of the address, never the address. */
  answered(method: string, route: string, status: number, tookMs: number): void;
  /** Where the number of open event streams is read. */
  watchStreams(open: () => number): void;
};

export type MetricsSources = {
  readonly reads: Pick<Reads, "counts" | "stuck" | "oldestParked">;
  readonly queue: { depth(): Promise<number> };
  /** Connections of each pool of the database. */
  readonly connections: () => Readonly<Record<string, { open: number; idle: number; waiting: number }>>;
  /** Also tell about the process: memory, processor, event loop. */
  readonly ofProcess: boolean;
};

/** A queue that takes longer to answer counts as down. */
const QUEUE_MS = 2000;
const SECONDS = [0.005, 0.025, 0.1, 0.5, 2.5, 10];

/** Gauges are read when they are asked for: runs by status and their like are the database's, not this process's. */
export function createApiMetrics(sources: MetricsSources): ApiMetrics {
  const registry = new Registry();
  if (sources.ofProcess) collectDefaultMetrics({ register: registry });
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `agentflow_${name}`, help, labelNames, registers: [registry] });
  const gauges = {
    up: gauge("up", "1 when the service the API needs answers, else 0.", ["service"]),
    runs: gauge("runs", "Runs by status.", ["status"]),
    stuck: gauge("stuck_runs", "Live runs that nothing has moved for 30 s although they are due."),
    parked: gauge("parked_oldest_seconds", "Age of the longest parked run; 0 when none is parked."),
    depth: gauge("queue_depth", "Jobs waiting, delayed and active."),
    connections: gauge("database_connections", "Connections of this process to the database.", [
      "pool",
      "state",
    ]),
    streams: gauge("event_streams", "Event streams open at this process."),
  };
  const answers = new Histogram({
    name: "agentflow_http_request_seconds",
    help: "Time until a call was answered.",
    labelNames: ["method", "route", "status"],
    buckets: SECONDS,
    registers: [registry],
  });
  let streams = () => 0;
  return {
    contentType: registry.contentType,
    answered: (method, route, status, tookMs) =>
      answers.observe({ method, route, status: String(status) }, tookMs / 1000),
    watchStreams: (open) => void (streams = open),
    text: async () => {
      gauges.streams.set(streams());
      readConnections(gauges.connections, sources);
      await Promise.all([readDatabase(gauges, sources), readQueue(gauges, sources)]);
      return registry.metrics();
    },
  };
}

type Gauges = Readonly<Record<"up" | "runs" | "stuck" | "parked" | "depth", Gauge>>;

function readConnections(gauge: Gauge, { connections }: MetricsSources): void {
  for (const [pool, { open, idle, waiting }] of Object.entries(connections())) {
    gauge.set({ pool, state: "busy" }, open - idle);
    gauge.set({ pool, state: "idle" }, idle);
    gauge.set({ pool, state: "waited_for" }, waiting);
  }
}

async function readDatabase({ up, runs, stuck, parked }: Gauges, { reads }: MetricsSources): Promise<void> {
  for (const gauge of [runs, stuck, parked]) gauge.reset();
  try {
    const [counts, stuckRuns, since] = await Promise.all([
      reads.counts(),
      reads.stuck(),
      reads.oldestParked(),
    ]);
    for (const [status, count] of Object.entries(counts)) runs.set({ status }, count);
    stuck.set(stuckRuns);
    parked.set(since === null ? 0 : Math.max(0, (Date.now() - Date.parse(since)) / 1000));
    up.set({ service: "database" }, 1);
  } catch {
    for (const gauge of [stuck, parked]) gauge.remove();
    up.set({ service: "database" }, 0);
  }
}

async function readQueue({ up, depth }: Gauges, { queue }: MetricsSources): Promise<void> {
  const found = await withDeadline(queue.depth(), QUEUE_MS, "answer of the queue").catch(() => null);
  if (found === null) depth.remove();
  else depth.set(found);
  up.set({ service: "queue" }, found === null ? 0 : 1);
}
