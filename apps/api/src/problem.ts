import { PROBLEM_TYPE } from "@agentflow/contract";
import type { Problem } from "@agentflow/contract";
import { ERRORS, excerpt } from "@agentflow/core";
import type { ErrorCode, Failure } from "@agentflow/core";
import type { FastifyReply } from "fastify";

/** Why a call is not carried out: a code of the registry, a sentence about this call, and what a program may want to read. */
export type Refusal = {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
};

export type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: Refusal };

/** A refusal as the result of reading a request. */
export function refused(
  code: ErrorCode,
  message: string,
  details?: Readonly<Record<string, unknown>>,
): { readonly ok: false; readonly refusal: Refusal } {
  return { ok: false, refusal: details === undefined ? { code, message } : { code, message, details } };
}

/** Answers with `application/problem+json` (RFC 9457) and the code's HTTP status. */
export function refuse(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const problem = problemOf(refusal, reply.request.id);
  return reply.code(problem.status).type(PROBLEM_TYPE).send(JSON.stringify(problem));
}

/** The problem of a refusal; `requestId` is a UUID. */
export function problemOf({ code, message, details = {} }: Refusal, requestId: string): Problem {
  const { httpStatus: status, text: title, advice } = ERRORS[code];
  const docs = `/docs/errors#${code}`;
  return {
    type: docs,
    title,
    status,
    detail: message,
    code,
    advice,
    details,
    docs,
    instance: `urn:uuid:${requestId}`,
  };
}

/** What failures of a checked request amount to: the first one's code, and all of them in the details. */
export function refusalOf(failures: readonly Failure[]): Refusal {
  const [first] = failures;
  if (first === undefined) throw new Error("a refusal needs a failure");
  const more = failures.length > 1 ? ` (and ${failures.length - 1} more, see details.failures)` : "";
  return { code: first.code, message: first.message + more, details: { ...first.details, failures } };
}

/** Something the caller wrote, fit for a message. */
export function shown(text: string): string {
  return excerpt(text, 80);
}
