import { canonical, members, objectText } from "@agentflow/core";
import type { RunHead } from "./ports/requests.ts";
import type { RequestDeps } from "./request-deps.ts";
import { startVersion } from "./start-run.ts";
import type { RunInputs, StartRunResult } from "./start-run.ts";

export type RerunRequest = {
  readonly runId: string;
  /** Replace the run's inputs one by one; null takes them all over. */
  readonly inputs: RunInputs | null;
  /** Null takes the version of the run. */
  readonly version: number | null;
  readonly idempotencyKey: string | null;
};

export type RerunResult =
  | Exclude<StartRunResult, { kind: "not_found" }>
  | { readonly kind: "run_not_found" }
  /** The flow is archived, or has no such version. */
  | { readonly kind: "version_not_found"; readonly flow: string; readonly version: number };

/** Starts a new run with the version, inputs, tags and priority of another one, linked to it; its counters begin at zero (P-12). */
export async function rerunRun(deps: RequestDeps, request: RerunRequest): Promise<RerunResult> {
  const head = await deps.store.runHead(request.runId);
  if (!head) return { kind: "run_not_found" };
  const number = request.version ?? head.version;
  const version = await deps.store.flowVersion(head.flow, number);
  if (!version) return { kind: "version_not_found", flow: head.flow, version: number };
  const inputs = new Map([...members(head.inputs), ...(request.inputs ?? [])]);
  const { tags, priority, concurrencyKey } = head;
  return startVersion(deps, version, {
    ...{ inputs, tags, priority, concurrencyKey, idempotencyKey: request.idempotencyKey, rerunOf: head.id },
    requestDigest: digestOf(deps, head, request),
  });
}

function digestOf(deps: Pick<RequestDeps, "sha256">, head: RunHead, request: RerunRequest): string {
  const { version, inputs } = request;
  const given = inputs === null ? "" : canonical(objectText(inputs));
  return deps.sha256(`${JSON.stringify({ rerunOf: head.id, version })}\n${given}`);
}
