import type { FastifyRequest } from "fastify";
import { shown } from "../problem.ts";
import type { Refusal } from "../problem.ts";

const PORT = /:\d{1,5}$/;
const LOOPBACK_NAMES = new Set(["localhost", "[::1]"]);
const LOOPBACK_V4 = /^127(\.(\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])){3}$/;

/** Whether an API without keys may listen on `host` (S-19). */
export function isLoopback(host: string): boolean {
  return host === "::1" || isLoopbackName(host);
}

/** As `Host` headers write it, without the port. */
function isLoopbackName(host: string): boolean {
  const name = host.toLowerCase();
  return LOOPBACK_NAMES.has(name) || LOOPBACK_V4.test(name);
}

/**
 * Why a call is none of this machine's own, which is all that may call without keys (S-19). A page of another site shows itself by
 * its `Origin`; a page whose name was rebound to 127.0.0.1 by its `Host`.
 */
export function loopbackRefusal(request: FastifyRequest): Refusal | null {
  const host = request.headers.host ?? "";
  const { origin } = request.headers;
  if (!isLoopbackName(host.replace(PORT, "")))
    return {
      code: "forbidden",
      message: `The Host ${shown(host)} is not this machine's own name; call http://127.0.0.1 or http://localhost.`,
    };
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`)
    return {
      code: "forbidden",
      message: `The Origin ${shown(origin)} is another site; only pages of this server may call it.`,
    };
  return null;
}

const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Why a change that comes with a cookie, or asks for one, is none of a page of this server (S-19): browsers name the page's
 * origin with every change, and no page can make it up.
 */
export function foreignPage({ method, headers }: FastifyRequest): Refusal | null {
  if (SAFE.has(method)) return null;
  const { host = "", origin } = headers;
  const own = origin?.toLowerCase().replace(/^https?:\/\//, "");
  if (own !== undefined && own === host.toLowerCase()) return null;
  return {
    code: "forbidden",
    message:
      origin === undefined
        ? "A session is for the pages of this server, and the call names no Origin; programs send their key as Authorization: Bearer."
        : `The Origin ${shown(origin)} is another site; only pages of this server may use a session.`,
  };
}
