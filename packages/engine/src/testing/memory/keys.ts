import type { KeyStore } from "../../ports/keys.ts";
import { StoreUnavailable } from "../../ports/store-errors.ts";
import { audit } from "./tables.ts";
import type { KeyRow, Tables } from "./tables.ts";

/** `KeyStore` over the tables. */
export function memoryKeys(tables: Tables): KeyStore {
  const living = (): KeyRow[] => {
    if (tables.away) throw new StoreUnavailable("the memory store is away");
    return tables.keys.filter(({ revokedAt }) => revokedAt === null);
  };
  const now = (): string => new Date(tables.nowMs()).toISOString();
  return {
    create: async (key, caller) => {
      const named = living().some(({ name }) => name === key.name);
      if (named || tables.keys.some(({ hash }) => hash === key.hash)) return "taken";
      tables.keys.push({ ...key, createdAt: now(), revokedAt: null });
      audit(tables, { runId: null, action: "key_create", caller });
      return "created";
    },
    list: async () => tables.keys.map(({ hash: _hash, ...key }) => key).reverse(),
    revoke: async (idOrName, caller) => {
      const found = living().find(({ id, name }) => id === idOrName || name === idOrName);
      if (found === undefined) return null;
      const { hash: _hash, ...key } = Object.assign(found, { revokedAt: now() });
      audit(tables, { runId: null, action: "key_revoke", caller });
      return key;
    },
    find: async (hash) => living().find((key) => key.hash === hash) ?? null,
    any: async () => living().length > 0,
    beginSession: async ({ hash, keyId, ttlMs, remote }) => {
      const key = living().find(({ id }) => id === keyId);
      if (key === undefined) return false;
      tables.sessions.set(hash, { keyId, untilMs: tables.nowMs() + ttlMs });
      audit(tables, { runId: null, action: "session_begin", caller: { actor: `key:${key.name}`, remote } });
      return true;
    },
    findSession: async (hash) => {
      const session = tables.sessions.get(hash);
      const found = living().find(({ id }) => id === session?.keyId);
      if (session === undefined || found === undefined || session.untilMs <= tables.nowMs()) return null;
      const { hash: _hash, ...key } = found;
      return key;
    },
    endSession: async (hash) => void tables.sessions.delete(hash),
  };
}
