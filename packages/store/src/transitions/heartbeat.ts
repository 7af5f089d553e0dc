import type { Fence } from "@agentflow/engine";
import { run, type Queryable } from "../connection/transaction.ts";

/**
 * Renews leases (S-8). Guard: token and status. Locks run rows by id, as all do; sorted by the server, because of so small a
 * table a plan may read the rows in another order than they were given in.
 */
const HEARTBEAT = {
  name: "heartbeat",
  text: `
    with held as (
      select r.id, b.active_ms
      from unnest($1::uuid[], $2::bigint[], $3::bigint[]) as b (id, token, active_ms)
      join run r on r.id = b.id and r.token = b.token and r.status = 'running' and r.lease_owner is not null
      order by r.id
      for no key update of r
    )
    update run r
    set lease_until = now() + $4 * interval '1 ms', beat_at = now(), attempt_ms = greatest(r.attempt_ms, h.active_ms)
    from held h
    where r.id = h.id
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
