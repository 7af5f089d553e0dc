import type { ErrorCode } from "@agentflow/core";
import { z } from "zod";
import { flowName, runId, versionNumber } from "./values.ts";

/** What a call may carry in its path, and how each parameter is written. */
export const pathParameters = {
  name: flowName,
  n: versionNumber,
  id: runId,
  bulk: z.uuid(),
  schedule: z.uuid(),
  webhook: z.uuid(),
  delivery: z.uuid(),
};
export type PathParameter = keyof typeof pathParameters;

/** What a key may do: `admin` includes `run`, which includes `read` (S-19). */
export type Scope = "read" | "run" | "admin";

export type OperationAnswer = readonly [
  description: string,
  schema: z.ZodType | null,
  mediaTypes?: readonly string[],
];

/** One call of the API. `path` names its parameters in braces; `problems` are codes beyond those any call can get. */
export type Operation = {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly group: "Flows" | "Runs" | "Service";
  readonly summary: string;
  /** What an API key must be good for (S-19); null for calls that need none. */
  readonly scope: Scope | null;
  readonly parameters?: readonly PathParameter[];
  readonly query?: z.ZodObject;
  readonly idempotencyKey?: boolean;
  /** The call needs an `If-Match` header. */
  readonly ifMatch?: boolean;
  /** `optional`: no body and `{}` are the same. */
  readonly body?: { readonly schema: z.ZodType; readonly optional: boolean };
  /** By HTTP status; without a schema the answer has no body, without media types it is JSON. */
  readonly answers: Readonly<Record<number, OperationAnswer>>;
  readonly problems: readonly ErrorCode[];
};

const JSON_POLICY = ["state_too_large", "state_too_deep", "number_not_exact", "duplicate_key"] as const;

/** Codes of every call that takes values in its body. */
export const BODY = ["request_invalid", "body_too_large", "content_type_invalid", ...JSON_POLICY] as const;

/** Codes of calls that take no body, or `{}` (S-15). */
export const NO_BODY = ["request_invalid", "body_too_large", "content_type_invalid"] as const;
