import { createHash, randomUUID } from "node:crypto";
import type { Checkpoint } from "@agentflow/core";
import type {
  Claim,
  Fence,
  IterationCommit,
  RequestStore,
  StoredCheckpoint,
  Wake,
  WorkStore,
} from "@agentflow/engine";

export const LEASE_MS = 60_000;
export const MAX_ATTEMPTS = 5;
export const LOOP = '["again"]';

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** A run just stored, without a flow behind it: the store looks at none. */
export async function startedRun(requests: RequestStore, id: string = randomUUID()): Promise<Wake> {
  const outcome = await requests.startRun({
    id,
    flowVersionId: randomUUID(),
    flow: "flow",
    version: 1,
    inputs: "{}",
    tags: [],
    priority: null,
    idempotencyKey: null,
    requestDigest: sha256("start"),
    rerunOf: null,
    events: [],
  });
  if (outcome.kind !== "created") throw new Error(`the start was ${outcome.kind}`);
  return outcome.wake;
}

/** The claim of a wake that must succeed. */
export async function claimOf(work: WorkStore, wake: { runId: string; token: number }): Promise<Claim> {
  const outcome = await work.claim(wake, "worker-1", LEASE_MS, MAX_ATTEMPTS);
  if (outcome.kind !== "claimed") throw new Error(`the claim was ${outcome.kind}`);
  return outcome.claim;
}

/** A claim on a run whose loop has begun. */
export async function claimedLoop(store: { work: WorkStore; requests: RequestStore }): Promise<Claim> {
  const claim = await claimOf(store.work, await startedRun(store.requests));
  await store.work.beginLoop(claim, loopAt(1), []);
  return claim;
}

/** The loop's checkpoint before an iteration. */
export function loopAt(nextIteration: number, given: Partial<Checkpoint> = {}): StoredCheckpoint {
  const state = given.state ?? `{"n":${nextIteration - 1}}`;
  const checkpoint: Checkpoint = {
    schema: 1,
    ...{ succeeded: 0, failed: 0, paced: 0, tries: 0, last: null },
    status: "running",
    epoch: 0,
    state,
    stateDigest: sha256(state),
    fingerprint: sha256("fingerprint"),
    nextIteration,
    elapsedMs: 10 * (nextIteration - 1),
    maxIterations: 1_000_000,
    timeoutMs: 1_800_000,
    decision: nextIteration === 1 ? null : "continue",
    summary: "",
    ...given,
  };
  return { path: LOOP, label: "Again", checkpoint };
}

/** The commit of an iteration that goes on, with one event. */
export function commitOf(
  fence: Fence,
  iteration: number,
  given: Partial<IterationCommit> = {},
): IterationCommit {
  return {
    fence: { runId: fence.runId, token: fence.token },
    path: LOOP,
    expectedIteration: iteration,
    checkpoint: loopAt(iteration + 1).checkpoint,
    stateChanged: true,
    entry: {
      iteration,
      decision: "continue",
      summary: "",
      elapsedMs: 10,
      idempotencyKey: `afw_${sha256(String(iteration)).slice(0, 32)}`,
    },
    attempts: 1,
    run: { status: "running" },
    events: [{ type: "while-iteration-done", iteration }],
    ...given,
  };
}
