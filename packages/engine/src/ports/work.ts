import type { Checkpoint, Failure, HistoryEntry } from "@agentflow/core";
import type { TokenUsage } from "./agent.ts";
import type { StepLog } from "./logs.ts";

/** A hint that a run may be ready: the only thing a queue ever carries (S-5). `delayMs` ≥ 0. */
export type Wake = {
  readonly runId: string;
  readonly token: number;
  readonly delayMs: number;
  /** Counts up, more and more slowly, while a run stands still although it was woken: each number is another job (A6). */
  readonly again?: number;
};

/** One thing that happened to a run (L-50). The store gives `seq` and the run; `at` is the database's time unless given. */
export type RunEvent = {
  readonly type: string;
  readonly [field: string]: string | number | boolean | null | object;
};

/** Proof of the right to work on a run: every guarded write repeats it (S-6). */
export type Fence = { readonly runId: string; readonly token: number };

/** What a worker holds after a successful claim. Times are integer ms. */
export type Claim = Fence & {
  readonly flowVersionId: string;
  /** True on the first claim since start, resume or reset, and after a lost attempt: stored data is validated before use (L-42). */
  readonly fresh: boolean;
  /** 1 for the first attempt at the current unit of work. */
  readonly attempt: number;
  /** Active time of earlier attempts at the current iteration that did not commit (L-35). */
  readonly priorMs: number;
  /** The run's inputs as one JSON object text: node id → exact JSON value. */
  readonly inputs: string;
  /** Key of the loop of the parent graph the run stands in; null before the first one begins. */
  readonly loop: string | null;
  /** The run's next iteration in that loop; 1 before the first one begins. */
  readonly nextIteration: number;
  /** Exact payload text of the resume that woke the run, until the next iteration commits; null when there is none (L-40). */
  readonly resumePayload: string | null;
  /** Path of the loop that an operator's reset starts over, until `resetLoop` has done so; null when there is none (L-42). */
  readonly reset: string | null;
  /**
   * True when this claim is not stored: the work is pure, and the commit of its iteration makes the claim it needs in the
   * same statement (`IterationCommit.unclaimed`). `token` is the one that claim will have.
   */
  readonly unclaimed?: true;
  /** True when the flow has limits: whoever waits for one is woken when this claim is over. */
  readonly limited?: true;
};

export type ClaimOutcome =
  | { readonly kind: "claimed"; readonly claim: Claim }
  /** The token is not the run's current one, or the run is not live: drop the job in silence (S-5). */
  | { readonly kind: "stale" }
  /** Somebody else holds a live lease, or a pause is under way: drop the job; the sweep looks again when it is over. */
  | { readonly kind: "held" }
  /** A limit of its flow is reached: the run waits for it, and is woken when there is room. */
  | { readonly kind: "limited" }
  /** All infrastructure attempts are used up: the run has been failed with `worker_lost` in the same statement (L-51). */
  | { readonly kind: "exhausted" };

/** A guarded write either happened or found that somebody else owns the run now; stale work is dropped and never fails a run. */
export type Guarded = { readonly kind: "stored" } | { readonly kind: "stale" };

/** Where journaled steps belong: one iteration of one loop of the parent graph, or the parent graph itself (loop "", 0, 0). */
export type StepScope = { readonly loop: string; readonly epoch: number; readonly iteration: number };

/** A finished step with effects (S-11). Outputs are slot → text; `fingerprint` is of the authored values it came from. */
export type StoredStep = {
  readonly frame: string;
  readonly node: string;
  readonly fingerprint: string;
  readonly outputs: ReadonlyMap<string, string>;
  /** Whether the outputs are results of the run to show. */
  readonly shown: boolean;
};

/** Tokens a step used; added to the run and to the loops around it, by `loopKey`. */
export type Spent = { readonly usage: TokenUsage; readonly loops: readonly string[] };

/** A checkpoint with its address: `loopKey` of the loop and its label at the time. */
export type StoredCheckpoint = {
  readonly path: string;
  readonly label: string;
  readonly checkpoint: Checkpoint;
  /** Iterations that another run did before this one was forked from it: their history is here, their keys are the other's. */
  readonly inherited?: number;
  /** The step its last history row keeps, or the head of it; left out when the row keeps none. */
  readonly step?: Uint8Array;
};

/** Everything one iteration of a loop of the parent graph changes; stored whole or not at all (L-37, S-7). */
export type IterationCommit = {
  readonly fence: Fence;
  /** Claims the run in the same breath: the run must be free, in its first attempt, and stand one token below the fence. */
  readonly unclaimed?: true;
  readonly path: string;
  /** The iteration the run must stand at (compare-and-set). */
  readonly expectedIteration: number;
  readonly checkpoint: Checkpoint;
  /** False leaves the stored state text untouched. */
  readonly stateChanged: boolean;
  /** False or left out leaves the stored `last` untouched. */
  readonly lastChanged?: boolean;
  /** Null when the iteration did not complete (limit, timeout, step error). */
  readonly entry: HistoryEntry | null;
  /** What the history row keeps of the state (`makeStep`); left out keeps nothing. */
  readonly step?: Uint8Array;
  readonly attempts: number;
  /** Not due again for so long (O-1, O-3): stored as the run's due time. Only with `running`; 0 or left out means at once. */
  readonly pauseMs?: number;
  /** Active time of this iteration's attempts, for the next one of them (O-3, L-34); 0 or left out after the last. */
  readonly priorMs?: number;
  /** `running`: token + 1, lease given back, dispatchable at once. `waiting`: parked. `failed`: terminal. */
  readonly run:
    | { readonly status: "running" | "waiting" }
    | { readonly status: "failed"; readonly failure: Failure };
  readonly events: readonly RunEvent[];
};

export type CommitOutcome =
  | { readonly kind: "committed"; readonly token: number }
  | { readonly kind: "stale" };

/** An inner iteration of a nested loop: guarded by the outer claim, which it keeps (S-11). */
export type NestedCommit = {
  readonly fence: Fence;
  readonly path: string;
  readonly label: string;
  readonly scope: StepScope;
  readonly checkpoint: Checkpoint;
  readonly entry: HistoryEntry | null;
  readonly events: readonly RunEvent[];
};

/**
 * What a worker asks of Postgres. Each write is one transaction (better: one statement) that repeats the fence and the
 * expected status. During an outage a method retries on its own connection-loss errors for a while, then throws.
 */
export interface WorkStore {
  /** Raises the token, takes the lease, counts the attempt; charges a dead attempt's active time to the next (S-6, L-35). */
  claim(
    wake: { runId: string; token: number },
    worker: string,
    leaseMs: number,
    maxAttempts: number,
  ): Promise<ClaimOutcome>;
  /** Renews leases in one statement and notes active time (ms of the current attempt); returns the run ids still held (S-8). */
  heartbeat(beats: readonly (Fence & { activeMs: number })[], leaseMs: number): Promise<ReadonlySet<string>>;
  /**
   * Gives a claim back: lease freed, token raised, active time kept for the next attempt; returns the wake for the next
   * owner, null when stale. `counted` false takes the attempt back (shutdown, S-27); true keeps it and waits `delayMs` (L-51).
   */
  handBack(
    fence: Fence,
    activeMs: number,
    how: { readonly counted: boolean; readonly delayMs: number },
  ): Promise<Wake | null>;
  /** Steps already stored in a scope. */
  steps(runId: string, scope: StepScope): Promise<readonly StoredStep[]>;
  /**
   * Journals one finished step; resets the attempt count, because work advanced. A step of the same address is replaced; tokens of
   * both count, for both were spent.
   */
  recordStep(
    fence: Fence,
    scope: StepScope,
    step: StoredStep,
    events: readonly RunEvent[],
    spent?: Spent | null,
  ): Promise<Guarded>;
  /** An encrypted context of the run by the digest of its references; null when it was not resolved since start or resume. */
  context(runId: string, digest: string): Promise<Uint8Array | null>;
  /** Keeps an encrypted context until the run is resumed or ends; one that is there stays (L-49). */
  keepContext(fence: Fence, digest: string, sealed: Uint8Array): Promise<Guarded>;
  /** Checkpoint of one loop with its exact state text, or null before it begins. */
  checkpoint(runId: string, path: string): Promise<StoredCheckpoint | null>;
  /** Tokens that models spent on a loop so far, of every epoch and attempt. */
  loopTokens(runId: string, path: string): Promise<number>;
  /** History rows of one epoch in order, as stored; only read at validation and when an output asks for them. */
  history(runId: string, path: string, epoch: number): Promise<readonly HistoryEntry[]>;
  /** Stores the checkpoint of a loop of the parent graph (its captured start) and makes it the run's position. */
  beginLoop(fence: Fence, loop: StoredCheckpoint, events: readonly RunEvent[]): Promise<Guarded>;
  /** Replaces the checkpoint by a new epoch's first one; old history rows stay under their epoch (L-41, L-44). */
  resetLoop(fence: Fence, loop: StoredCheckpoint, events: readonly RunEvent[]): Promise<Guarded>;
  /** The one commit of an iteration (S-7). A lost answer is resolved by looking for its own write (C3 of the crash table). */
  commitIteration(commit: IterationCommit): Promise<CommitOutcome>;
  /** Wakes of runs for which the end of this run's claim has made room in a limit of their flow; the sweep finds them too. */
  wakesBehind(runId: string): Promise<readonly Wake[]>;
  /**
   * Gives up the oldest states of a run, of all its loops, until at most `keepBytes` of steps are left, if there are more than
   * `maxBytes`; what is left can be restored. The number of steps given up.
   */
  trimTimeline(runId: string, maxBytes: number, keepBytes: number): Promise<number>;
  /** The wake of a run that met a kept resume in the commit that parked it; null when it is parked. */
  wakeOfKeptResume(runId: string): Promise<Wake | null>;
  /** Stores an inner iteration (or the captured start, entry null) of a nested loop. */
  commitNested(commit: NestedCommit): Promise<Guarded>;
  /** Ends a run: outputs are already journaled as shown steps. */
  finishRun(
    fence: Fence,
    end: { status: "succeeded" } | { status: "failed"; failure: Failure },
    events: readonly RunEvent[],
  ): Promise<Guarded>;
  /** Stores events of work still going on. */
  appendEvents(fence: Fence, events: readonly RunEvent[]): Promise<Guarded>;
  /** Stores what a command wrote to stderr, before whatever follows from it is stored. */
  appendLog(fence: Fence, log: StepLog): Promise<Guarded>;
  /**
   * Resumes parked runs whose kept resume is due. Finds runs that wait for a limit which has room. Finds live runs that are due and unheld, pushes their dispatch time on, and
   * returns the wakes of all (S-9). At most `limit` of each. The
   * wake of a run whose attempts keep dying may have a delay (L-51).
   */
  sweep(limit: number): Promise<readonly Wake[]>;
}
