import type { Scope } from "@agentflow/contract";
import { allows, findSession } from "@agentflow/engine";
import type { ApiKey, Caller, KeyStore } from "@agentflow/engine";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { refuse } from "../problem.ts";
import { sessionToken } from "./cookie.ts";
import { foreignPage, loopbackRefusal } from "./guard.ts";
import { createKeyCheck, refuseForNow, refuseKey } from "./key-check.ts";
import type { KeyCheck } from "./key-check.ts";
import { createKeyPresence } from "./key-presence.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Scope a key needs; left out or null, the route needs none. */
    scope?: Scope | null;
  }
  interface FastifyRequest {
    apiKey: ApiKey | null;
  }
}

export type KeyGuardOptions = {
  readonly keys: KeyStore;
  /** The API listens beyond this machine: every call needs a key, also when the last one is revoked. */
  readonly always: boolean;
  readonly nowMs: () => number;
};

/** What sessions need of the guard. */
export type KeyGuard = {
  /** Whether calls need a key now. */
  needed(): Promise<boolean>;
  readonly check: KeyCheck;
};

/**
 * Asks for an API key, or a session begun with one, as soon as there is one (S-19). Without any the API serves this machine only,
 * and nothing that a web page could make it do. Failed tries are limited by address.
 */
export async function guardWithKeys(app: FastifyInstance, options: KeyGuardOptions): Promise<KeyGuard> {
  const { keys, always, nowMs } = options;
  const presence = createKeyPresence(keys, nowMs);
  await presence.look();
  const check = createKeyCheck(keys, nowMs);
  app.decorateRequest("apiKey", null);

  app.addHook("onRequest", async (request, reply) => {
    const scope = request.routeOptions.config?.scope ?? null;
    const needed = always || (scope === null ? presence.known : await presence.look());
    if (!needed) {
      const refusal = loopbackRefusal(request);
      return refusal === null ? undefined : refuse(reply, refusal);
    }
    if (scope === null) return;
    const refusal = await authenticate(request, reply, keys, check);
    if (refusal !== null) return refusal;
    const has = request.apiKey!.scope;
    if (allows(has, scope)) return;
    const message = `The call needs a key of scope ${scope}; this one has ${has}.`;
    return refuse(reply, { code: "forbidden", message, details: { needed: scope, scope: has } });
  });
  return { needed: async () => always || presence.look(), check };
}

/** Finds out who calls; the answer when nobody may call so. A key in the header comes before a cookie. */
async function authenticate(
  request: FastifyRequest,
  reply: FastifyReply,
  keys: KeyStore,
  check: KeyCheck,
): Promise<FastifyReply | null> {
  const text = bearer(request);
  const token = text === null ? sessionToken(request) : null;
  if (token !== null) {
    request.apiKey = await findSession(keys, token);
    if (request.apiKey === null) return refuseKey(reply, "The session is over; log in again.");
    // A browser sends the cookie whatever page asks: changes must come from a page of our own.
    const foreign = foreignPage(request);
    return foreign === null ? null : refuse(reply, foreign);
  }
  if (text === null) return refuseKey(reply, "The call has no API key.");
  const found = await check(text, request.ip);
  if (found.kind === "blocked") return refuseForNow(reply, found.waitMs);
  if (found.kind === "unknown") return refuseKey(reply, "The API key is unknown or revoked.");
  request.apiKey = found.key;
  return null;
}

function bearer(request: FastifyRequest): string | null {
  const [, text] = /^Bearer +([\x21-\x7e]{1,500})$/i.exec(request.headers.authorization ?? "") ?? [];
  return text ?? null;
}

/** Who called, for audit rows (S-22); without keys every caller is the machine's own. */
export function callerOf(request: FastifyRequest): Caller {
  return { actor: request.apiKey === null ? "local" : `key:${request.apiKey.name}`, remote: request.ip };
}
