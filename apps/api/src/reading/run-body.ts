import { forkRunBody, rerunRunBody, resumeRunBody, startRunBody } from "@agentflow/contract";
import { members } from "@agentflow/core";
import type {
  ForkRunRequest,
  RerunRequest,
  ResumeRunRequest,
  RunInputs,
  StartRunRequest,
} from "@agentflow/engine";
import type { FastifyRequest } from "fastify";
import { stepOf } from "./issues.ts";
import { refused } from "../problem.ts";
import type { Read } from "../problem.ts";
import { checkValue, readJsonBody } from "./json-body.ts";
import { loopPath, readIdempotencyKey } from "./query.ts";

/** `POST /v1/runs`; inputs are exact JSON texts, each within 1 MiB. */
export function readStartRun(request: FastifyRequest): Read<StartRunRequest> {
  const idempotencyKey = readIdempotencyKey(request);
  if (!idempotencyKey.ok) return idempotencyKey;
  const body = readJsonBody(request, { schema: startRunBody, optional: false });
  if (!body.ok) return body;
  const { value, texts } = body.value;
  const inputs = readInputs(texts);
  if (!inputs.ok) return inputs;
  return {
    ok: true,
    value: {
      flow: value.flow,
      version: value.version ?? null,
      inputs: inputs.value ?? new Map(),
      tags: value.tags ?? [],
      priority: value.priority ?? null,
      concurrencyKey: value.concurrencyKey ?? null,
      idempotencyKey: idempotencyKey.value,
    },
  };
}

type ResumeBody = Omit<ResumeRunRequest, "runId" | "caller">;

const NOT_ALONE = refused(
  "request_invalid",
  "`until: null` takes back the resume that is kept; nothing else may stand beside it.",
);

/** `POST /v1/runs/{id}/resume`; a payload of `null` is a payload, one left out is none (L-40). */
export function readResumeRun(request: FastifyRequest): Read<ResumeBody | "withdraw"> {
  const idempotencyKey = readIdempotencyKey(request);
  if (!idempotencyKey.ok) return idempotencyKey;
  const body = readJsonBody(request, { schema: resumeRunBody, optional: true });
  if (!body.ok) return body;
  const { value, texts } = body.value;
  if (value.until === null) return texts.size === 1 ? { ok: true, value: "withdraw" } : NOT_ALONE;
  const inputs = readInputs(texts);
  if (!inputs.ok) return inputs;
  const given = texts.get("payload");
  const payload = given === undefined ? null : checkValue("$.payload", given);
  if (payload?.ok === false) return payload;
  return {
    ok: true,
    value: {
      payload: payload?.value ?? null,
      inputs: inputs.value,
      version: value.version ?? null,
      nextIteration: value.nextIteration ?? null,
      buffer: value.buffer ?? false,
      until: value.until ?? null,
      idempotencyKey: idempotencyKey.value,
    },
  };
}

/** `POST /v1/runs/{id}/rerun`. */
export function readRerun(request: FastifyRequest): Read<Omit<RerunRequest, "runId">> {
  const idempotencyKey = readIdempotencyKey(request);
  if (!idempotencyKey.ok) return idempotencyKey;
  const body = readJsonBody(request, { schema: rerunRunBody, optional: true });
  if (!body.ok) return body;
  const { value, texts } = body.value;
  const inputs = readInputs(texts);
  if (!inputs.ok) return inputs;
  const { version = null } = value;
  return { ok: true, value: { inputs: inputs.value, version, idempotencyKey: idempotencyKey.value } };
}

/** `POST /v1/runs/{id}/fork`; the patch is exact JSON text, within 1 MiB. */
export function readFork(request: FastifyRequest): Read<Omit<ForkRunRequest, "runId" | "caller">> {
  const idempotencyKey = readIdempotencyKey(request);
  if (!idempotencyKey.ok) return idempotencyKey;
  const body = readJsonBody(request, { schema: forkRunBody, optional: false });
  if (!body.ok) return body;
  const { value, texts } = body.value;
  const inputs = readInputs(texts);
  if (!inputs.ok) return inputs;
  const given = texts.get("statePatch");
  const statePatch = given === undefined ? null : checkValue("$.statePatch", given);
  if (statePatch?.ok === false) return statePatch;
  const { iteration, loop, version = null, limits = {} } = value;
  const limit = (one: string | number | undefined) => (one === undefined ? null : String(one));
  return {
    ok: true,
    value: {
      ...{ iteration, loop: loopPath(loop), version, inputs: inputs.value },
      statePatch: statePatch?.value ?? null,
      limits: { maxIterations: limit(limits.maxIterations), timeout: limit(limits.timeout) },
      idempotencyKey: idempotencyKey.value,
    },
  };
}

/** The field `inputs` as exact JSON texts by node id; null when it is left out. */
export function readInputs(texts: ReadonlyMap<string, string>): Read<RunInputs | null> {
  const given = texts.get("inputs");
  if (given === undefined) return { ok: true, value: null };
  const inputs = members(given);
  for (const [node, text] of inputs) {
    const checked = checkValue(`$.inputs${stepOf(node)}`, text);
    if (!checked.ok) return checked;
  }
  return { ok: true, value: inputs };
}
