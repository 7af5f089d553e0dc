import { operations } from "@agentflow/contract";
import type { SessionAnswer } from "@agentflow/contract";
import { beginSession, endSession, findSession } from "@agentflow/engine";
import type { ApiKey } from "@agentflow/engine";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ApiDeps } from "../deps.ts";
import { noSessionCookie, sessionCookie, sessionToken } from "../plugins/cookie.ts";
import { foreignPage } from "../plugins/guard.ts";
import { refuseForNow, refuseKey } from "../plugins/key-check.ts";
import type { KeyGuard } from "../plugins/keys.ts";
import { refuse } from "../problem.ts";
import { readJsonBody } from "../reading/json-body.ts";
import { addRoute, sendJson } from "./route.ts";

/** Logging in to the console with an API key, and out again (S-19). */
export function sessionRoutes(app: FastifyInstance, { keys }: ApiDeps, guard: KeyGuard): void {
  addRoute(app, operations.getSession, async (request, reply) => {
    const token = sessionToken(request);
    const key = token === null ? null : await findSession(keys, token);
    return sendJson(reply, 200, answerOf(await guard.needed(), key));
  });

  addRoute(app, operations.beginSession, async (request, reply) => {
    const foreign = foreignPage(request);
    if (foreign !== null) return refuse(reply, foreign);
    const body = readJsonBody(request, operations.beginSession.body);
    if (!body.ok) return refuse(reply, body.refusal);
    const found = await guard.check(body.value.value.key, request.ip);
    if (found.kind === "blocked") return refuseForNow(reply, found.waitMs);
    const token = found.kind === "key" ? await beginSession(keys, found.key, request.ip) : null;
    if (found.kind !== "key" || token === null) return refuseKey(reply, "The API key is unknown or revoked.");
    reply.header("set-cookie", sessionCookie(token, overTls(request)));
    return sendJson(reply, 200, answerOf(await guard.needed(), found.key));
  });

  addRoute(app, operations.endSession, async (request, reply) => {
    const foreign = foreignPage(request);
    if (foreign !== null) return refuse(reply, foreign);
    const token = sessionToken(request);
    if (token !== null) await endSession(keys, token);
    return reply
      .header("set-cookie", noSessionCookie(overTls(request)))
      .code(204)
      .send();
  });
}

/** TLS ends in front of this process; the page's own address tells. */
function overTls({ headers }: FastifyRequest): boolean {
  return headers.origin?.toLowerCase().startsWith("https://") === true;
}

function answerOf(required: boolean, key: ApiKey | null): string {
  const answer: SessionAnswer = {
    required,
    key: key === null ? null : { name: key.name, scope: key.scope },
  };
  return JSON.stringify(answer);
}
