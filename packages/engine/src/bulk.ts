import { canonical, members } from "@agentflow/core";
import { cancelRun } from "./cancel-run.ts";
import { BULK_MAX_RUNS } from "./ports/bulk.ts";
import type { BulkResult, BulkStep, BulkStore, CreateBulkOutcome, NewBulk } from "./ports/bulk.ts";
import { StoreUnavailable } from "./ports/store-errors.ts";
import type { RequestDeps } from "./request-deps.ts";
import { rerunRun } from "./rerun-run.ts";
import { resumeRun } from "./resume-run.ts";

/** What became of one run, before it is stored. */
type Outcome = Omit<BulkResult, "place">;

export type StartBulkRequest = Omit<NewBulk, "id" | "requestDigest">;
export type StartBulkResult = CreateBulkOutcome & { readonly id: string };

/** Accepts an action on many runs; they are fixed here, and dealt with one after the other by `runBulkStep`. */
export async function startBulk(
  deps: { readonly bulk: BulkStore; readonly newId: () => string; readonly sha256: (text: string) => string },
  request: StartBulkRequest,
): Promise<StartBulkResult> {
  const id = deps.newId();
  const { action, target, version, buffer, perSecond, payload, inputs } = request;
  const texts = [payload, inputs].map((text) => (text === null ? "" : canonical(text)));
  const asked = [JSON.stringify({ action, target, version, buffer, perSecond }), ...texts];
  return {
    id,
    ...(await deps.bulk.create({ ...request, id, requestDigest: deps.sha256(asked.join("\n")) })),
  };
}

/**
 * Deals with the next runs of some action that is due, each by the use case a single call would use, so that races end as they
 * do there. Returns the ms until that action's next step; null when nothing is due. A step that dies is repeated by whoever
 * comes next: the Idempotency-Keys of its calls keep anything from happening twice.
 */
export async function runBulkStep(
  deps: RequestDeps & { readonly bulk: BulkStore },
  leaseMs: number,
): Promise<number | null> {
  const step = await deps.bulk.take(deps.newId(), leaseMs);
  if (step === null) return null;
  const results: BulkResult[] = [];
  for (const { place, runId } of step.items) results.push({ place, ...(await outcomeOf(deps, step, runId)) });
  await deps.bulk.note(step, results);
  return step.paceMs;
}

/** A fault at one run is its outcome, so that it never holds up the others; an outage ends the step. */
async function outcomeOf(deps: RequestDeps, step: BulkStep, runId: string): Promise<Outcome> {
  try {
    return await actOn(deps, step, runId);
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    return refused("error", error instanceof Error ? error.message : String(error));
  }
}

function actOn(deps: RequestDeps, step: BulkStep, runId: string): Promise<Outcome> {
  switch (step.action) {
    case "resume":
      return resumeOne(deps, step, runId);
    case "cancel":
      return cancelOne(deps, step, runId);
    case "rerun":
      return rerunOne(deps, step, runId);
  }
}

async function resumeOne(deps: RequestDeps, step: BulkStep, runId: string): Promise<Outcome> {
  const { payload, version, buffer, caller } = step;
  const result = await resumeRun(deps, {
    ...{ runId, payload, inputs: inputsOf(step), version, nextIteration: null, buffer, caller },
    idempotencyKey: `bulk-${step.id}`,
  });
  switch (result.kind) {
    case "resumed":
    case "kept":
      return done(result.kind);
    // This very step, by somebody who died before it was noted.
    case "repeated":
      return done("resumed");
    case "not_waiting":
    case "kept_already":
    case "other_iteration":
      return refused(result.kind, `The run is ${result.status}.`);
    case "invalid":
      return refused("invalid", result.failures[0]?.message ?? "");
    case "version_not_found":
      return refused("version_not_found", "The run's flow has no such version.");
    case "key_conflict":
    case "not_found":
      return NOT_FOUND;
  }
}

async function cancelOne(deps: RequestDeps, { caller }: BulkStep, runId: string): Promise<Outcome> {
  const outcome = await cancelRun(deps, { runId, caller });
  if (outcome.kind === "not_found") return NOT_FOUND;
  return outcome.kind === "ended" ? refused("ended", `The run is ${outcome.status}.`) : done(outcome.kind);
}

async function rerunOne(deps: RequestDeps, step: BulkStep, runId: string): Promise<Outcome> {
  const { version } = step;
  const idempotencyKey = `bulk-${step.id}-${runId}`;
  const result = await rerunRun(deps, { runId, inputs: inputsOf(step), version, idempotencyKey });
  switch (result.kind) {
    case "created":
    case "existing":
      return { ...done("started"), startedId: result.runId };
    case "invalid":
      return refused("invalid", result.failures[0]?.message ?? "");
    case "version_not_found":
      return refused("version_not_found", `There is no version ${result.version} that runs can start with.`);
    case "conflict":
    case "run_not_found":
      return NOT_FOUND;
  }
}

const NOT_FOUND = refused("not_found", "There is no such run.");

function inputsOf({ inputs }: BulkStep): ReadonlyMap<string, string> | null {
  return inputs === null ? null : members(inputs);
}

function done(outcome: string): Outcome {
  return { outcome, message: null, startedId: null };
}

function refused(outcome: string, message: string): Outcome {
  return { outcome, message, startedId: null };
}

/** Why an action on so many runs is refused. */
export const TOO_MANY_RUNS = `The filter matches more than ${BULK_MAX_RUNS} runs; narrow it, for example by createdBefore.`;
