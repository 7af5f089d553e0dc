import type { Fence } from "@agentflow/engine";
import { run, type Queryable } from "../connection/transaction.ts";

/**
 * Keeps an encrypted context (L-49). Guard: token and status; the lock makes an end of the run that comes in between wait, so that
 * its trigger finds the row. Locks the run row first, then inserts. Keeping it twice is keeping it once.
 */
const KEEP_CONTEXT = {
  name: "keep_context",
  text: `
    with held as (
      select id from run where id = $1 and token = $2 and status = 'running' for share
    ), kept as (
      insert into context (run_id, references_digest, sealed) select id, $3, $4 from held
      on conflict (run_id, references_digest) do nothing
    )
    select 1 from held`,
};

/** False when the claim is somebody else's now. */
export async function keepContext(
  db: Queryable,
  fence: Fence,
  digest: string,
  sealed: Uint8Array,
): Promise<boolean> {
  const values = [fence.runId, fence.token, digest, Buffer.from(sealed)];
  return (await run(db, KEEP_CONTEXT, values)).length === 1;
}
