import type { Fence } from "@agentflow/engine";
import { run, type Queryable } from "../connection/transaction.ts";

/** Renews leases (S-8). Guard: token and status. Locks run rows in the order given, which is by id, as all do. */
const HEARTBEAT = {
  name: "heartbeat",
  text: `
    update run r
    set lease_until = now() + $4 * interval '1 ms', beat_at = now(), attempt_ms = greatest(r.attempt_ms, b.active_ms)
    from unnest($1::uuid[], $2::bigint[], $3::bigint[]) as b (id, token, active_ms)
    where r.id = b.id and r.token = b.token and r.status = 'running' and r.lease_owner is not null
    returning r.id`,
};

/** Ids of the runs still held. */
export async function heartbeat(
  db: Queryable,
  beats: readonly (Fence & { activeMs: number })[],
  leaseMs: number,
): Promise<ReadonlySet<string>> {
  const sorted = beats.toSorted((a, b) => (a.runId < b.runId ? -1 : 1));
  const rows = await run<{ id: string }>(db, HEARTBEAT, [
    sorted.map(({ runId }) => runId),
    sorted.map(({ token }) => token),
    sorted.map(({ activeMs }) => activeMs),
    leaseMs,
  ]);
  return new Set(rows.map(({ id }) => id));
}
