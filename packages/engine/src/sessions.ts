import { randomBytes } from "node:crypto";
import { sha256 } from "./hash.ts";
import type { ApiKey, KeyStore } from "./ports/keys.ts";

const TOKEN_BYTES = 32;

/** A session of the console lasts a working day; integer ms. */
export const SESSION_MS = 12 * 3_600_000;

/** Begins a session that may do what the key may, while the key lives (S-19). The token is given this once; null when the key is revoked. */
export async function beginSession(keys: KeyStore, key: ApiKey, remote: string): Promise<string | null> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const begun = await keys.beginSession({ hash: sha256(token), keyId: key.id, ttlMs: SESSION_MS, remote });
  return begun ? token : null;
}

/** The key whose session this is, while both live. The token has 256 random bits and goes into the lookup only as its hash. */
export function findSession(keys: KeyStore, token: string): Promise<ApiKey | null> {
  return keys.findSession(sha256(token));
}

/** Ends a session; one that is not there is no error. */
export function endSession(keys: KeyStore, token: string): Promise<void> {
  return keys.endSession(sha256(token));
}
