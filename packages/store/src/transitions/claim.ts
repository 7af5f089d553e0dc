import type { Claim } from "@agentflow/engine";
import { run, type Queryable } from "../connection/transaction.ts";
import { givenStatement } from "./given.ts";

/** What every statement that hands out or finds a claim returns. */
export const CLAIM_COLUMNS = `
  r.token, r.status, r.flow_version_id, r.fresh, r.attempt, r.prior_ms, r.inputs, r.loop, r.next_iteration, r.reset,
  case when r.resume_id is not null then (select a.payload from audit a where a.id = r.resume_id) end as payload`;

export type ClaimRow = {
  token: number;
  status: string;
  flow_version_id: string;
  fresh: boolean;
  attempt: number;
  prior_ms: number;
  inputs: string;
  loop: string | null;
  next_iteration: number;
  reset: string | null;
  payload: string | null;
};

export type ClaimRequest = {
  readonly runId: string;
  readonly token: number;
  readonly worker: string;
  readonly leaseMs: number;
  readonly maxAttempts: number;
  /** Names this write, to find it again when the answer is lost. */
  readonly write: string;
};

/**
 * The ordinary claim (S-6). Guard: the wake's token, a live status, no pause, and no claim since the last commit, so that there is
 * no dead attempt to account for; runs of flows with limits have a claim of their own. Locks run rows in the order given, which is by id, as all do.
 */
const CLAIM = givenStatement<ClaimRequest>({
  name: "claim",
  fields: [
    ["id", "uuid", ({ runId }) => runId],
    ["token", "bigint", ({ token }) => token],
    ["worker", "text", ({ worker }) => worker],
    ["lease_ms", "int", ({ leaseMs }) => leaseMs],
    ["max_attempts", "int", ({ maxAttempts }) => maxAttempts],
    ["write", "uuid", ({ write }) => write],
  ],
  order: ({ runId }) => runId,
  text: (given) => `
    update run r
    set status = 'running', token = r.token + 1, due_at = null, attempt = attempt + 1, fresh = fresh or attempt > 0,
        lease_owner = g.worker, lease_until = now() + g.lease_ms * interval '1 ms', claimed_at = now(), beat_at = now(),
        started_at = coalesce(started_at, now()), dispatch_after = now(), updated_at = now(), last_write = g.write
    from ${given} g
    where r.id = g.id and r.token = g.token and r.status in ('queued', 'running') and r.lease_owner is null
      and (r.due_at is null or r.due_at <= now() + interval '100 ms')
      and r.attempt < g.max_attempts and not r.limited
    returning g.write, r.id, ${CLAIM_COLUMNS}`,
});

/** Name of the write → the new claim; where there is none the guard did not hold. */
export async function claimRuns(
  db: Queryable,
  requests: readonly ClaimRequest[],
): Promise<ReadonlyMap<string, Claim>> {
  const rows = await CLAIM<ClaimRow & { write: string; id: string }>(db, requests);
  return new Map(rows.map((row) => [row.write, claimOf(row.id, row)]));
}

/** The claim one of our own writes made although its answer was lost. Guard: nothing was written since. */
const FIND_CLAIM = {
  name: "find_claim",
  text: `select ${CLAIM_COLUMNS} from run r where id = $1 and last_write = $2 and status in ('running', 'failed')`,
};

/** A claim stored without our knowing; "exhausted" when that write failed the run; null when there was none. */
export async function findClaim(
  db: Queryable,
  runId: string,
  write: string,
): Promise<Claim | "exhausted" | null> {
  const [row] = await run<ClaimRow>(db, FIND_CLAIM, [runId, write]);
  if (row === undefined) return null;
  return row.status === "failed" ? "exhausted" : claimOf(runId, row);
}

export function claimOf(runId: string, row: ClaimRow): Claim {
  return {
    runId,
    token: row.token,
    flowVersionId: row.flow_version_id,
    fresh: row.fresh,
    attempt: row.attempt,
    priorMs: row.prior_ms,
    inputs: row.inputs,
    loop: row.loop,
    nextIteration: row.next_iteration,
    resumePayload: row.payload,
    reset: row.reset,
  };
}
