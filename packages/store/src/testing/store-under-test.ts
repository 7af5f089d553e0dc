import type { RunEvent } from "@agentflow/engine";
import type { StoreUnderTest } from "@agentflow/engine/testing";
import { openPools } from "../connection/pools.ts";
import { createStore } from "../store.ts";
import { createDatabase } from "./database.ts";

/** A store on a database of its own, as the conformance suites want one. */
export async function storeUnderTest(serverUrl: string): Promise<StoreUnderTest> {
  const database = await createDatabase(serverUrl);
  const pools = openPools({ url: database.url, applicationName: "test", maxConnections: 5 });
  const { work, requests, reads, keys, fleet, bulk, schedules, webhooks, close } = createStore(pools);
  const query = (text: string, values: unknown[]) => pools.requests.query(text, values);
  return {
    work,
    requests,
    reads,
    keys,
    fleet,
    bulk,
    schedules,
    webhooks,
    clockForward: async (ms) => {
      await query(
        `update bulk set next_at = next_at - $1 * interval '1 ms', lease_until = lease_until - $1 * interval '1 ms'`,
        [ms],
      );
      await query(
        `update limit_wait set since = since - $1 * interval '1 ms', rank = rank - $1 * interval '1 ms'`,
        [ms],
      );
      await query(
        `update schedule set due_at = due_at - $1 * interval '1 ms', next_at = next_at - $1 * interval '1 ms', lease_until = lease_until - $1 * interval '1 ms'`,
        [ms],
      );
      await query(
        `update webhook_delivery set next_at = next_at - $1 * interval '1 ms', finished_at = finished_at - $1 * interval '1 ms'`,
        [ms],
      );
      await query("update kept_resume set until = until - $1 * interval '1 ms'", [ms]);
      await query(
        `update run set lease_until = lease_until - $1 * interval '1 ms', dispatch_after = dispatch_after - $1 * interval '1 ms', due_at = due_at - $1 * interval '1 ms',
          finished_at = finished_at - $1 * interval '1 ms', updated_at = updated_at - $1 * interval '1 ms'`,
        [ms],
      );
      await query("update worker set beat_at = beat_at - $1 * interval '1 ms'", [ms]);
    },
    alignCreated: async (runIds) => {
      await query("update run set created_at = '2026-01-01T00:00:00.123456Z' where id = any($1::uuid[])", [
        runIds,
      ]);
    },
    events: async (runId) => {
      const page = await reads.events(runId, { after: 0, limit: 10_000 });
      return page === "no_run" ? [] : (page.items as readonly (RunEvent & { seq: number })[]);
    },
    audits: async (runId) => {
      const { rows } = await query(
        "select action, actor, remote, payload from audit where run_id is not distinct from $1 order by at",
        [runId],
      );
      return rows;
    },
    close: async () => {
      await close();
      await database.drop();
    },
  };
}
