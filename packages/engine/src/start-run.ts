import { canonical, checkInputs, checkLimits, objectText } from "@agentflow/core";
import type { Failure } from "@agentflow/core";
import type { RequestDeps } from "./request-deps.ts";
import type { FlowVersion, NewRun } from "./ports/requests.ts";

/** Run inputs: `provide.*` node id → exact JSON text of the value. */
export type RunInputs = ReadonlyMap<string, string>;

export type StartRunRequest = {
  readonly flow: string;
  /** Null starts the newest version. */
  readonly version: number | null;
  readonly inputs: RunInputs;
  readonly tags: readonly string[];
  readonly priority: number | null;
  readonly concurrencyKey?: string | null;
  readonly idempotencyKey: string | null;
};

export type StartRunResult =
  | { readonly kind: "created" | "existing"; readonly runId: string }
  /** The same Idempotency-Key came with another request. */
  | { readonly kind: "conflict"; readonly runId: string }
  | { readonly kind: "not_found" }
  /** Unknown or unusable inputs, or a configuration that could not begin: nothing was stored (L-10). */
  | { readonly kind: "invalid"; readonly failures: readonly Failure[] };

/** What starting a run takes. */
export type StartDeps = Pick<RequestDeps, "store" | "relay" | "registry" | "caps" | "sha256" | "newId">;

/** Stores a run and wakes a worker; with the queue away the sweep starts it later (S-17). */
export async function startRun(deps: StartDeps, request: StartRunRequest): Promise<StartRunResult> {
  const version = await deps.store.flowVersion(request.flow, request.version);
  if (!version) return { kind: "not_found" };
  const { inputs, tags, priority, concurrencyKey, idempotencyKey } = request;
  const requestDigest = digestOf(deps, request);
  return startVersion(deps, version, {
    inputs,
    tags,
    priority,
    concurrencyKey: concurrencyKey ?? null,
    idempotencyKey,
    requestDigest,
    rerunOf: null,
  });
}

/** Stores a run of this version, unless its inputs or settings keep it from running, and wakes a worker. */
export async function startVersion(
  deps: StartDeps,
  version: FlowVersion,
  run: Omit<StartRunRequest, "flow" | "version"> & Pick<NewRun, "requestDigest" | "rerunOf">,
): Promise<Exclude<StartRunResult, { kind: "not_found" }>> {
  const failures = problemsOf(deps, version, run.inputs);
  if (failures.length > 0) return { kind: "invalid", failures };
  const id = deps.newId();
  const outcome = await deps.store.startRun({
    ...run,
    id,
    flowVersionId: version.id,
    flow: version.flow,
    version: version.version,
    inputs: objectText(run.inputs),
    events: [],
  });
  if (outcome.kind !== "created") return outcome;
  deps.relay.wake(outcome.wake);
  return { kind: "created", runId: id };
}

/** What keeps a version from running with these inputs: shown at the call, before anything is stored (L-7, L-9, L-10). */
export function problemsOf(
  deps: Pick<RequestDeps, "registry" | "caps">,
  version: FlowVersion,
  inputs: RunInputs,
): readonly Failure[] {
  const wrong = checkInputs(version.ir, deps.registry, inputs);
  return wrong.length > 0 ? wrong : checkLimits(version.ir, deps.registry, inputs, deps.caps);
}

/** Equal requests have equal digests whatever the order and spelling of their JSON. */
function digestOf(deps: Pick<RequestDeps, "sha256">, request: StartRunRequest): string {
  const { flow, version, tags, priority, concurrencyKey } = request;
  const key = concurrencyKey == null ? {} : { concurrencyKey };
  return deps.sha256(
    `${JSON.stringify({ flow, version, tags, priority, ...key })}\n${canonical(objectText(request.inputs))}`,
  );
}
