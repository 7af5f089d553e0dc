import type { LoopAddress, TimelineReads } from "./ports/timeline.ts";
import { restoreState, stateBefore, stepHead } from "./timeline/step.ts";

/** The iterations of a loop whose states are kept, both ends included; null when none is. */
export type KeptRange = { readonly from: number; readonly to: number } | null;

export type StateAt =
  | { readonly kind: "state"; readonly path: string; readonly epoch: number; readonly text: string }
  /** That state is not there: not reached, switched off, or given up for the size of the run. */
  | { readonly kind: "not_kept"; readonly path: string; readonly completed: number; readonly kept: KeptRange }
  | { readonly kind: "no_run" | "no_loop" | "ambiguous_loop" };

/** The exact text of a loop's state after an iteration; after iteration 0 it is the initial state (OP-7). */
export async function readStateAt(
  reads: TimelineReads,
  runId: string,
  asked: LoopAddress & { readonly iteration: number },
): Promise<StateAt> {
  const { iteration } = asked;
  // The row after it knows the state before it where a timeline begins.
  const near = await reads.keptStates(runId, asked, { from: iteration, to: iteration + 1, first: true });
  if (typeof near === "string") return { kind: near };
  const { path, epoch, completed } = near;
  const own = near.steps.get(iteration);
  const after = near.steps.get(iteration + 1);
  const text =
    near.state ??
    (own === undefined ? null : await restored(reads, runId, { path, epoch, iteration }, own)) ??
    (after === undefined ? null : stateBefore(after));
  if (text !== null) return { kind: "state", path, epoch, text };
  const first =
    near.first === null ? null : near.first.iteration - (stepHead(near.first.step).kind === "begin" ? 1 : 0);
  const kept = first === null ? null : { from: first, to: completed };
  return { kind: "not_kept", path, completed, kept };
}

/** The state of a row that keeps a step: built from the row that needs no other. Null when rows of the chain are gone. */
async function restored(
  reads: TimelineReads,
  runId: string,
  at: { readonly path: string; readonly epoch: number; readonly iteration: number },
  step: Uint8Array,
): Promise<string | null> {
  const { kind, toText, toWhole, changes } = stepHead(step);
  if (kind === "whole" || kind === "begin") return restoreState([step]);
  const text = at.iteration - toText;
  const found = await reads.keptStates(runId, at, { from: text - toWhole, to: text, first: false });
  if (typeof found === "string") return null;
  const chain = [...found.steps]
    .toSorted(([a], [b]) => a - b)
    .map(([, bytes]) => bytes)
    .filter((bytes) => stepHead(bytes).kind !== "same");
  return chain.length === changes + 1 && isWhole(chain[0]!) ? restoreState(chain) : null;
}

function isWhole(step: Uint8Array): boolean {
  const { kind } = stepHead(step);
  return kind === "whole" || kind === "begin";
}
