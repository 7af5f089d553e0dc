import type { IterationSeen } from "@agentflow/engine";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startHealthServer, type HealthServer } from "./health-server.ts";
import { createWorkerMetrics } from "./metrics.ts";

const seen: IterationSeen = {
  ...{ runId: "r", flow: "report", decision: "continue", tookMs: 120, workMs: 100 },
  ...{ attempt: 1, resumed: false, nested: false },
};
const created = () =>
  createWorkerMetrics({
    connections: () => ({ work: { open: 5, idle: 2, waiting: 1 } }),
    concurrency: 4,
    ofProcess: false,
  });

let server: HealthServer | null = null;
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: 1_000_000 }));
afterEach(async () => {
  vi.useRealTimers();
  await server?.close();
  server = null;
});

test("S-25: iterations are counted by flow and decision, and what is not their steps is overhead", async () => {
  const metrics = created();
  metrics.observer.iterated(seen);
  metrics.observer.iterated({ ...seen, decision: "done" });
  const text = await metrics.text();
  expect(text).toContain('agentflow_iterations_total{flow="report",decision="continue"} 1');
  expect(text).toContain('agentflow_iterations_total{flow="report",decision="done"} 1');
  expect(text).toContain('agentflow_iteration_seconds_sum{flow="report"} 0.24');
  expect(text).toMatch(/agentflow_iteration_overhead_seconds_sum 0\.04/);
});

test("S-25: the wait in the queue, and from a resume to its commit, count from when the job was due", async () => {
  const metrics = created();
  const over = metrics.taken("r", 997_000);
  metrics.taken("of a clock ahead", 1_005_000);
  vi.setSystemTime(1_002_000);
  metrics.observer.iterated({ ...seen, resumed: true });
  expect(await metrics.text()).toContain("agentflow_worker_jobs 2\n");
  over();
  const text = await metrics.text();
  expect(text).toContain("agentflow_queue_wait_seconds_sum 3\n");
  expect(text).toContain("agentflow_queue_wait_seconds_count 2\n");
  expect(text).toContain("agentflow_resume_seconds_sum 5\n");
  expect(text).toContain("agentflow_worker_jobs 1\n");
});

test("S-25: lost attempts, ends, violations, leases, the sweep, retention and connections have counters", async () => {
  const metrics = created();
  expect(await metrics.text()).toContain('agentflow_invariant_violations_total{kind="unexpected_error"} 0');
  metrics.observer.claimed({ attempt: 1 });
  metrics.observer.claimed({ attempt: 2 });
  metrics.observer.ended({ flow: "report", status: "failed", code: "checkpoint_corrupt" });
  metrics.observer.violated("checkpoint_corrupt");
  metrics.leaseLost();
  metrics.swept(3);
  metrics.removed(7);
  const lines = (await metrics.text()).split("\n");
  for (const line of [
    'agentflow_attempts_total{kind="first"} 1',
    'agentflow_attempts_total{kind="repeated"} 1',
    "agentflow_in_doubt_total 1",
    'agentflow_runs_ended_total{flow="report",status="failed",code="checkpoint_corrupt"} 1',
    'agentflow_invariant_violations_total{kind="checkpoint_corrupt"} 1',
    "agentflow_leases_lost_total 1",
    "agentflow_sweep_woken_total 3",
    "agentflow_runs_removed_total 7",
    "agentflow_worker_slots 4",
    'agentflow_database_connections{pool="work",state="busy"} 3',
    'agentflow_database_connections{pool="work",state="waited_for"} 1',
  ])
    expect(lines).toContain(line);
});

test("S-25: a worker answers /metrics beside /healthz and /readyz", async () => {
  const up = { database: true, queue: true, consuming: false };
  server = await startHealthServer({
    host: "127.0.0.1",
    ports: { from: 0, to: 0 },
    readiness: async () => up,
    metrics: created(),
  });
  const get = (path: string) => fetch(`http://127.0.0.1:${server!.port}${path}`);
  const scraped = await get("/metrics");
  expect(scraped.headers.get("content-type")).toContain("version=0.0.4");
  expect(await scraped.text()).toContain("# TYPE agentflow_iterations_total counter");
  expect([(await get("/healthz")).status, (await get("/readyz")).status]).toEqual([200, 503]);
});

test("S-4: of a range of ports each worker of a machine takes the first that is free", async () => {
  const options = {
    host: "127.0.0.1",
    readiness: async () => ({ database: true, queue: true, consuming: true }),
    metrics: created(),
  };
  server = await startHealthServer({ ...options, ports: { from: 0, to: 0 } });
  const { port } = server;
  await expect(startHealthServer({ ...options, ports: { from: port, to: port } })).rejects.toThrow(
    "EADDRINUSE",
  );
  const second = await startHealthServer({ ...options, ports: { from: port, to: port + 20 } });
  expect(second.port).toBeGreaterThan(port);
  await second.close();
});
