import type { Claim } from "@agentflow/engine";
import { run, type Queryable } from "../connection/transaction.ts";

/** What every statement that hands out or finds a claim returns. */
export const CLAIM_COLUMNS = `
  r.token, r.status, r.flow_version_id, r.fresh, r.attempt, r.prior_ms, r.inputs, r.loop, r.next_iteration,
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
 * The ordinary claim (S-6). Guard: the wake's token, a live status, and no claim since the last commit, so that there is
 * no dead attempt to account for. Locks the run row only.
 */
const CLAIM = {
  name: "claim",
  text: `
    update run r
    set status = 'running', token = token + 1, attempt = attempt + 1, fresh = fresh or attempt > 0,
        lease_owner = $3, lease_until = now() + $4 * interval '1 ms', claimed_at = now(), beat_at = now(),
        started_at = coalesce(started_at, now()), dispatch_after = now(), updated_at = now(), last_write = $6
    where id = $1 and token = $2 and status in ('queued', 'running') and lease_owner is null and attempt < $5
    returning ${CLAIM_COLUMNS}`,
};

/** The new claim, or null when the guard does not hold. */
export async function claim(db: Queryable, request: ClaimRequest): Promise<Claim | null> {
  const { runId, token, worker, leaseMs, maxAttempts, write } = request;
  const [row] = await run<ClaimRow>(db, CLAIM, [runId, token, worker, leaseMs, maxAttempts, write]);
  return row === undefined ? null : claimOf(runId, row);
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
  };
}
