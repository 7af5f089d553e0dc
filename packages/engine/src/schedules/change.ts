import { objectText } from "@agentflow/core";
import type { Failure } from "@agentflow/core";
import type { Caller } from "../ports/requests.ts";
import type { NextTick, SchedulePlan, ScheduleStore } from "../ports/schedules.ts";
import type { RequestDeps } from "../request-deps.ts";
import { problemsOf } from "../start-run.ts";
import type { RunInputs } from "../start-run.ts";
import { cronProblem, dueOf, ticksAfter } from "./ticks.ts";

export type ScheduleDeps = Pick<RequestDeps, "store" | "registry" | "caps" | "sha256" | "newId"> & {
  readonly schedules: ScheduleStore;
};

export type ScheduleRequest = Omit<SchedulePlan, "inputs"> & { readonly inputs: RunInputs };

/** Why a plan is refused; nothing was stored. */
export type ScheduleRefusal =
  | { readonly kind: "flow_not_found" }
  | { readonly kind: "invalid"; readonly failures: readonly Failure[] }
  | { readonly kind: "unusable"; readonly message: string };

export type SaveScheduleResult = ScheduleRefusal | { readonly kind: "saved"; readonly id: string };

/** Stores a schedule whose flow could start now with its inputs; its first tick is the next one from now on. */
export async function createSchedule(
  deps: ScheduleDeps,
  request: ScheduleRequest,
  caller: Caller,
): Promise<SaveScheduleResult> {
  const refusal = await refusalOf(deps, request);
  if (refusal !== null) return refusal;
  const id = deps.newId();
  await deps.schedules.create(await storedPlan(deps, id, request), caller);
  return { kind: "saved", id };
}

/** Replaces everything a schedule says. Ticks that passed before are not made up for. */
export async function replaceSchedule(
  deps: ScheduleDeps,
  id: string,
  request: ScheduleRequest,
  caller: Caller,
): Promise<SaveScheduleResult | { readonly kind: "not_found" }> {
  const refusal = await refusalOf(deps, request);
  if (refusal !== null) return refusal;
  const there = await deps.schedules.replace(await storedPlan(deps, id, request), caller);
  return there ? { kind: "saved", id } : { kind: "not_found" };
}

/** Pauses a schedule or lets it go on; what it would have done meanwhile is not made up for. False when there is none. */
export async function pauseSchedule(
  deps: Pick<ScheduleDeps, "schedules" | "sha256">,
  request: { readonly id: string; readonly paused: boolean; readonly caller: Caller },
): Promise<boolean> {
  const { id, paused, caller } = request;
  const found = await deps.schedules.get(id);
  if (found === null) return false;
  // What is paused or goes on already keeps its next tick.
  if (found.paused === paused) return true;
  const next = paused ? null : await nextTickOf(deps, id, found);
  return deps.schedules.setPaused(id, paused, next, caller);
}

async function refusalOf(deps: ScheduleDeps, request: ScheduleRequest): Promise<ScheduleRefusal | null> {
  const message = cronProblem(request);
  if (message !== null) return { kind: "unusable", message };
  const version = await deps.store.flowVersion(request.flow, request.version);
  if (version === null) return { kind: "flow_not_found" };
  const failures = problemsOf(deps, version, request.inputs);
  return failures.length > 0 ? { kind: "invalid", failures } : null;
}

async function storedPlan(deps: ScheduleDeps, id: string, request: ScheduleRequest) {
  const next = request.paused ? null : await nextTickOf(deps, id, request);
  return { ...request, inputs: objectText(request.inputs), id, next };
}

async function nextTickOf(
  { schedules, sha256 }: Pick<ScheduleDeps, "schedules" | "sha256">,
  id: string,
  plan: Pick<SchedulePlan, "cron" | "timeZone" | "jitterMs">,
): Promise<NextTick | null> {
  const [tickMs] = ticksAfter(plan, await schedules.nowMs(), 1);
  return tickMs === undefined ? null : dueOf(sha256, id, tickMs, plan.jitterMs);
}
