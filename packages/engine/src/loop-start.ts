import {
  CHECKPOINT_SCHEMA,
  failure,
  loopFingerprintText,
  loopKey,
  readReferences,
  referenceList,
} from "@agentflow/core";
import type { Checkpoint, Failure, LimitCaps, LoopConfig } from "@agentflow/core";
import { readConfig } from "./forms/form.ts";
import { optionsOf } from "./loop-options.ts";
import type { LoopVisit } from "./run-graph.ts";
import type { StepContext } from "./step-context.ts";

/** A loop's captured start: its configuration and the fingerprint it belongs to (L-21, L-38). */
export type LoopStart = { readonly config: LoopConfig; readonly fingerprint: string };

/** Reads a loop's resolved slots under the given caps; a bad one is a configuration error before any iteration (L-10). */
export function captureLoop(
  context: StepContext,
  visit: LoopVisit,
  caps: LimitCaps,
): { readonly ok: true; readonly start: LoopStart } | { readonly ok: false; readonly failure: Failure } {
  const { deps, plan } = context;
  const slot = (name: string): string => visit.inputs.get(name) ?? "";
  const read = readConfig(context, visit, caps);
  if (!read.ok) return { ok: false, failure: { ...read.failure, node: visit.id } };
  const options = optionsOf(context, visit);
  if (!options.ok) return options;
  const products = new Map([...visit.parts].filter(([, part]) => "source" in part));
  const references = readReferences(slot("context"));
  if (references === null) {
    const message = "What is wired to the loop's context is no context. Wire a context.* node.";
    return { ok: false, failure: { ...failure("config_invalid", message), node: visit.id } };
  }
  const authored = products.has("context") ? [] : referenceList(references);
  const text = loopFingerprintText(
    plan.definitionText(visit.id),
    read.config,
    products,
    authored,
    visit.parts,
  );
  return { ok: true, start: { config: read.config, fingerprint: deps.sha256(text) } };
}

/** The checkpoint before iteration 1: the captured initial state (L-42). */
export function firstCheckpoint(context: StepContext, start: LoopStart, epoch: number): Checkpoint {
  const { config, fingerprint } = start;
  return {
    schema: CHECKPOINT_SCHEMA,
    status: "running",
    epoch,
    state: config.state,
    stateDigest: context.deps.sha256(config.state),
    fingerprint,
    nextIteration: 1,
    elapsedMs: 0,
    maxIterations: config.maxIterations,
    timeoutMs: config.timeoutMs,
    decision: null,
    summary: "",
    succeeded: 0,
    failed: 0,
    paced: 0,
    tries: 0,
    last: null,
  };
}

/** Stored address of a loop standing in this frame. */
export function pathOf(context: StepContext, node: string): string {
  return loopKey({ frame: context.frame, node });
}

/** The label operators see; the id when the author gave none. */
export function labelOf(context: StepContext, node: string): string {
  return context.plan.version.ir.nodes[node]?.label || node;
}
