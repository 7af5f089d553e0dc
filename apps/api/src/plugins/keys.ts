import type { Scope } from "@agentflow/contract";
import { allows, findKey, sha256 } from "@agentflow/engine";
import type { ApiKey, Caller, KeyStore } from "@agentflow/engine";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { refuse } from "../problem.ts";
import { loopbackRefusal } from "./guard.ts";
import { createKeyPresence } from "./key-presence.ts";
import { createFailureLimit } from "./rate-limit.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Scope a key needs; left out or null, the route needs none. */
    scope?: Scope | null;
  }
  interface FastifyRequest {
    apiKey: ApiKey | null;
  }
}

/** Keys that did well stay usable from an address whose other tries failed: so many are remembered. */
const MAX_TRUSTED = 1000;

export type KeyGuardOptions = {
  readonly keys: KeyStore;
  /** The API listens beyond this machine: every call needs a key, also when the last one is revoked. */
  readonly always: boolean;
  readonly nowMs: () => number;
};

/**
 * Asks for an API key as soon as there is one (S-19). Without any the API serves this machine only, and nothing that a web page
 * could make it do. Failed tries are limited by address.
 */
export async function guardWithKeys(app: FastifyInstance, options: KeyGuardOptions): Promise<void> {
  const { keys, always, nowMs } = options;
  const presence = createKeyPresence(keys, nowMs);
  await presence.look();
  const limit = createFailureLimit(nowMs);
  const trusted = new Set<string>();
  app.decorateRequest("apiKey", null);

  app.addHook("onRequest", async (request, reply) => {
    const scope = request.routeOptions.config?.scope ?? null;
    const needed = always || (scope === null ? presence.known : await presence.look());
    if (!needed) {
      const refusal = loopbackRefusal(request);
      return refusal === null ? undefined : refuse(reply, refusal);
    }
    if (scope === null) return;
    const text = bearer(request);
    if (text === null) return refuseKey(reply, "The call has no API key.");
    const hash = sha256(text);
    const blockedMs = limit.blockedMs(request.ip);
    if (blockedMs > 0 && !trusted.has(hash)) return refuseForNow(reply, blockedMs);
    const key = await findKey(keys, text);
    if (key === null) {
      trusted.delete(hash);
      limit.failed(request.ip);
      return refuseKey(reply, "The API key is unknown or revoked.");
    }
    trust(trusted, hash);
    request.apiKey = key;
    if (allows(key.scope, scope)) return;
    const message = `The call needs a key of scope ${scope}; this one has ${key.scope}.`;
    return refuse(reply, { code: "forbidden", message, details: { needed: scope, scope: key.scope } });
  });
}

function trust(trusted: Set<string>, hash: string): void {
  trusted.add(hash);
  const oldest = trusted.values().next().value;
  if (trusted.size > MAX_TRUSTED && oldest !== undefined) trusted.delete(oldest);
}

function bearer(request: FastifyRequest): string | null {
  const [, text] = /^Bearer +([\x21-\x7e]{1,500})$/i.exec(request.headers.authorization ?? "") ?? [];
  return text ?? null;
}

function refuseKey(reply: FastifyReply, message: string): FastifyReply {
  reply.header("www-authenticate", 'Bearer realm="agentflow"');
  return refuse(reply, { code: "unauthorized", message });
}

function refuseForNow(reply: FastifyReply, waitMs: number): FastifyReply {
  const seconds = Math.ceil(waitMs / 1000);
  reply.header("retry-after", String(seconds));
  const message = `Too many tries with wrong API keys came from this address; try again in ${seconds} s.`;
  return refuse(reply, { code: "rate_limited", message, details: { retryAfterMs: waitMs } });
}

/** Who called, for audit rows (S-22); without keys every caller is the machine's own. */
export function callerOf(request: FastifyRequest): Caller {
  return { actor: request.apiKey === null ? "local" : `key:${request.apiKey.name}`, remote: request.ip };
}
