import { randomBytes, timingSafeEqual } from "node:crypto";
import { sha256 } from "./hash.ts";
import type { ApiKey, KeyStore, Scope } from "./ports/keys.ts";
import type { Caller } from "./ports/requests.ts";

const PREFIX = "afk_";
const SECRET_BYTES = 32;
const HINT_UNITS = 8;
/** A key that an operator made up must be about as hard to guess as one of ours. */
export const KEY_MIN_UNITS = 32;
const KEY_MAX_UNITS = 500;

export type CreatedKey = {
  readonly id: string;
  readonly name: string;
  readonly scope: Scope;
  readonly key: string;
};

/** Makes a random key; its text is given this once and stored only as a hash (S-19). Null when a living key has that name. */
export async function createKey(
  deps: { readonly keys: KeyStore; readonly newId: () => string },
  request: { readonly name: string; readonly scope: Scope; readonly caller: Caller },
): Promise<CreatedKey | null> {
  const { name, scope, caller } = request;
  const key = PREFIX + randomBytes(SECRET_BYTES).toString("base64url");
  const id = deps.newId();
  const stored = { id, name, scope, hint: key.slice(0, HINT_UNITS), hash: sha256(key) };
  return (await deps.keys.create(stored, caller)) === "created" ? { id, name, scope, key } : null;
}

/** Whether a text that an operator made up can be a key: visible ASCII, long enough not to be guessed. */
export function isUsableKey(text: string): boolean {
  return text.length >= KEY_MIN_UNITS && text.length <= KEY_MAX_UNITS && /^[\x21-\x7e]+$/.test(text);
}

/** Stores an operator's own admin key unless it was stored before: revoked, it stays revoked (S-19). Throws when it is too short. */
export async function seedAdminKey(
  deps: { readonly keys: KeyStore; readonly newId: () => string },
  text: string,
  caller: Caller,
): Promise<void> {
  if (!isUsableKey(text))
    throw new Error(`the admin key must be at least ${KEY_MIN_UNITS} visible ASCII characters on one line`);
  const id = deps.newId();
  const hash = sha256(text);
  const named = { id, name: `admin-key-file-${hash.slice(0, HINT_UNITS)}`, scope: "admin" as const };
  await deps.keys.create({ ...named, hint: text.slice(0, PREFIX.length), hash }, caller);
}

/** The living key with this text; compared in constant time (S-19). */
export async function findKey(keys: KeyStore, text: string): Promise<ApiKey | null> {
  const hash = sha256(text);
  const found = await keys.find(hash);
  // The lookup goes by hash, which nobody can steer; the comparison settles it without looking at where they differ.
  if (found === null || !timingSafeEqual(Buffer.from(found.hash), Buffer.from(hash))) return null;
  const { hash: _hash, ...key } = found;
  return key;
}

/** Whether a key of scope `has` may do what needs `wanted`: `admin` includes `run`, which includes `read`. */
export function allows(has: Scope, wanted: Scope): boolean {
  return RANK[has] >= RANK[wanted];
}

const RANK = { read: 0, run: 1, admin: 2 } as const;
