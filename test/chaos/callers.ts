import { setTimeout as sleep } from "node:timers/promises";
import { ApiError, ServerUnreachable } from "@agentflow/contract";
import type { Client } from "@agentflow/contract";
import { stormFlows } from "./flows.ts";
import type { PlannedRun } from "./load.ts";
import type { Watcher } from "./watcher.ts";

const CROWD = 20;
const RETRY_MS = 250;
const LOOK_MS = 60;
const ENDED = new Set(["succeeded", "failed", "cancelled"]);

/** What a run's callers know of it. */
export type Told = {
  readonly plan: PlannedRun;
  runId: string | null;
  /** The answer to its cancel: done, or too late. */
  cancel: "done" | "late" | null;
  /** Payload of the resume that was accepted, by the iteration it was for. */
  readonly payloads: Map<number, string>;
  readonly violations: string[];
};

type Calling = { readonly client: Client; readonly watcher: Watcher; readonly signal: AbortSignal };

/** Lives through one planned run as its callers do; ends when there is nothing left to do, or when the storm gives up. */
export async function call(plan: PlannedRun, calling: Calling): Promise<Told> {
  const told: Told = { plan, runId: null, cancel: null, payloads: new Map(), violations: [] };
  try {
    await start(told, calling);
    const acts = plan.cancelled ? [cancelAtTheEnd] : [];
    await Promise.all([resumeAll(told, calling), ...acts.map((act) => act(told, calling))]);
  } catch (error) {
    // Nothing was seen in time: the judge finds what stands still.
    if (!calling.signal.aborted) told.violations.push(`a call failed: ${String(error)}`);
  }
  return told;
}

async function start(told: Told, { client, signal }: Calling): Promise<void> {
  const { key, flow } = told.plan;
  const started = await insist(signal, () => client.startRun({ flow }, { idempotencyKey: key, signal }));
  if (started instanceof ApiError) told.violations.push(`its start was refused: ${started.message}`);
  else told.runId = started.run.id;
}

async function resumeAll(told: Told, calling: Calling): Promise<void> {
  const { plan } = told;
  for (const [index, waits] of stormFlows[plan.flow].waits.entries()) {
    const manner = plan.manners[index] ?? "late";
    const isNear = await reaches(told, calling, manner === "early" ? waits : waits + 1, manner !== "early");
    if (!isNear) return;
    await sleep(plan.hesitationMs);
    await resumeOnce(told, calling, waits + 1, manner);
  }
}

/** Waits until the run stands before the iteration (and is parked there); false when it is over. */
async function reaches(told: Told, calling: Calling, iteration: number, parked: boolean): Promise<boolean> {
  const { watcher, signal } = calling;
  for (;;) {
    const run = watcher.runs.get(told.runId ?? "");
    if (run !== undefined && ENDED.has(run.status)) return false;
    if (run !== undefined && run.nextIteration >= iteration && (!parked || run.status === "waiting"))
      return true;
    await sleep(LOOK_MS, undefined, { signal });
  }
}

/** Of any number of resumes for one wait exactly one is accepted (L-39), whatever dies meanwhile. */
async function resumeOnce(
  told: Told,
  calling: Calling,
  nextIteration: number,
  manner: string,
): Promise<void> {
  const { client, signal } = calling;
  const id = told.runId ?? "";
  const callers = Array.from(
    { length: manner === "crowd" ? CROWD : 1 },
    (_, index) => `${nextIteration}-${index}`,
  );
  const buffer = manner === "early";
  const answers = await Promise.all(
    callers.map(async (payload) => {
      const idempotencyKey = `${told.plan.key}-${payload}`;
      const given = { payload, nextIteration, ...(buffer ? { buffer } : {}) };
      const answer = await insist(signal, () => client.resumeRun(id, given, { idempotencyKey, signal }));
      return { payload, answer };
    }),
  );
  const accepted = answers.filter(({ answer }) => !(answer instanceof ApiError));
  const codes = answers.flatMap(({ answer }) => (answer instanceof ApiError ? [answer.code] : []));
  const wrong = codes.find((code) => code !== "resume_conflict");
  if (wrong !== undefined) told.violations.push(`a resume was refused with ${wrong}`);
  if (accepted.length === 1) told.payloads.set(nextIteration, accepted[0]?.payload ?? "");
  // A cancel may have come first, and then nobody wins.
  else if (accepted.length > 1 || !told.plan.cancelled)
    told.violations.push(`doubled: ${accepted.length} of ${callers.length} resumes were accepted`);
}

async function cancelAtTheEnd(told: Told, calling: Calling): Promise<void> {
  const { client, signal } = calling;
  const isNear = await reaches(told, calling, stormFlows[told.plan.flow].iterations, false);
  if (!isNear) return;
  await sleep(told.plan.hesitationMs / 4);
  const answer = await insist(signal, () => client.cancelRun(told.runId ?? "", { signal }));
  if (!(answer instanceof ApiError)) told.cancel = "done";
  else if (answer.code === "run_terminal") told.cancel = "late";
  else told.violations.push(`its cancel was refused with ${answer.code}`);
}

/** Calls until there is a definite answer: a result, or a refusal that is no outage's. */
async function insist<T>(signal: AbortSignal, attempt: () => Promise<T>): Promise<T | ApiError> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof ApiError && error.status < 500) return error;
      if (error instanceof ApiError && error.status !== 503) throw error;
      if (!(error instanceof ApiError) && !(error instanceof ServerUnreachable)) throw error;
    }
    await sleep(RETRY_MS, undefined, { signal });
  }
}
