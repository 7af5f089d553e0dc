import { scan } from "../json/scan.ts";
import { STATE_MAX_BYTES } from "../limits.ts";
import { CHECKPOINT_SCHEMA, decisions } from "./checkpoint.ts";
import type { Checkpoint, HistoryEntry } from "./checkpoint.ts";
import type { Sha256 } from "./key.ts";

/** What stored data is checked against. `keyOf` recomputes the idempotency key of an iteration (L-14). */
export type ValidationInput = {
  readonly checkpoint: Checkpoint;
  readonly history: readonly HistoryEntry[];
  readonly parked: boolean;
  /** Iterations whose history was taken over from the run this one was forked from, with that one's keys. */
  readonly inherited?: number;
  readonly sha256: Sha256;
  readonly keyOf: (iteration: number) => string;
};

const fingerprintShape = /^[0-9a-f]{64}$/;

/** Whether a stored fingerprint can be compared at all; anything else fails closed before a reset is considered (L-41). */
export function fingerprintIsWellFormed(fingerprint: string): boolean {
  return fingerprintShape.test(fingerprint);
}

/** What is wrong with a stored checkpoint and its history, in one sentence, or null when it may be continued (L-42). */
export function checkpointProblem(input: ValidationInput): string | null {
  return shapeProblem(input) ?? stateProblem(input) ?? historyProblem(input) ?? positionProblem(input);
}

function shapeProblem({ checkpoint }: ValidationInput): string | null {
  if (checkpoint.schema !== CHECKPOINT_SCHEMA)
    return `the checkpoint has the unknown schema version ${checkpoint.schema}`;
  if (!Number.isSafeInteger(checkpoint.elapsedMs) || checkpoint.elapsedMs < 0)
    return "the elapsed active time is not a whole number of ms from 0";
  if (!Number.isSafeInteger(checkpoint.nextIteration) || checkpoint.nextIteration < 1)
    return "the next iteration is not a whole number from 1";
  const { succeeded, failed, paced, tries } = checkpoint;
  if (![succeeded, failed, paced, tries].every((count) => Number.isSafeInteger(count) && count >= 0))
    return "a count of iterations or attempts is not a whole number from 0";
  return null;
}

function stateProblem({ checkpoint, sha256 }: ValidationInput): string | null {
  if (checkpoint.state.trim() === "") return "the state text is blank";
  const scanned = scan(checkpoint.state, { maxBytes: STATE_MAX_BYTES });
  if (!scanned.ok) return `the state text breaks the JSON policy: ${scanned.error.message}`;
  if (sha256(checkpoint.state) !== checkpoint.stateDigest) return "the state text does not match its digest";
  return null;
}

function historyProblem({ history, inherited = 0, keyOf }: ValidationInput): string | null {
  for (const [index, entry] of history.entries()) {
    if (entry.iteration !== index + 1) return `history row ${index + 1} is of iteration ${entry.iteration}`;
    if (!decisions.includes(entry.decision))
      return `iteration ${entry.iteration} has the unknown decision ${JSON.stringify(entry.decision)}`;
    if (!Number.isSafeInteger(entry.elapsedMs) || entry.elapsedMs < 0)
      return `iteration ${entry.iteration} has an impossible elapsed time`;
    if (index >= inherited && entry.idempotencyKey !== keyOf(entry.iteration))
      return `iteration ${entry.iteration} has another idempotency key than it must have`;
  }
  return null;
}

function positionProblem(input: ValidationInput): string | null {
  const { checkpoint, history, parked, inherited = 0 } = input;
  // A fork goes on after any decision of the other run, and its own time begins at 0.
  const own = history.slice(inherited);
  const begun = own.length > 0 || checkpoint.status !== "running" || inherited === 0;
  const last = begun ? history.at(-1) : undefined;
  if (checkpoint.nextIteration !== history.length + 1) {
    return `the next iteration is ${checkpoint.nextIteration} after ${history.length} completed ones`;
  }
  if ((last?.decision ?? null) !== checkpoint.decision)
    return "the last decision differs between checkpoint and history";
  // Only a loop that stops at its limit is done without a decision that says so (O-4).
  const stopped = checkpoint.status === "done" && checkpoint.nextIteration > checkpoint.maxIterations;
  if (
    last &&
    !stopped &&
    (last.decision === "fail" || last.decision === "done") !==
      (checkpoint.status === "done" || checkpoint.status === "failed")
  ) {
    return `the loop is ${checkpoint.status} after the decision ${last.decision}`;
  }
  if (parked && last?.decision !== "wait")
    return `the run was parked after the decision ${last?.decision ?? "(none)"}`;
  const sum = own.reduce((total, entry) => total + entry.elapsedMs, 0);
  if (checkpoint.elapsedMs < sum)
    return `the elapsed active time ${checkpoint.elapsedMs} is less than the ${sum} of its iterations`;
  return null;
}
