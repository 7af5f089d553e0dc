import { expect, test } from "vitest";
import { startCount, startWaiting } from "../testing/flow.ts";
import { testApi } from "../testing/test-api.ts";

test("S-25: metrics tell runs by status, parked age, stuck runs, the queue and how long calls took", async () => {
  const api = await testApi();
  await startWaiting(api);
  await startCount(api);
  api.clock.advance(60_000);
  const answer = await api.get("/metrics");
  expect(answer.statusCode).toBe(200);
  expect(answer.headers["content-type"]).toContain("text/plain; version=0.0.4");
  for (const line of [
    'agentflow_runs{status="waiting"} 1',
    'agentflow_runs{status="queued"} 1',
    'agentflow_runs{status="failed"} 0',
    "agentflow_stuck_runs 1",
    "agentflow_queue_depth 2",
    'agentflow_up{service="database"} 1',
    'agentflow_up{service="queue"} 1',
    'agentflow_http_request_seconds_count{method="POST",route="/v1/runs",status="201"} 2',
  ])
    expect(answer.body.split("\n")).toContain(line);
  expect(answer.body).toMatch(/^agentflow_parked_oldest_seconds \d/m);
  expect(answer.body).not.toMatch(/019[0-9a-f]{5}-/);
});

test("S-25: what cannot be found out is left out, and agentflow_up says why", async () => {
  const api = await testApi();
  await startCount(api);
  await api.get("/metrics");
  api.queue.up = false;
  api.store.tables.away = true;
  const { statusCode, body } = await api.get("/metrics");
  expect(statusCode).toBe(200);
  expect(body).toContain('agentflow_up{service="database"} 0');
  expect(body).toContain('agentflow_up{service="queue"} 0');
  expect(body).not.toMatch(/^agentflow_(runs|stuck_runs|queue_depth|parked_oldest_seconds)[ {]/m);
});
