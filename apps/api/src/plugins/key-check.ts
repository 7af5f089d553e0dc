import { findKey, sha256 } from "@agentflow/engine";
import type { ApiKey, KeyStore } from "@agentflow/engine";
import type { FastifyReply } from "fastify";
import { refuse } from "../problem.ts";
import { createFailureLimit } from "./rate-limit.ts";

/** Keys that did well stay usable from an address whose other tries failed: so many are remembered. */
const MAX_TRUSTED = 1000;

export type KeyCheck = (
  text: string,
  address: string,
) => Promise<
  | { readonly kind: "key"; readonly key: ApiKey }
  | { readonly kind: "unknown" }
  | { readonly kind: "blocked"; readonly waitMs: number }
>;

/** Checks the texts of keys; failed tries are limited by address, wherever they come in (S-19). */
export function createKeyCheck(keys: KeyStore, nowMs: () => number): KeyCheck {
  const limit = createFailureLimit(nowMs);
  const trusted = new Set<string>();
  return async (text, address) => {
    const hash = sha256(text);
    const waitMs = limit.blockedMs(address);
    if (waitMs > 0 && !trusted.has(hash)) return { kind: "blocked", waitMs };
    const key = await findKey(keys, text);
    if (key === null) {
      trusted.delete(hash);
      limit.failed(address);
      return { kind: "unknown" };
    }
    trust(trusted, hash);
    return { kind: "key", key };
  };
}

function trust(trusted: Set<string>, hash: string): void {
  trusted.add(hash);
  const oldest = trusted.values().next().value;
  if (trusted.size > MAX_TRUSTED && oldest !== undefined) trusted.delete(oldest);
}

/** 401, with the way to authenticate. */
export function refuseKey(reply: FastifyReply, message: string): FastifyReply {
  reply.header("www-authenticate", 'Bearer realm="agentflow"');
  return refuse(reply, { code: "unauthorized", message });
}

/** 429, with the time to wait. */
export function refuseForNow(reply: FastifyReply, waitMs: number): FastifyReply {
  const seconds = Math.ceil(waitMs / 1000);
  reply.header("retry-after", String(seconds));
  const message = `Too many tries with wrong API keys came from this address; try again in ${seconds} s.`;
  return refuse(reply, { code: "rate_limited", message, details: { retryAfterMs: waitMs } });
}
