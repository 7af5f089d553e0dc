import type { Checkpoint } from "@agentflow/core";
import type { Caller, NewRun, StartOutcome } from "./requests.ts";

/** Which loop is asked about: the only one when `path` is null, its live epoch when `epoch` is null. */
export type LoopAddress = { readonly path: string | null; readonly epoch: number | null };

/** What is kept of a loop's states, of an iteration asked for. */
export type KeptStates = {
  readonly path: string;
  readonly epoch: number;
  /** Iterations that the epoch has completed. */
  readonly completed: number;
  /** The checkpoint's state, when it is the state after the iteration asked for. */
  readonly state: string | null;
  /** Steps of history rows, by iteration; rows that keep none are left out. */
  readonly steps: ReadonlyMap<number, Uint8Array>;
  /** The first iteration whose row keeps a step; null when none does. Told only where it was asked for. */
  readonly first: { readonly iteration: number; readonly step: Uint8Array } | null;
};

/** Reads of the states after earlier iterations. */
export interface TimelineReads {
  /**
   * The steps of the iterations `from` to `to` of a loop, and its checkpoint's state if that is the one after `from`. `first` also
   * looks for the first step there is.
   */
  keptStates(
    runId: string,
    loop: LoopAddress,
    asked: { readonly from: number; readonly to: number; readonly first: boolean },
  ): Promise<KeptStates | "no_run" | "no_loop" | "ambiguous_loop">;
}

/** A checkpoint that a fork begins with has this schema until a worker has made it its own. */
export const FORKED_SCHEMA = 0;

/** A new run that goes on from the state after an iteration of another one. */
export type NewFork = {
  readonly run: NewRun;
  readonly origin: {
    readonly runId: string;
    readonly path: string;
    readonly epoch: number;
    readonly iteration: number;
  };
  /** How the loop begins: schema `FORKED_SCHEMA`, no fingerprint, the iteration after the origin's. */
  readonly label: string;
  readonly checkpoint: Checkpoint;
  /** Loops of the parent graph before it: taken over as they stand, with their history. */
  readonly loopsBefore: readonly string[];
  /** Nodes of the parent graph before it: what the origin stored of them is taken over. */
  readonly nodesBefore: readonly string[];
  readonly caller: Caller;
};

/** `origin_gone`: the run, or a part of the history that the fork takes over, is not there any more. */
export type ForkOutcome = StartOutcome | { readonly kind: "origin_gone" };
