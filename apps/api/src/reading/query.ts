import { idempotencyKey } from "@agentflow/contract";
import { loopKey } from "@agentflow/core";
import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import { refused } from "../problem.ts";
import type { Read } from "../problem.ts";
import { issuesRefusal } from "./issues.ts";

/** The query by its schema; unknown and repeated parameters are refused. */
export function readQuery<Schema extends z.ZodType>(
  request: FastifyRequest,
  schema: Schema,
): Read<z.output<Schema>> {
  const checked = schema.safeParse(request.query);
  if (checked.success) return { ok: true, value: checked.data };
  return { ok: false, refusal: issuesRefusal("query", checked.error) };
}

/** The `Idempotency-Key` header; null when there is none. */
export function readIdempotencyKey(request: FastifyRequest): Read<string | null> {
  const given = request.headers["idempotency-key"];
  if (given === undefined) return { ok: true, value: null };
  const checked = idempotencyKey.safeParse(given);
  if (checked.success) return { ok: true, value: checked.data };
  return refused("request_invalid", "The header Idempotency-Key must be 1 to 255 visible ASCII characters.");
}

/** The stored path of the loop a `?loop=` means: a path as it was shown, or the node id of a loop of the parent graph. */
export function loopPath(given: string | undefined): string | null {
  if (given === undefined) return null;
  return given.startsWith("[") ? given : loopKey({ frame: [], node: given });
}

/** A cursor that no page of the list gave. */
export const INVALID_CURSOR = {
  code: "request_invalid",
  message: "The cursor is not a nextCursor of this list with these filters.",
} as const;
