import { ATTEMPT_ERRORS } from "./errors/attempt.ts";
import { FLOW_ERRORS } from "./errors/flow.ts";
import { LIMIT_ERRORS } from "./errors/limit.ts";
import { REQUEST_ERRORS } from "./errors/request.ts";
import { SERVICE_ERRORS } from "./errors/service.ts";
import { STALE_ERRORS } from "./errors/stale.ts";
import type { JsonValue } from "./json/value.ts";

/**
 * request: the caller's; flow: the author's, before any work; attempt: one iteration's work; limit: a loop or run ended by
 * its own rules; stale: someone else was first, nothing is wrong; service: ours or the infrastructure's.
 */
export type ErrorFamily = "request" | "flow" | "attempt" | "limit" | "stale" | "service";

/** `text` says what happened, `advice` what to do; `httpStatus` counts where the code answers a call. */
export interface ErrorEntry {
  readonly family: ErrorFamily;
  readonly httpStatus: number;
  readonly text: string;
  readonly advice: string;
}

type Described = Readonly<Record<string, readonly [httpStatus: number, text: string, advice: string]>>;

type Codes =
  | typeof REQUEST_ERRORS
  | typeof FLOW_ERRORS
  | typeof ATTEMPT_ERRORS
  | typeof LIMIT_ERRORS
  | typeof STALE_ERRORS
  | typeof SERVICE_ERRORS;

type KeysOf<T> = T extends unknown ? keyof T : never;

export type ErrorCode = KeysOf<Codes>;

/** Every error code there is (1.11). A code is never used again for something else. */
export const ERRORS: Readonly<Record<ErrorCode, ErrorEntry>> = {
  ...entries("request", REQUEST_ERRORS),
  ...entries("flow", FLOW_ERRORS),
  ...entries("attempt", ATTEMPT_ERRORS),
  ...entries("limit", LIMIT_ERRORS),
  ...entries("stale", STALE_ERRORS),
  ...entries("service", SERVICE_ERRORS),
};

/** Why a run, iteration or call failed: stored data, not an exception. Node and iteration are filled in by who knows. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly node: string | null;
  readonly iteration: number | null;
  readonly details?: Readonly<Record<string, JsonValue>>;
}

/** A failure not yet placed at a node or iteration. */
export function failure(
  code: ErrorCode,
  message: string,
  details?: Readonly<Record<string, JsonValue>>,
): Failure {
  const placed = { code, message, node: null, iteration: null };
  return details === undefined ? placed : { ...placed, details };
}

/** Whether `text` is a code of the registry. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERRORS, text);
}

function entries<D extends Described>(family: ErrorFamily, described: D): Record<keyof D, ErrorEntry> {
  const made = Object.entries(described).map(([code, [httpStatus, text, advice]]) => [
    code,
    { family, httpStatus, text, advice },
  ]);
  return Object.fromEntries(made);
}
