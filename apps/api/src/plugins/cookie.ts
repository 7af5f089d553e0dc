import { SESSION_MS } from "@agentflow/engine";
import type { FastifyRequest } from "fastify";

const NAME = "agentflow_session";
const TOKEN = /^[\w-]{43}$/;

/** The session's token that the browser sent; null without a well-formed one. */
export function sessionToken({ headers }: FastifyRequest): string | null {
  for (const pair of (headers.cookie ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at < 0 || pair.slice(0, at).trim() !== NAME) continue;
    const value = pair.slice(at + 1).trim();
    return TOKEN.test(value) ? value : null;
  }
  return null;
}

/** `Set-Cookie` for a session: no script reads it, no other site sends it, and over TLS it never leaves TLS (S-19). */
export function sessionCookie(token: string, secure: boolean): string {
  return cookie(token, Math.floor(SESSION_MS / 1000), secure);
}

/** `Set-Cookie` that takes the session from the browser. */
export function noSessionCookie(secure: boolean): string {
  return cookie("", 0, secure);
}

function cookie(value: string, maxAgeSeconds: number, secure: boolean): string {
  const parts = [`${NAME}=${value}`, "Path=/", "HttpOnly", "SameSite=Strict", `Max-Age=${maxAgeSeconds}`];
  return [...parts, ...(secure ? ["Secure"] : [])].join("; ");
}
