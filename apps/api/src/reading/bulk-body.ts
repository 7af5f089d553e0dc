import { bulkBody } from "@agentflow/contract";
import type { StartBulkRequest } from "@agentflow/engine";
import type { FastifyRequest } from "fastify";
import type { Read } from "../problem.ts";
import { checkValue, readJsonBody } from "./json-body.ts";
import { readIdempotencyKey } from "./query.ts";
import { readInputs } from "./run-body.ts";

/** Runs dealt with in a second unless the call says otherwise. */
const PACE = 20;

export type BulkCall = Omit<StartBulkRequest, "caller"> & { readonly preview: boolean };

/** `POST /v1/bulk`; payload and inputs are exact JSON texts, each within 1 MiB. */
export function readBulk(request: FastifyRequest): Read<BulkCall> {
  const idempotencyKey = readIdempotencyKey(request);
  if (!idempotencyKey.ok) return idempotencyKey;
  const body = readJsonBody(request, { schema: bulkBody, optional: false });
  if (!body.ok) return body;
  const { value, texts } = body.value;
  const inputs = readInputs(texts);
  if (!inputs.ok) return inputs;
  const given = texts.get("payload");
  const payload = given === undefined ? null : checkValue("$.payload", given);
  if (payload?.ok === false) return payload;
  const {
    action,
    ids,
    filter = {},
    buffer = false,
    version = null,
    perSecond = PACE,
    preview = false,
  } = value;
  const set = Object.entries(filter).filter(([, one]) => one !== undefined);
  return {
    ok: true,
    value: {
      target:
        ids === undefined
          ? { kind: "filter", filter: Object.fromEntries(set) }
          : { kind: "ids", ids: ids.map((id) => id.toLowerCase()) },
      payload: payload?.value ?? null,
      inputs: inputs.value === null ? null : (texts.get("inputs") ?? null),
      idempotencyKey: idempotencyKey.value,
      ...{ action, buffer, version, perSecond, preview },
    },
  };
}
