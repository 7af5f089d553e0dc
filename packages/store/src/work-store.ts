import { randomUUID } from "node:crypto";
import type {
  Claim,
  ClaimOutcome,
  CommitOutcome,
  Fence,
  Guarded,
  IterationCommit,
  WorkStore,
} from "@agentflow/engine";
import { translating } from "./connection/failures.ts";
import { grouping } from "./connection/grouping.ts";
import { patiently, type Patience } from "./connection/patience.ts";
import type { Pools } from "./connection/pools.ts";
import { readCheckpoint, readContext, readHistory, readLoopTokens, readSteps } from "./reads/work.ts";
import { appendEvents } from "./transitions/append-events.ts";
import { appendLog } from "./transitions/append-log.ts";
import { beginLoop } from "./transitions/begin-loop.ts";
import { claimLimited, limitedBehind, limitedWithRoom } from "./transitions/claim-limited.ts";
import { claimRuns, findClaim, type ClaimRequest } from "./transitions/claim.ts";
import { commitIterations, findCommit, type NamedCommit } from "./transitions/commit-iteration.ts";
import { commitNested } from "./transitions/commit-nested.ts";
import { finishRun } from "./transitions/finish-run.ts";
import { foldCounts } from "./transitions/fold-counts.ts";
import { handBack } from "./transitions/hand-back.ts";
import { heartbeat } from "./transitions/heartbeat.ts";
import { resumeDue, wakeOfKeptResume } from "./transitions/keep-resume.ts";
import { keepContext } from "./transitions/keep-context.ts";
import { look, wasLastWrite } from "./transitions/look.ts";
import { reclaim } from "./transitions/reclaim.ts";
import { recordStep } from "./transitions/record-step.ts";
import { resetLoop } from "./transitions/reset-loop.ts";
import { trimTimeline } from "./transitions/trim-timeline.ts";
import { sweep, type Found } from "./transitions/sweep.ts";

/** An outage shorter than this is sat out by every call of a worker (L-51). */
const OUTAGE_LIMIT_MS = 60_000;

/** Far more than start and end between two sweeps. */
const FOLDED_BY_SWEEP = 20_000;

/** The end of one claim makes room for one run; more only when a limit was raised. */
const WOKEN_AT_ONCE = 20;

/** Less than a sweep takes, so that these alone never make it look full: their rows stay as they are. */
const ADMITTED_BY_SWEEP = 100;

/** State texts above this size go alone: they would only make their neighbours wait. In UTF-16 units. */
const GROUPED_STATE_MAX_UNITS = 16_384;

/** A statement that takes this long hangs: others may pass it. */
const GROUPS = { maxItems: 64, maxInFlight: 2, patienceMs: 20 };

export type WorkStoreOptions = {
  /** Ends every wait for a lost database. */
  readonly signal: AbortSignal;
  /** Told what each run that a sweep found was missing, for metrics (S-9). */
  readonly onFound?: (found: Found) => void;
};

/** What workers ask, on real Postgres. Every write names itself, so that one whose answer was lost is found again (C3). */
export function createWorkStore(
  { work: db, side }: Pools,
  { signal, onFound = () => {} }: WorkStoreOptions,
): WorkStore {
  const patience: Patience = { limitMs: OUTAGE_LIMIT_MS, signal };
  const read = <T>(query: () => Promise<T>) => patiently(patience, query);
  const guarded = (fence: Fence, write: (name: string) => Promise<boolean>): Promise<Guarded> => {
    const name = randomUUID();
    return patiently(patience, async (mayBeStored) => {
      const stored = (await write(name)) || (mayBeStored && (await wasLastWrite(db, fence.runId, name)));
      return { kind: stored ? "stored" : "stale" };
    });
  };
  const commit = commitInGroups(db);
  const claim = claimInGroups(db);

  return {
    claim: (wake, worker, leaseMs, maxAttempts) => {
      const request = { ...wake, worker, leaseMs, maxAttempts, write: randomUUID() };
      return patiently(patience, (mayBeStored) => claimRun(db, request, mayBeStored, claim));
    },
    heartbeat: (beats, leaseMs) =>
      beats.length === 0
        ? Promise.resolve(new Set())
        : patiently({ limitMs: Math.min(leaseMs / 3, OUTAGE_LIMIT_MS), signal }, () =>
            heartbeat(side, beats, leaseMs),
          ),
    handBack: async (fence, activeMs, how) => {
      const name = randomUUID();
      const token = await patiently(patience, async (mayBeStored) => {
        const next = await handBack(db, fence, activeMs, how, name);
        return next ?? (mayBeStored && (await wasLastWrite(db, fence.runId, name)) ? fence.token + 1 : null);
      });
      return token === null ? null : { runId: fence.runId, token, delayMs: how.delayMs };
    },
    steps: (runId, scope) => read(() => readSteps(db, runId, scope)),
    checkpoint: (runId, path) => read(() => readCheckpoint(db, runId, path)),
    history: (runId, path, epoch) => read(() => readHistory(db, runId, path, epoch)),
    loopTokens: (runId, path) => read(() => readLoopTokens(db, runId, path)),
    recordStep: (fence, scope, step, events, spent = null) =>
      guarded(fence, (name) => recordStep(db, fence, scope, step, events, spent, name)),
    context: (runId, digest) => read(() => readContext(db, runId, digest)),
    keepContext: (fence, digest, sealed) =>
      patiently(patience, async () => ({
        kind: (await keepContext(db, fence, digest, sealed)) ? "stored" : "stale",
      })),
    beginLoop: (fence, loop, events) => guarded(fence, (name) => beginLoop(db, fence, loop, events, name)),
    resetLoop: (fence, loop, events) => guarded(fence, (name) => resetLoop(db, fence, loop, events, name)),
    commitNested: (nested) => guarded(nested.fence, (name) => commitNested(db, nested, name)),
    finishRun: (fence, end, events) => guarded(fence, (name) => finishRun(db, fence, end, events, name)),
    appendEvents: (fence, events) => guarded(fence, (name) => appendEvents(db, fence, events, name)),
    appendLog: (fence, log) =>
      patiently(patience, async () => ({
        kind: (await appendLog(db, fence, log)) ? "stored" : "stale",
      })),
    commitIteration: (iteration) => {
      const named = { commit: iteration, write: randomUUID() };
      return patiently(patience, (mayBeStored) => commitOnce(db, named, mayBeStored, commit));
    },
    wakesBehind: (runId) => read(() => limitedBehind(db, runId, WOKEN_AT_ONCE)),
    trimTimeline: (runId, maxBytes, keepBytes) =>
      patiently(patience, () => trimTimeline(db, runId, maxBytes, keepBytes)),
    wakeOfKeptResume: (runId) => read(() => wakeOfKeptResume(db, runId)),
    sweep: async (limit) => {
      const resumed = await translating(() => resumeDue(side, limit));
      const rows = await translating(() => sweep(side, limit));
      for (const { found } of rows) onFound(found);
      // The counts can wait for the next sweep; what was found cannot.
      await foldCounts(side, FOLDED_BY_SWEEP).catch(() => {});
      const lost = rows.map(({ id, token, delay_ms: delayMs, again }) => ({
        ...{ runId: id, token, delayMs },
        ...(again > 0 ? { again } : {}),
      }));
      const admitted = await translating(() => limitedWithRoom(side, null, ADMITTED_BY_SWEEP));
      return [...resumed, ...lost, ...admitted];
    },
  };
}

/** The ordinary claim first; only a refused one looks why, and takes over from the dead. */
async function claimRun(
  db: Pools["work"],
  request: ClaimRequest,
  mayBeStored: boolean,
  claim: (request: ClaimRequest) => Promise<Claim | null>,
): Promise<ClaimOutcome> {
  const { runId, token, write } = request;
  const earlier = mayBeStored ? await findClaim(db, runId, write) : null;
  const taken = earlier ?? (await claim(request));
  if (taken !== null) return claimed(taken);
  const seen = await look(db, runId, token);
  if (seen === "stale" || seen === "held") return { kind: seen };
  const over = seen === "limited" ? await claimLimited(db, request) : await reclaim(db, request);
  if (over === "limited") return { kind: "limited" };
  if (over !== null) return claimed(over);
  return { kind: (await look(db, runId, token)) === "stale" ? "stale" : "held" };
}

function claimed(taken: Claim | "exhausted"): ClaimOutcome {
  return taken === "exhausted" ? { kind: "exhausted" } : { kind: "claimed", claim: taken };
}

/** Claims that come together go as one statement. */
function claimInGroups(db: Pools["work"]): (request: ClaimRequest) => Promise<Claim | null> {
  const send = async (group: readonly ClaimRequest[]) => {
    const claims = await claimRuns(db, group);
    return group.map(({ write }) => claims.get(write) ?? null);
  };
  return grouping({ ...GROUPS, send });
}

type Commit = (named: NamedCommit) => Promise<boolean>;

async function commitOnce(
  db: Pools["work"],
  named: NamedCommit,
  mayBeStored: boolean,
  commit: Commit,
): Promise<CommitOutcome> {
  const stored = (await commit(named)) || (mayBeStored && (await findCommit(db, named)));
  return stored ? { kind: "committed", token: named.commit.fence.token + 1 } : { kind: "stale" };
}

/** Commits that come together go as one statement; big ones go alone. */
function commitInGroups(db: Pools["work"]): Commit {
  const send = async (group: readonly NamedCommit[]): Promise<boolean[]> => {
    const stored = await commitIterations(db, group);
    return group.map(({ write }) => stored.has(write));
  };
  const grouped = grouping({ ...GROUPS, send });
  return async (named) => {
    if (isLarge(named.commit)) return (await send([named]))[0] === true;
    return grouped(named);
  };
}

function isLarge({ checkpoint, stateChanged }: IterationCommit): boolean {
  return stateChanged && checkpoint.state.length > GROUPED_STATE_MAX_UNITS;
}
