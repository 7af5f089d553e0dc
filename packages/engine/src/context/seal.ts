import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const CIPHER = "aes-256-gcm";
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

/**
 * Encrypts a text with AES-256-GCM under a key of 32 bytes: version, nonce, tag, ciphertext. `address` is authenticated with it, so
 * that no row can take another one's place (L-49).
 */
export function seal(key: Uint8Array, address: readonly string[], text: string): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce);
  cipher.setAAD(additional(address));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), sealed]);
}

/** The text `seal` was given; null under another key or address, and for bytes that `seal` did not make. */
export function unseal(key: Uint8Array, address: readonly string[], bytes: Uint8Array): string | null {
  if (bytes.length < HEAD_BYTES || bytes[0] !== VERSION) return null;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(1, 1 + NONCE_BYTES));
  decipher.setAAD(additional(address));
  decipher.setAuthTag(bytes.subarray(1 + NONCE_BYTES, HEAD_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(HEAD_BYTES)), decipher.final()]).toString("utf8");
  } catch {
    return null;
  }
}

function additional(address: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(address));
}
