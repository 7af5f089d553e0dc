import type { Caller, NewApiKey } from "@agentflow/engine";
import { run, type Queryable } from "../connection/transaction.ts";

/** Guard: no living key has the name, no key at all has the hash. */
const CREATE_KEY = {
  name: "create_key",
  text: `
    with created as (
      insert into api_key (id, name, scope, hint, hash) values ($1, $2, $3, $4, $5)
      on conflict do nothing
      returning id, name, scope
    ), audited as (
      insert into audit (action, actor, remote, details)
      select 'key_create', $6, $7, json_build_object('key', id, 'name', name, 'scope', scope)::text from created
    )
    select 1 from created`,
};

/** False when the name or the key is taken. */
export async function createKey(db: Queryable, key: NewApiKey, caller: Caller): Promise<boolean> {
  const values = [key.id, key.name, key.scope, key.hint, key.hash, caller.actor, caller.remote];
  return (await run(db, CREATE_KEY, values)).length === 1;
}

/** Guard: living. */
const REVOKE_KEY = {
  name: "revoke_key",
  text: `
    with revoked as (
      update api_key set revoked_at = now()
      where (id::text = $1 or name = $1) and revoked_at is null
      returning id, name, scope
    ), audited as (
      insert into audit (action, actor, remote, details)
      select 'key_revoke', $2, $3, json_build_object('key', id, 'name', name, 'scope', scope)::text from revoked
    )
    select id from revoked`,
};

/** The id of the key that lives no longer; null when there was none. */
export async function revokeKey(db: Queryable, idOrName: string, caller: Caller): Promise<string | null> {
  const [row] = await run<{ id: string }>(db, REVOKE_KEY, [idOrName, caller.actor, caller.remote]);
  return row?.id ?? null;
}
