import { createHash, randomUUID } from "node:crypto";
import type { Checkpoint, Failure, HistoryEntry } from "@agentflow/core";
import { expect } from "vitest";
import type { NewFlowVersion, NewRun, ResumeRequest } from "../../ports/requests.ts";
import type {
  Claim,
  Fence,
  IterationCommit,
  RunEvent,
  StepScope,
  StoredCheckpoint,
  StoredStep,
  Wake,
} from "../../ports/work.ts";
import type { StoreUnderTest } from "./harness.ts";

/** A lease long enough that no test outlives it unless it moves the clock; ms. */
export const leaseMs = 60_000;
export const maxAttempts = 5;
export const caller = { actor: "someone", remote: "192.0.2.7" };
export const cancelled: Failure = {
  code: "run_cancelled",
  message: "cancelled by someone",
  node: null,
  iteration: null,
};
/** The loop most tests stand in. */
export const loopPath = '["again"]';
export const parentScope: StepScope = { loop: "", epoch: 0, iteration: 0 };

/** An id no other test uses. */
export function newId(): string {
  return randomUUID();
}

/** 64 hex digits that name a text. */
export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** State, inputs and payload texts that a parse, a stringify or a json column would change (L-46). */
export const exactTexts: readonly (readonly [what: string, text: string])[] = [
  ["an escaped NUL", String.raw`{"a":"x\u0000y"}`],
  ["escaped lone surrogates", String.raw`["\ud800","\udc00x"]`],
  ["prototype keys", '{"__proto__":{"x":1},"constructor":1,"toString":2,"":3}'],
  ["minus zero and number spelling", "[-0,1.0,1e2,1E+2,0.10]"],
  ["keys in an order of their own", '{"2":1,"1":2,"zz":3,"a":4}'],
  ["characters outside ASCII", '{"键":"é é 😀 \u2028"}'],
  ["escapes that need none", String.raw`"\u0041\/\u00e9"`],
  ["null", "null"],
];

/** A flow version of a flow of its own. */
export function flowVersionOf(given: Partial<NewFlowVersion> = {}): NewFlowVersion {
  const id = newId();
  return {
    id,
    flow: `flow-${id}`,
    source: null,
    irText: '{"schema":1,"nodes":{},"edges":[],"subflows":{},"run":null}',
    layout: null,
    digest: digestOf(id),
    bundle: { digest: digestOf(`bundle ${id}`), archive: new Uint8Array([1, 2, 3]), files: 1 },
    warnings: "[]",
    baseVersion: null,
    ...given,
  };
}

/** Registers a flow and gives a run of it, not started. */
export async function newRun(store: StoreUnderTest, given: Partial<NewRun> = {}): Promise<NewRun> {
  const version = flowVersionOf();
  await store.requests.registerFlow(version);
  return {
    id: newId(),
    flowVersionId: version.id,
    flow: version.flow,
    version: 1,
    inputs: "{}",
    tags: [],
    priority: null,
    idempotencyKey: null,
    requestDigest: digestOf("start"),
    rerunOf: null,
    events: [],
    ...given,
  };
}

/** A started run's first wake. */
export async function started(store: StoreUnderTest, given: Partial<NewRun> = {}): Promise<Wake> {
  const outcome = await store.requests.startRun(await newRun(store, given));
  expect(outcome).toMatchObject({ kind: "created" });
  return wakeIn(outcome);
}

/** The wake of an outcome that has one. */
export function wakeIn(outcome: object): Wake {
  if (!("wake" in outcome)) throw new Error(`no wake in ${JSON.stringify(outcome)}`);
  return outcome.wake as Wake;
}

/** Claims a run and gives the claim. */
export async function claimed(
  store: StoreUnderTest,
  wake: { runId: string; token: number },
  worker = "worker-1",
): Promise<Claim> {
  const outcome = await store.work.claim(wake, worker, leaseMs, maxAttempts);
  if (outcome.kind !== "claimed") throw new Error(`the claim was ${outcome.kind}`);
  return outcome.claim;
}

/** A claim on a run just started. */
export async function claimedRun(store: StoreUnderTest, given: Partial<NewRun> = {}): Promise<Claim> {
  return claimed(store, await started(store, given));
}

/** A checkpoint as captured before iteration 1, with changes. */
export function checkpointOf(given: Partial<Checkpoint> = {}): Checkpoint {
  const state = given.state ?? '{"n":0}';
  return {
    schema: 1,
    status: "running",
    epoch: 0,
    state,
    stateDigest: digestOf(state),
    fingerprint: digestOf("fingerprint"),
    nextIteration: 1,
    elapsedMs: 0,
    maxIterations: 20,
    timeoutMs: 1_800_000,
    decision: null,
    summary: "",
    succeeded: 0,
    failed: 0,
    paced: 0,
    tries: 0,
    last: null,
    ...given,
  };
}

/** A loop with its captured start. */
export function loopOf(given: Partial<Checkpoint> = {}, path = loopPath, label = "Again"): StoredCheckpoint {
  return { path, label, checkpoint: checkpointOf(given) };
}

/** A claim on a run whose loop has begun and stands at iteration 1. */
export async function claimedLoop(store: StoreUnderTest, given: Partial<Checkpoint> = {}): Promise<Claim> {
  const claim = await claimedRun(store);
  expect(await store.work.beginLoop(claim, loopOf(given), [])).toEqual({ kind: "stored" });
  return claim;
}

/** The history entry of an iteration that went on. */
export function entryOf(iteration: number, given: Partial<HistoryEntry> = {}): HistoryEntry {
  return {
    iteration,
    decision: "continue",
    summary: `round ${iteration}`,
    elapsedMs: 10 * iteration,
    idempotencyKey: `afw_${digestOf(String(iteration)).slice(0, 32)}`,
    ...given,
  };
}

/** The commit of a completed iteration: state `{"n":<iteration>}`, decision `continue`, unless changed. */
export function commitOf(
  fence: Fence,
  iteration: number,
  given: Partial<IterationCommit> = {},
): IterationCommit {
  const { runId, token } = fence;
  const checkpoint = checkpointOf({
    state: `{"n":${iteration}}`,
    nextIteration: iteration + 1,
    elapsedMs: 100 * iteration,
    decision: "continue",
    summary: `round ${iteration}`,
  });
  return {
    fence: { runId, token },
    path: loopPath,
    expectedIteration: iteration,
    checkpoint,
    stateChanged: true,
    entry: entryOf(iteration),
    attempts: 1,
    run: { status: "running" },
    events: [],
    ...given,
  };
}

/** Stores an iteration and gives the next token. */
export async function committed(store: StoreUnderTest, commit: IterationCommit): Promise<number> {
  const outcome = await store.work.commitIteration(commit);
  if (outcome.kind !== "committed") throw new Error("the commit was stale");
  return outcome.token;
}

/** Commits iterations 1 to `count` of a loop that begins, each under a claim of its own; gives the last token. */
export async function iterated(store: StoreUnderTest, first: Claim, count: number): Promise<number> {
  let token = await committed(store, commitOf(first, 1));
  for (let iteration = 2; iteration <= count; iteration += 1) {
    const claim = await claimed(store, { runId: first.runId, token });
    token = await committed(store, commitOf(claim, iteration));
  }
  return token;
}

/** A run parked by `wait` in iteration 1, with changes to what that commit stores. */
export async function parked(
  store: StoreUnderTest,
  given: Partial<IterationCommit> = {},
): Promise<{ runId: string; token: number }> {
  const claim = await claimedLoop(store);
  const checkpoint = checkpointOf({
    status: "waiting",
    state: '{"n":1}',
    nextIteration: 2,
    decision: "wait",
    elapsedMs: 100,
  });
  const commit = commitOf(claim, 1, {
    checkpoint,
    entry: entryOf(1, { decision: "wait" }),
    run: { status: "waiting" },
    ...given,
  });
  return { runId: claim.runId, token: await committed(store, commit) };
}

/** A resume of a run, without payload, key or changes unless given. */
export function resumeOf(runId: string, given: Partial<ResumeRequest> = {}): ResumeRequest {
  return {
    id: newId(),
    runId,
    payload: null,
    inputs: null,
    flowVersion: null,
    nextIteration: null,
    idempotencyKey: null,
    requestDigest: digestOf("resume"),
    caller,
    ...given,
  };
}

/** A finished step with one output `result`. */
export function stepOf(node: string, given: Partial<StoredStep> = {}): StoredStep {
  return {
    frame: "[]",
    node,
    fingerprint: digestOf(node),
    outputs: new Map([["result", `out of ${node}`]]),
    shown: false,
    ...given,
  };
}

/** Events with nothing but a type. */
export function eventsOf(...types: readonly string[]): readonly RunEvent[] {
  return types.map((type) => ({ type }));
}
