import { StoreUnavailable, ValueRefused } from "@agentflow/engine";
import type { FastifyBaseLogger, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { problemOf, refuse, shown } from "../problem.ts";
import type { Refusal } from "../problem.ts";
import { BodyTooLarge } from "./body.ts";
import { allowedMethods } from "./methods.ts";

/** Every error path answers with a problem (3.4): thrown errors, unknown addresses, wrong methods. */
export function answerErrors(app: FastifyInstance): void {
  const allowed = allowedMethods(app);
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const refusal = refusalOfError(error, request.log);
    if (refusal.code === "unavailable") reply.header("retry-after", "1");
    return refuse(reply, refusal);
  });
  app.setNotFoundHandler((request, reply) => {
    const [path = ""] = request.url.split("?");
    const methods = allowed(path);
    const call = `${request.method} ${shown(path)}`;
    if (methods.length === 0)
      return refuse(reply, { code: "not_found", message: `There is nothing at ${call}.` });
    reply.header("allow", methods.join(", "));
    return refuse(reply, {
      code: "method_not_allowed",
      message: `${call} is not allowed; it takes ${methods.join(", ")}.`,
      details: { allow: methods },
    });
  });
}

/** Says nothing of our inside: what was not expected goes to the log, under the request's id. */
function refusalOfError(error: FastifyError, log: FastifyBaseLogger): Refusal {
  if (error instanceof StoreUnavailable) {
    log.warn({ err: error }, "database out of reach");
    return { code: "unavailable", message: "The database is out of reach; nothing was saved." };
  }
  if (error instanceof ValueRefused)
    return { code: "request_invalid", message: "The request holds a value that the database cannot store." };
  if (error instanceof BodyTooLarge) {
    const { limitBytes: limit } = error;
    return {
      code: "body_too_large",
      message: `The body is larger than the ${limit} bytes this call takes.`,
      details: { limit },
    };
  }
  // The caller is gone; nobody reads this answer.
  if (error.code === "ECONNRESET") return { code: "request_invalid", message: "The body ended too early." };
  const status = error.statusCode ?? 500;
  if (status === 415)
    return { code: "content_type_invalid", message: "The content type is not a media type." };
  if (status >= 400 && status < 500) return { code: "request_invalid", message: `${error.message}.` };
  log.error({ err: error }, "request failed");
  return {
    code: "internal",
    message: "Something unexpected happened; the log of the API holds the details.",
  };
}

/** Answers an address the router cannot read: no route and none of its hooks is involved. */
export function answerBrokenAddress(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const address = shown(request.url);
  reply.header("content-security-policy", "default-src 'none'").header("x-content-type-options", "nosniff");
  const refusal: Refusal =
    error.code === "FST_ERR_MAX_PARAM_LENGTH"
      ? { code: "not_found", message: `There is nothing at ${address}.` }
      : { code: "request_invalid", message: `The address ${address} is not a valid URL.` };
  void refuse(reply, refusal);
}

const BROKEN: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "The headers are larger than 16 KiB.",
  ERR_HTTP_REQUEST_TIMEOUT: "The request came too slowly; the connection is closed.",
};

/** Answers what is no HTTP request at all; the connection is done for. */
export function answerBrokenRequest(error: { readonly code?: string }, newId: () => string): string {
  const message = BROKEN[error.code ?? ""] ?? "The request is not valid HTTP.";
  const body = JSON.stringify(problemOf({ code: "request_invalid", message }, newId()));
  return [
    "HTTP/1.1 400 Bad Request",
    "content-type: application/problem+json",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
    "",
    body,
  ].join("\r\n");
}
