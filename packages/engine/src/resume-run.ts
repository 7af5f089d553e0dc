import { canonical, members, objectText } from "@agentflow/core";
import type { Failure } from "@agentflow/core";
import type { Caller, FlowVersion, ResumeOutcome, RunHead, WithdrawOutcome } from "./ports/requests.ts";
import type { RequestDeps } from "./request-deps.ts";
import { problemsOf } from "./start-run.ts";
import type { RunInputs } from "./start-run.ts";

export type ResumeRunRequest = {
  readonly runId: string;
  /** Exact JSON text, at most 1 MiB (L-40). */
  readonly payload: string | null;
  /** Replace the run's inputs one by one; null keeps them. */
  readonly inputs: RunInputs | null;
  readonly version: number | null;
  readonly nextIteration: number | null;
  /** Keep a resume that comes before the wait, for the wait. */
  readonly buffer?: boolean;
  /** Resume at this time, unless somebody does so before; ISO 8601. */
  readonly until?: string | null;
  readonly idempotencyKey: string | null;
  readonly caller: Caller;
};

export type ResumeRunResult =
  | ResumeOutcome
  /** New inputs or version that could not run: the run is still waiting (L-10). */
  | { readonly kind: "invalid"; readonly failures: readonly Failure[] }
  | { readonly kind: "version_not_found" };

/**
 * Carries a waiting run on (L-39 to L-41), or keeps the resume for a wait or a time to come. Of many simultaneous calls exactly
 * one resumes, and exactly one is kept (P-19).
 */
export async function resumeRun(deps: RequestDeps, request: ResumeRunRequest): Promise<ResumeRunResult> {
  const head = await deps.store.runHead(request.runId);
  if (!head) return { kind: "not_found" };
  const inputs = request.inputs === null ? null : new Map([...members(head.inputs), ...request.inputs]);
  const target = await targetVersion(deps, request, head);
  if (target === "missing") return { kind: "version_not_found" };
  const mayCount = head.status === "waiting" || (request.buffer === true && isLive(head));
  if (mayCount && (inputs !== null || target !== null)) {
    const failures = await problems(deps, head, target, inputs);
    if (failures.length > 0) return { kind: "invalid", failures };
  }
  const outcome = await deps.store.resumeRun({
    id: deps.newId(),
    runId: request.runId,
    payload: request.payload,
    inputs: inputs === null ? null : objectText(inputs),
    flowVersion: target === null ? null : { id: target.id, version: target.version },
    nextIteration: request.nextIteration,
    idempotencyKey: request.idempotencyKey,
    requestDigest: digestOf(deps, request),
    caller: request.caller,
    keep: { buffer: request.buffer ?? false, until: request.until ?? null },
  });
  if (outcome.kind === "resumed") deps.relay.wake(outcome.wake);
  return outcome;
}

/** Takes back the resume that is kept for a run, whether for its next wait or for a time. */
export async function withdrawResume(
  deps: Pick<RequestDeps, "store">,
  request: { readonly runId: string; readonly caller: Caller },
): Promise<WithdrawOutcome> {
  return deps.store.withdrawResume(request.runId, request.caller);
}

function isLive({ status }: RunHead): boolean {
  return status === "queued" || status === "running";
}

async function targetVersion(
  deps: RequestDeps,
  request: ResumeRunRequest,
  head: RunHead,
): Promise<FlowVersion | null | "missing"> {
  if (request.version === null || request.version === head.version) return null;
  return (await deps.store.flowVersion(head.flow, request.version)) ?? "missing";
}

async function problems(
  deps: RequestDeps,
  head: RunHead,
  target: FlowVersion | null,
  inputs: RunInputs | null,
): Promise<readonly Failure[]> {
  const version = target ?? (await deps.store.flowVersionById(head.flowVersionId));
  if (!version) throw new Error(`no flow version ${head.flowVersionId}`);
  return problemsOf(deps, version, inputs ?? members(head.inputs));
}

function digestOf(deps: Pick<RequestDeps, "sha256">, request: ResumeRunRequest): string {
  const { version, nextIteration, payload, inputs, buffer, until } = request;
  const parts = [
    JSON.stringify({
      version,
      nextIteration,
      ...(buffer === true && { buffer }),
      ...(until != null && { until }),
    }),
    payload === null ? "" : canonical(payload),
    inputs === null ? "" : canonical(objectText(inputs)),
  ];
  return deps.sha256(parts.join("\n"));
}
