import type { Decision } from "@agentflow/core";

/** A stored iteration. Durations in ms, on this worker's clock. */
export type IterationSeen = {
  readonly runId: string;
  readonly flow: string;
  /** `retry`: an attempt failed and the iteration is tried again under the same key (O-3). */
  readonly decision: Decision | "retry";
  /** From the checkpoint in hand until after the commit. */
  readonly tookMs: number;
  /** Of `tookMs`, the time of Condition, Body or script; the rest is ours. */
  readonly workMs: number;
  /** 1, or more where earlier attempts were lost with their worker (L-51). */
  readonly attempt: number;
  /** It is the first one after a resume. */
  readonly resumed: boolean;
  /** It stands inside an iteration of another loop (L-20). */
  readonly nested: boolean;
};

/** What a worker must never see, and an alarm when it does. */
export type Violation = "checkpoint_corrupt" | "unexpected_error";

/** Told of what a worker does, for metrics (S-25). It is called on the hot path: synchronous, cheap, and it never throws. */
export interface Observer {
  /** A claim; from the second attempt on an earlier one may have had effects. Pure iterations go on without claims. */
  claimed(claim: { readonly attempt: number }): void;
  iterated(iteration: IterationSeen): void;
  ended(run: { readonly flow: string; readonly status: "succeeded" | "failed"; readonly code: string }): void;
  violated(kind: Violation): void;
}
