import { failure, inputSlotText, inputType, members } from "@agentflow/core";
import { JobBurst } from "./burst.ts";
import type { BurstDeps } from "./burst.ts";
import type { Lease, Leases, StopReason } from "./lease.ts";
import { runParentLoop } from "./parent-loop.ts";
import type { FlowPlan } from "./plan.ts";
import { StoreUnavailable, ValueRefused } from "./ports/store-errors.ts";
import type { Claim, StepScope } from "./ports/work.ts";
import { runGraph } from "./run-graph.ts";
import { loadJournal } from "./step-context.ts";
import type { EngineDeps, StepContext, Stop } from "./step-context.ts";

export type AdvanceDeps = EngineDeps &
  Pick<BurstDeps, "burst" | "crowded"> & {
    readonly plans: { load(flowVersionId: string): Promise<FlowPlan> };
    readonly leases: Leases;
    readonly worker: string;
    readonly leaseMs: number;
    readonly maxAttempts: number;
  };

/** What became of a job; for logs and metrics, nothing is decided by it. */
export type Advanced =
  | "committed"
  | "finished"
  | "failed"
  | "stale"
  | "held"
  | "limited"
  | "exhausted"
  | "handed_back"
  | "dropped";

const NO_INPUTS: ReadonlyMap<string, string> = new Map();
const PARENT_SCOPE: StepScope = { loop: "", epoch: 0, iteration: 0 };

type Job = { readonly runId: string; readonly token: number };

/**
 * One job: one iteration, and as many more of the same run as a burst allows, each claimed and committed as if a job of its
 * own had brought it. Resolves to what became of the last one.
 */
export async function advance(deps: AdvanceDeps, job: Job): Promise<Advanced> {
  const burst = new JobBurst(deps, job.runId);
  try {
    for (let next: Job = job; ;) {
      const outcome = await advanceOnce(deps, next, burst);
      const wake = burst.next();
      if (wake === null) return outcome;
      next = wake;
    }
  } finally {
    burst.release();
  }
}

/**
 * Claims the run, walks its parent graph from stored outputs to where it stands, does at most one iteration, and commits
 * (S-5 to S-7). Whatever happens, the run's row decides what comes next; a stale job changes nothing.
 */
async function advanceOnce(given: AdvanceDeps, job: Job, burst: JobBurst<AdvanceDeps>): Promise<Advanced> {
  let deps = given;
  const ahead = deps.recent.ahead(job.runId, job.token);
  if (ahead !== null && (await advanceUnclaimed(deps, ahead, burst))) return "committed";
  const claimed = await deps.store.claim(job, deps.worker, deps.leaseMs, deps.maxAttempts);
  if (claimed.kind !== "claimed") return claimed.kind;
  const { claim } = claimed;
  deps.observer?.claimed({ attempt: claim.attempt });
  const lease = deps.leases.hold(claim);
  try {
    const plan = await deps.plans.load(claim.flowVersionId);
    deps = burst.depsFor(plan);
    const end = await walk(deps, claim, lease, plan);
    const outcome = await settle(deps, claim, lease, end);
    noteEnd(deps, plan, end, outcome);
    return outcome;
  } catch (error) {
    await surrender(deps, claim, lease, error).catch(() => undefined);
    throw error;
  } finally {
    lease.release();
    if (claim.limited === true) await wakeBehind(deps, claim);
  }
}

/** Tells the observer of a run that this job ended (S-25). */
function noteEnd(
  { observer }: AdvanceDeps,
  { version: { flow } }: FlowPlan,
  end: Stop | { kind: "finished" },
  outcome: Advanced,
): void {
  if (outcome === "finished") observer?.ended({ flow, status: "succeeded", code: "" });
  if (outcome !== "failed" || end.kind !== "failed") return;
  const { code } = end.failure;
  observer?.ended({ flow, status: "failed", code });
  if (code === "checkpoint_corrupt") observer?.violated(code);
}

/** The end of a claim may have made room in a limit of its flow; without these wakes the sweep would do. */
async function wakeBehind({ store, relay }: AdvanceDeps, { runId }: Claim): Promise<void> {
  for (const wake of await store.wakesBehind(runId).catch(() => [])) relay.wake(wake);
}

/**
 * An iteration that touches nothing outside needs no claim before it: whoever else is at it does no harm, and its commit
 * takes the claim and gives it back in one guarded statement (S-6, S-7). Only the worker that made the last commit does
 * this, so an iteration that kills its worker is claimed, and counted, when it comes again (L-51). Anything but a commit
 * leaves the run to the ordinary way. True when committed.
 */
async function advanceUnclaimed(
  deps: AdvanceDeps,
  claim: Claim,
  burst: JobBurst<AdvanceDeps>,
): Promise<boolean> {
  const lease = deps.leases.unheld(claim);
  try {
    const plan = await deps.plans.load(claim.flowVersionId);
    return (await walk(burst.depsFor(plan), claim, lease, plan)).kind === "committed";
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    return false;
  }
}

/** Gives up a claim after an error nobody expected. An outage uses up no attempt (L-51); a fault of our own does, so that it ends. */
async function surrender(deps: AdvanceDeps, claim: Claim, lease: Lease, error: unknown): Promise<void> {
  if (error instanceof ValueRefused) {
    const cause = failure("node_failed", `Postgres cannot store a value of this step: ${error.message}`);
    await settle(deps, claim, lease, { kind: "failed", failure: cause });
    return;
  }
  const outage = error instanceof StoreUnavailable;
  if (!outage) deps.observer?.violated("unexpected_error");
  await handBack(deps, claim, lease, { counted: !outage, delayMs: backoffMs(claim.attempt) });
}

async function walk(
  deps: AdvanceDeps,
  claim: Claim,
  lease: Lease,
  plan: FlowPlan,
): Promise<Stop | { kind: "finished" }> {
  const journal = plan.hasEffects(plan.parent)
    ? await loadJournal(deps.store, claim.runId, PARENT_SCOPE)
    : new Map();
  const context: StepContext = {
    deps,
    claim,
    plan,
    lease,
    scope: PARENT_SCOPE,
    journal,
    contents: new Map(),
    frame: [],
    deadline: null,
    turn: null,
    place: {},
  };
  if (claim.loop === null && claim.attempt === 1)
    lease.emit({ type: "run-started", flow: plan.version.flow, version: plan.version.version });
  const inputs = readInputs(claim, plan);
  return runGraph(
    context,
    plan.parent,
    (node) => inputs.get(node),
    (loop) => runParentLoop(context, loop),
  );
}

/** A run's inputs as slot text by node id. */
function readInputs(claim: Claim, plan: FlowPlan): ReadonlyMap<string, string> {
  const { ir } = plan.version;
  if (claim.inputs === "{}") return NO_INPUTS;
  return new Map(
    [...members(claim.inputs)].map(([id, value]) => {
      const slot = inputType(ir, plan.registry, id, "value") ?? "text";
      return [id, inputSlotText(slot, value)] as const;
    }),
  );
}

async function settle(
  deps: AdvanceDeps,
  claim: Claim,
  lease: Lease,
  end: Stop | { kind: "finished" },
): Promise<Advanced> {
  lease.ending();
  switch (end.kind) {
    case "committed":
      return "committed";
    case "stale":
      return "stale";
    case "finished": {
      lease.emit({ type: "run-succeeded" });
      const done = await deps.store.finishRun(claim, { status: "succeeded" }, await lease.takeEvents());
      return done.kind === "stored" ? "finished" : "stale";
    }
    case "failed": {
      lease.emit({
        type: "run-failed",
        node: end.failure.node,
        code: end.failure.code,
        message: end.failure.message,
      });
      const done = await deps.store.finishRun(
        claim,
        { status: "failed", failure: end.failure },
        await lease.takeEvents(),
      );
      return done.kind === "stored" ? "failed" : "stale";
    }
    case "infrastructure":
      return handBack(deps, claim, lease, { counted: true, delayMs: backoffMs(claim.attempt) });
    case "aborted": {
      const reason = lease.signal.reason as StopReason | undefined;
      return reason?.cause === "shutdown"
        ? handBack(deps, claim, lease, { counted: false, delayMs: 0 })
        : "dropped";
    }
    case "deadline":
      throw new Error(`a deadline of ${end.owner} reached the parent graph`);
  }
}

async function handBack(
  deps: AdvanceDeps,
  claim: Claim,
  lease: Lease,
  how: { counted: boolean; delayMs: number },
): Promise<Advanced> {
  const wake = await deps.store.handBack(claim, lease.activeMs(), how);
  if (wake === null) return "stale";
  deps.relay.wake(wake);
  return "handed_back";
}

/** Exponential back-off of infrastructure attempts: 1 s, 2 s, 4 s, at most 30 s (L-51). */
function backoffMs(attempt: number): number {
  return Math.min(30_000, 1000 * 2 ** (attempt - 1));
}
