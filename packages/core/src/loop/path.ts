/** What a subflow, or an operation by itself, is to the loop that runs it. */
export type LoopRole = "condition" | "body" | "child" | "operation";

/**
 * Where something stands inside a run: each segment enters a subflow, from the parent graph inwards.
 * A loop's subflow is entered in a role and an iteration, a call's by the call node alone. Structured, never a
 * joined string, so that no label or id can collide (P-06).
 */
export type FrameSegment =
  | { readonly node: string; readonly role: LoopRole; readonly iteration: number }
  | { readonly node: string };

/** The frame a node runs in; empty for the parent graph. */
export type Frame = readonly FrameSegment[];

/** Address of one loop: the frame it stands in and its node. */
export type LoopPath = { readonly frame: Frame; readonly node: string };

/** The frame as stored text: a JSON array of tuples. Equal frames give equal text. */
export function frameKey(frame: Frame): string {
  return JSON.stringify(frameTuples(frame));
}

/** The frame as its tuples: `[node, role, iteration]` of a loop's subflow, `[node]` of a call. */
export function frameTuples(frame: Frame): readonly (readonly (string | number)[])[] {
  return frame.map(tuple);
}

/** The loop path as stored text: the frame's tuples, then the node id. A loop of the parent graph `a` is `["a"]`. */
export function loopKey(path: LoopPath): string {
  return JSON.stringify([...path.frame.map(tuple), path.node]);
}

function tuple(segment: FrameSegment): readonly (string | number)[] {
  return "role" in segment ? [segment.node, segment.role, segment.iteration] : [segment.node];
}
