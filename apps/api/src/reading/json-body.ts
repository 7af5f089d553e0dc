import { decodeUtf8Strict, INPUT_MAX_BYTES, jsonValue, members, scan } from "@agentflow/core";
import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import { refused } from "../problem.ts";
import type { Read } from "../problem.ts";
import { issuesRefusal } from "./issues.ts";

/** A request body that passed the JSON policy and its schema. */
export type JsonBody<T> = {
  readonly value: T;
  /** Top-level fields as exact JSON texts (L-46). */
  readonly texts: ReadonlyMap<string, string>;
};

const JSON_TYPE = /^\s*application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i;

/** Levels around an input's value: the body and `inputs`. */
const ENVELOPE = 2;

/**
 * Reads the body at the door: strict UTF-8, the JSON policy (L-45) with the JSON path in the message, then the schema.
 * `optional`: no body is `{}` (S-15). The content type counts only where there is a body.
 */
export function readJsonBody<Schema extends z.ZodType>(
  request: FastifyRequest,
  body: { readonly schema: Schema; readonly optional: boolean },
): Read<JsonBody<z.output<Schema>>> {
  const bytes = request.body instanceof Uint8Array ? request.body : new Uint8Array();
  if (bytes.length === 0 && !body.optional)
    return refused("request_invalid", "The body is empty; send a JSON object.");
  const type = request.headers["content-type"] ?? "";
  if (bytes.length > 0 && !JSON_TYPE.test(type))
    return refused(
      "content_type_invalid",
      `The content type is ${JSON.stringify(type)}; send application/json.`,
    );
  // Nothing is decompressed here, so a declared compression would be read as if it were not there.
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (bytes.length > 0 && encoding.trim().toLowerCase() !== "identity")
    return refused(
      "content_type_invalid",
      `The content encoding is ${JSON.stringify(encoding)}; send the JSON uncompressed.`,
    );
  const text = bytes.length === 0 ? "{}" : decodeUtf8Strict(bytes);
  if (text === null) return refused("request_invalid", "The body is not valid UTF-8.");
  return readText(text, body.schema);
}

function readText<Schema extends z.ZodType>(text: string, schema: Schema): Read<JsonBody<z.output<Schema>>> {
  const scanned = scan(text, { envelope: ENVELOPE });
  if (!scanned.ok) {
    const { code, message, path } = scanned.error;
    return refused(code === "json_syntax" ? "request_invalid" : code, message, { path });
  }
  if (scanned.kind !== "object")
    return refused("request_invalid", `The body is a JSON ${scanned.kind}; send a JSON object.`);
  const checked = schema.safeParse(jsonValue(scanned.text));
  if (!checked.success) return { ok: false, refusal: issuesRefusal("body", checked.error) };
  return { ok: true, value: { value: checked.data, texts: members(scanned.text) } };
}

/** Checks one value of the body by itself: 512 levels and 1 MiB of compact JSON count on it alone (L-45, S-15). */
export function checkValue(path: string, text: string): Read<string> {
  const scanned = scan(text, { maxBytes: INPUT_MAX_BYTES });
  if (scanned.ok) return { ok: true, value: scanned.text };
  const { code, message, path: within } = scanned.error;
  // The scanner's `$` is the value; only a size has no place in it.
  const placed = code === "state_too_large" ? `${path}: ${message}` : path + message.slice(1);
  return refused(code === "json_syntax" ? "request_invalid" : code, placed, { path: path + within.slice(1) });
}
