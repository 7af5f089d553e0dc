import type { KeyStore } from "@agentflow/engine";
import { openDrizzle } from "./connection/drizzle.ts";
import { translating } from "./connection/failures.ts";
import type { Pools } from "./connection/pools.ts";
import { findKeyByHash, findKeyBySession, hasKeys, readKeys } from "./reads/keys.ts";
import { createKey, revokeKey } from "./transitions/api-keys.ts";
import { beginSession, endSession } from "./transitions/sessions.ts";

/** API keys on real Postgres (S-19). */
export function createKeyStore({ requests: pool }: Pools): KeyStore {
  const db = openDrizzle(pool);
  return {
    create: async (key, caller) =>
      translating(async () => ((await createKey(pool, key, caller)) ? "created" : "taken")),
    list: () => translating(() => readKeys(db)),
    revoke: (idOrName, caller) =>
      translating(async () => {
        const id = await revokeKey(pool, idOrName, caller);
        return id === null ? null : ((await readKeys(db)).find((key) => key.id === id) ?? null);
      }),
    find: (hash) => translating(() => findKeyByHash(db, hash)),
    any: () => translating(() => hasKeys(db)),
    beginSession: (session) => translating(() => beginSession(pool, session)),
    findSession: (hash) => translating(() => findKeyBySession(db, hash)),
    endSession: (hash) => translating(() => endSession(pool, hash)),
  };
}
