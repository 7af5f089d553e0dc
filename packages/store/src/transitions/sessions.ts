import type { NewSession } from "@agentflow/engine";
import { run, type Queryable } from "../connection/transaction.ts";

/** Guard: the key lives. Sessions that are over go on the way. */
const BEGIN_SESSION = {
  name: "begin_session",
  text: `
    with over as (
      delete from session where expires_at < now()
    ), begun as (
      insert into session (hash, key_id, expires_at)
      select $1, id, now() + $3 * interval '1 ms' from api_key where id = $2 and revoked_at is null
      returning key_id
    ), audited as (
      insert into audit (action, actor, remote, details)
      select 'session_begin', 'key:' || k.name, $4, json_build_object('key', k.id)::text
      from begun join api_key k on k.id = begun.key_id
    )
    select 1 from begun`,
};

const END_SESSION = { name: "end_session", text: "delete from session where hash = $1" };

/** False when the key is revoked. */
export async function beginSession(
  db: Queryable,
  { hash, keyId, ttlMs, remote }: NewSession,
): Promise<boolean> {
  return (await run(db, BEGIN_SESSION, [hash, keyId, ttlMs, remote])).length === 1;
}

export async function endSession(db: Queryable, hash: string): Promise<void> {
  await run(db, END_SESSION, [hash]);
}
