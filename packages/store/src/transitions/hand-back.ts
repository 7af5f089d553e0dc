import type { Fence } from "@agentflow/engine";
import { run, type Queryable } from "../connection/transaction.ts";

/**
 * Gives a claim back: the token rises, so that the next wake is a new job. An attempt that is not counted leaves no trace
 * but its active time (S-27, L-35). Guard: token and status. Locks the run row only.
 */
const HAND_BACK = {
  name: "hand_back",
  text: `
    update run
    set token = token + 1, lease_owner = null, lease_until = null,
        attempt = case when $4 then attempt else greatest(attempt - 1, 0) end,
        prior_ms = prior_ms + $3, attempt_ms = 0,
        dispatch_after = now() + ($5 + 2000) * interval '1 ms', updated_at = now(), last_write = $6
    where id = $1 and token = $2 and status = 'running' and last_write is distinct from $6
    returning token`,
};

/** The token of the next wake, or null when the claim is somebody else's now. */
export async function handBack(
  db: Queryable,
  fence: Fence,
  activeMs: number,
  how: { readonly counted: boolean; readonly delayMs: number },
  write: string,
): Promise<number | null> {
  const values = [fence.runId, fence.token, activeMs, how.counted, how.delayMs, write];
  const [row] = await run<{ token: number }>(db, HAND_BACK, values);
  return row?.token ?? null;
}
