import {
  LOOP_TYPES,
  canonical,
  failure,
  loopSources,
  members,
  mergePatch,
  objectText,
  parentGraph,
  parseTimeout,
  plannedLoops,
  readMaxIterations,
  readState,
} from "@agentflow/core";
import type { Checkpoint, Failure, IrNode } from "@agentflow/core";
import type { Reads } from "./ports/reads.ts";
import type { Caller, FlowVersion, RunHead } from "./ports/requests.ts";
import { FORKED_SCHEMA } from "./ports/timeline.ts";
import { readStateAt } from "./read-state.ts";
import type { StateAt } from "./read-state.ts";
import type { RequestDeps } from "./request-deps.ts";
import { problemsOf } from "./start-run.ts";
import type { RunInputs } from "./start-run.ts";

export type ForkRunRequest = {
  readonly runId: string;
  /** The state after this iteration is the one to go on from; 0 is the initial state. */
  readonly iteration: number;
  /** Stored path; null is the only loop. */
  readonly loop: string | null;
  /** JSON merge patch (RFC 7396) for the state, exact text; null leaves it as it was. */
  readonly statePatch: string | null;
  /** Replace the run's inputs one by one; null takes them all over. */
  readonly inputs: RunInputs | null;
  /** Null takes the version of the run. */
  readonly version: number | null;
  /** In the place of those the version and the inputs give, written as in a flow; within the operator's caps. */
  readonly limits: { readonly maxIterations: string | null; readonly timeout: string | null };
  readonly idempotencyKey: string | null;
  readonly caller: Caller;
};

export type ForkRunResult =
  | { readonly kind: "created" | "existing" | "conflict"; readonly runId: string }
  | { readonly kind: "invalid"; readonly failures: readonly Failure[] }
  | { readonly kind: "version_not_found"; readonly flow: string; readonly version: number }
  | Exclude<StateAt, { kind: "state" }>;

type Target = {
  readonly node: string;
  readonly label: string;
  readonly maxIterations: number;
  readonly timeoutMs: number;
};

/**
 * Starts a run that goes on from the state after an iteration of another one, at the iteration after it, under keys of its own
 * (L-14: they hold the run's id). What ran before the loop is taken over as far as nothing it depends on was changed, the history up to
 * that iteration too; the other run is not touched.
 */
export async function forkRun(
  deps: RequestDeps & { readonly reads: Reads },
  request: ForkRunRequest,
): Promise<ForkRunResult> {
  const head = await deps.store.runHead(request.runId);
  if (!head) return { kind: "no_run" };
  const number = request.version ?? head.version;
  const version = await deps.store.flowVersion(head.flow, number);
  if (!version) return { kind: "version_not_found", flow: head.flow, version: number };
  const { iteration } = request;
  const found = await readStateAt(deps.reads, head.id, { path: request.loop, epoch: null, iteration });
  if (found.kind !== "state") return found;
  const inputs = new Map([...members(head.inputs), ...(request.inputs ?? [])]);
  const failures = problemsOf(deps, version, inputs);
  if (failures.length > 0) return { kind: "invalid", failures };
  const state = readState(
    request.statePatch === null ? found.text : mergePatch(found.text, request.statePatch),
  );
  if (!state.ok) return { kind: "invalid", failures: [state.failure] };
  const target = await targetOf(deps, request, version, inputs, found.path);
  if ("code" in target) return { kind: "invalid", failures: [target] };

  const id = deps.newId();
  const outcome = await deps.store.forkRun({
    run: {
      ...{ id, flowVersionId: version.id, flow: version.flow, version: version.version },
      ...{ inputs: objectText(inputs), tags: head.tags, priority: head.priority, rerunOf: null },
      ...{ idempotencyKey: request.idempotencyKey, requestDigest: digestOf(deps, head, request) },
      events: [{ type: "run-forked", from: head.id, node: target.node, iteration }],
    },
    origin: { runId: head.id, path: found.path, epoch: found.epoch, iteration },
    label: target.label,
    checkpoint: startOf(deps, state.text, target, iteration),
    ...before(deps, version, target.node),
    caller: request.caller,
  });
  if (outcome.kind === "origin_gone") return { kind: "no_run" };
  if (outcome.kind !== "created") return outcome;
  deps.relay.wake(outcome.wake);
  return { kind: "created", runId: id };
}

/** The loop in the version that the fork runs, and its limits. */
async function targetOf(
  deps: RequestDeps & { readonly reads: Reads },
  { runId, iteration, limits }: ForkRunRequest,
  { ir, version }: FlowVersion,
  inputs: RunInputs,
  path: string,
): Promise<Target | Failure> {
  const [node, ...inner] = JSON.parse(path) as [string, ...unknown[]];
  if (inner.length > 0 || typeof node !== "string")
    return failure(
      "fork_refused",
      "Only a loop of the parent graph can be forked, and this one stands inside a subflow.",
    );
  const loop = Object.hasOwn(ir.nodes, node) ? ir.nodes[node] : undefined;
  if (!loop || !LOOP_TYPES.has(loop.definition))
    return failure("fork_refused", `Version ${version} of the flow has no loop ${node} in its parent graph.`);
  const planned = plannedLoops(ir, deps.registry, inputs).find((one) => one.node === node);
  const given = planned ?? (await deps.reads.run(runId))?.loops.find((one) => one.path === path);
  if (!given) return failure("fork_refused", `The limits of the loop ${node} are not known; give limits.`);
  const read = readLimits(deps, loop, limits, given);
  if ("code" in read || iteration < read.maxIterations)
    return "code" in read ? read : { node, label: loop.label || node, ...read };
  return failure(
    "config_invalid",
    `The fork would begin at iteration ${iteration + 1}, and maxIterations is ${read.maxIterations}; give limits.maxIterations.`,
  );
}

function readLimits(
  { caps }: Pick<RequestDeps, "caps">,
  loop: IrNode,
  { maxIterations, timeout }: ForkRunRequest["limits"],
  given: { readonly maxIterations: number; readonly timeoutMs: number },
): { readonly maxIterations: number; readonly timeoutMs: number } | Failure {
  const form = loopSources(loop)[0] ?? "script";
  const count = maxIterations === null ? null : readMaxIterations(form, maxIterations, caps);
  if (count?.ok === false) return failure("config_invalid", `limits: ${count.message}`);
  const clock = timeout === null ? null : parseTimeout(timeout, caps.maxTimeoutMs);
  if (clock?.ok === false) return failure("config_invalid", `limits: ${clock.message}`);
  return { maxIterations: count?.value ?? given.maxIterations, timeoutMs: clock?.ms ?? given.timeoutMs };
}

/** The fingerprint is for the worker to find out: only a walk of the graph knows it (L-38). */
function startOf(deps: RequestDeps, state: string, target: Target, iteration: number): Checkpoint {
  const { maxIterations, timeoutMs } = target;
  return {
    schema: FORKED_SCHEMA,
    status: "running",
    epoch: 0,
    state,
    stateDigest: deps.sha256(state),
    fingerprint: "",
    nextIteration: iteration + 1,
    elapsedMs: 0,
    maxIterations,
    timeoutMs,
    decision: null,
    summary: "",
    ...{ succeeded: 0, failed: 0, paced: 0, tries: 0, last: null },
  };
}

/** What of the parent graph comes before the loop. */
function before(deps: RequestDeps, { ir }: FlowVersion, node: string) {
  const graph = parentGraph(ir, deps.registry);
  const order = "cycle" in graph ? [] : graph.order;
  const nodesBefore = order.slice(0, Math.max(0, order.indexOf(node)));
  const loops = nodesBefore.filter((id) => LOOP_TYPES.has(ir.nodes[id]?.definition ?? ""));
  return { nodesBefore, loopsBefore: loops.map((id) => JSON.stringify([id])) };
}

function digestOf(deps: RequestDeps, head: RunHead, request: ForkRunRequest): string {
  const { iteration, loop, version, limits, statePatch, inputs } = request;
  const parts = [
    JSON.stringify({ forkOf: head.id, iteration, loop, version, limits }),
    statePatch === null ? "" : canonical(statePatch),
    inputs === null ? "" : canonical(objectText(inputs)),
  ];
  return deps.sha256(parts.join("\n"));
}
