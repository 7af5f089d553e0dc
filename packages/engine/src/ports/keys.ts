import type { Caller } from "./requests.ts";

/** What a key may do (S-19): `read` looks, `run` also starts, resumes and cancels runs, `admin` everything. */
export const scopes = ["read", "run", "admin"] as const;
export type Scope = (typeof scopes)[number];

/** An API key without its secret, which nobody can read back. Times are UTC. */
export type ApiKey = {
  readonly id: string;
  readonly name: string;
  readonly scope: Scope;
  /** First characters of the key, to recognise it by. */
  readonly hint: string;
  readonly createdAt: string;
  readonly revokedAt: string | null;
};

/** A key to store: `hash` is the SHA-256 of its text, 64 hex digits. */
export type NewApiKey = Pick<ApiKey, "id" | "name" | "scope" | "hint"> & { readonly hash: string };

/** A session to store: `hash` is the SHA-256 of its token; it ends `ttlMs` from now, by the database's clock. */
export type NewSession = {
  readonly hash: string;
  readonly keyId: string;
  readonly ttlMs: number;
  readonly remote: string;
};

/** Keys in Postgres; every change is audited in its own statement (S-22). */
export interface KeyStore {
  /** "taken" when a living key has that name or the very key is stored already: nothing is changed then. */
  create(key: NewApiKey, caller: Caller): Promise<"created" | "taken">;
  /** Newest first, revoked ones too. */
  list(): Promise<readonly ApiKey[]>;
  /** Revokes the living key with that id or name; null when there is none. */
  revoke(idOrName: string, caller: Caller): Promise<ApiKey | null>;
  /** The living key with that hash. */
  find(hash: string): Promise<(ApiKey & { readonly hash: string }) | null>;
  /** Whether there is any living key. */
  any(): Promise<boolean>;
  /** Begins a session of a living key, audited; false when the key lives no longer. Sessions that are over are forgotten. */
  beginSession(session: NewSession): Promise<boolean>;
  /** The living key whose session has that hash and is not over. */
  findSession(hash: string): Promise<ApiKey | null>;
  endSession(hash: string): Promise<void>;
}
