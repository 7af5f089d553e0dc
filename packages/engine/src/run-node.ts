import { failure, frameKey, loopKey } from "@agentflow/core";
import type { Failure, SlotValues } from "@agentflow/core";
import type { TokenUsage } from "./ports/agent.ts";
import { runAgentStep } from "./run-agent-step.ts";
import { runCommandStep } from "./run-command-step.ts";
import { runFunctionStep } from "./run-function-step.ts";
import type { LoopEnd } from "./run-graph.ts";
import { runSubflow } from "./run-subflow.ts";
import { failed, placed, stepKey } from "./step-context.ts";
import type { StepContext, Stop } from "./step-context.ts";

/** A node about to run, with its resolved inputs. */
export type NodeVisit = {
  readonly id: string;
  readonly inputs: SlotValues;
  readonly fingerprint: () => string;
};

/** `pure` is false when anything but the inputs decided the outputs. */
export type NodeEnd =
  | {
      readonly kind: "done";
      readonly outputs: SlotValues;
      readonly exit: string | null;
      readonly pure: boolean;
      /** Tokens a model spent on it. */
      readonly usage?: TokenUsage;
    }
  | Stop;

/**
 * Runs one node, or takes its stored output when the same work already finished (S-11). Nodes with effects and shown
 * results are journaled as they finish, before anything after them runs.
 */
export async function runNode(
  context: StepContext,
  visit: NodeVisit,
  runLoop: () => Promise<LoopEnd>,
): Promise<NodeEnd> {
  const definition = context.plan.definition(visit.id);
  if (definition.effects) {
    const stored = storedOutputs(context, visit);
    if (stored) return { kind: "done", outputs: stored, exit: null, pure: false };
  }
  const stopped = stopBefore(context);
  if (stopped) return stopped;

  if (definition.effects) context.lease.emit(placed(context, { type: "node-start", node: visit.id }));
  const end = await answer(context, visit, runLoop);
  if (end.kind === "failed") return nodeFailed(context, visit.id, end.failure);
  if (end.kind !== "done") return end;
  const spent = end.usage === undefined ? {} : { usage: end.usage };
  if (definition.effects)
    context.lease.emit(placed(context, { type: "node-done", node: visit.id, ...spent }));
  if (definition.effects || definition.shown) return record(context, visit, end, definition.shown);
  return end;
}

async function answer(
  context: StepContext,
  visit: NodeVisit,
  runLoop: () => Promise<LoopEnd>,
): Promise<NodeEnd> {
  const node = context.plan.version.ir.nodes[visit.id]!;
  const given = context.plan.definition(visit.id).run({ id: visit.id, node, inputs: visit.inputs });
  switch (given.kind) {
    case "outputs":
      return { kind: "done", outputs: given.outputs, exit: given.exit ?? null, pure: true };
    case "failed":
      return failed(given.failure);
    case "pause":
      return failed(
        failure("subflow_paused", "The node asked to wait; only a loop's own decision parks a run."),
      );
    case "command":
      return runCommandStep(context, visit);
    case "function":
      return runFunctionStep(context, visit);
    case "agent":
      return runAgentStep(context, visit);
    case "call": {
      const end = await runSubflow(context, given.subflow, visit.inputs, { node: visit.id });
      return end.kind === "outputs" ? { kind: "done", outputs: end.outputs, exit: null, pure: false } : end;
    }
    case "loop": {
      const end = await runLoop();
      return end.kind === "left" ? { kind: "done", outputs: end.outputs, exit: "next", pure: false } : end;
    }
  }
}

function storedOutputs(context: StepContext, visit: NodeVisit): SlotValues | null {
  const stored = context.journal.get(stepKey(frameKey(context.frame), visit.id));
  if (!stored) return null;
  return context.claim.fresh && context.frame.length === 0 && stored.fingerprint !== visit.fingerprint()
    ? null
    : stored.outputs;
}

/** Cancel and shutdown stop before the next node; so does a deadline that passed meanwhile. */
function stopBefore(context: StepContext): Stop | null {
  if (context.lease.stopped) return { kind: "aborted" };
  const { deadline } = context;
  if (deadline && context.deps.clock.monotonicMs() >= deadline.atMs)
    return { kind: "deadline", owner: deadline.owner };
  return null;
}

async function record(
  context: StepContext,
  visit: NodeVisit,
  end: NodeEnd & { kind: "done" },
  shown: boolean,
): Promise<NodeEnd> {
  const frame = frameKey(context.frame);
  const known = context.journal.get(stepKey(frame, visit.id));
  if (
    known &&
    sameOutputs(known.outputs, end.outputs) &&
    (!context.claim.fresh || known.fingerprint === visit.fingerprint())
  )
    return end;
  const step = { frame, node: visit.id, fingerprint: visit.fingerprint(), outputs: end.outputs, shown };
  const { claim, scope, deps, lease } = context;
  const spent = end.usage === undefined ? null : { usage: end.usage, loops: loopsAround(context) };
  const stored = await deps.store.recordStep(claim, scope, step, await lease.takeEvents(), spent);
  return stored.kind === "stored" ? end : { kind: "stale" };
}

/** Stored addresses of the loops whose iterations a step belongs to, outermost first. */
function loopsAround({ frame }: StepContext): readonly string[] {
  return frame.flatMap((segment, depth) =>
    "role" in segment ? [loopKey({ frame: frame.slice(0, depth), node: segment.node })] : [],
  );
}

function sameOutputs(a: SlotValues, b: SlotValues): boolean {
  return a.size === b.size && [...a].every(([slot, value]) => b.get(slot) === value);
}

function nodeFailed(context: StepContext, node: string, cause: Failure): NodeEnd {
  const iteration = context.scope.iteration > 0 ? context.scope.iteration : null;
  const placedCause: Failure = {
    ...cause,
    node: cause.node ?? node,
    iteration: cause.iteration ?? iteration,
  };
  context.lease.emit(placed(context, { type: "node-failed", node, code: cause.code }));
  return failed(placedCause);
}
