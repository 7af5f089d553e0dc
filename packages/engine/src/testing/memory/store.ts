import type { BulkStore } from "../../ports/bulk.ts";
import type { FleetStore } from "../../ports/fleet.ts";
import type { KeyStore } from "../../ports/keys.ts";
import type { Reads } from "../../ports/reads.ts";
import type { RequestStore } from "../../ports/requests.ts";
import type { ScheduleStore } from "../../ports/schedules.ts";
import { StoreUnavailable } from "../../ports/store-errors.ts";
import type { WebhookStore } from "../../ports/webhooks.ts";
import type { WorkStore } from "../../ports/work.ts";
import { audits } from "./audits.ts";
import { memoryBulk } from "./bulk.ts";
import { memorySchedules } from "./schedules.ts";
import { memoryWebhooks } from "./webhooks.ts";
import { claim, handBack, heartbeat, sweep } from "./claims.ts";
import { commitIteration, commitNested } from "./commits.ts";
import {
  archiveFlow,
  bundle,
  flowVersion,
  flowVersionById,
  flowVersionView,
  flowView,
  registerFlow,
  saveLayout,
} from "./flows.ts";
import {
  appendEvents,
  appendLog,
  checkpoint,
  enterLoop,
  finishRun,
  history,
  recordStep,
  resetLoop,
  steps,
} from "./journal.ts";
import { memoryFleet } from "./fleet.ts";
import { memoryKeys } from "./keys.ts";
import { activity, eventHeads, events, logs, oldestParked, standing, stuck } from "./observed.ts";
import { counts, flows, historyPage, runs, runView, state } from "./reads.ts";
import { wakeOfKeptResume, withdrawResume } from "./kept-resumes.ts";
import { setFlowLimits, wakesBehind } from "./limits.ts";
import { context, keepContext, loopTokens } from "./resources.ts";
import { deleteRun, resetRun } from "./removals.ts";
import { cancelRun, resumeRun, runHead, startRun } from "./requests.ts";
import { forkRun, keptStates, trimTimeline } from "./timeline.ts";
import { emptyTables } from "./tables.ts";
import type { Tables } from "./tables.ts";

/** The ports over one set of tables, and the tables themselves for tests to look at and to break. */
export type MemoryStore = {
  readonly work: WorkStore;
  readonly requests: RequestStore;
  readonly reads: Reads;
  readonly keys: KeyStore;
  readonly fleet: FleetStore;
  readonly bulk: BulkStore;
  readonly schedules: ScheduleStore;
  readonly webhooks: WebhookStore;
  readonly tables: Tables;
};

/**
 * A store in memory with the meaning of the Postgres one: every method changes its rows in one go, before it first awaits.
 * `nowMs` is the database's clock, ms since 1970; leases run out when it moves.
 */
export function createMemoryStore(options: { readonly nowMs: () => number }): MemoryStore {
  const tables = emptyTables(options.nowMs);
  return {
    work: workOver(tables),
    requests: requestsOver(tables),
    reads: readsOver(tables),
    keys: memoryKeys(tables),
    fleet: memoryFleet(tables),
    bulk: memoryBulk(tables),
    schedules: memorySchedules(tables),
    webhooks: memoryWebhooks(tables),
    tables,
  };
}

/** A port's method over a function on the tables. */
function call<Given extends unknown[], Answer>(
  tables: Tables,
  change: (tables: Tables, ...given: Given) => Answer,
): (...given: Given) => Promise<Answer> {
  return async (...given) => {
    if (tables.away) throw new StoreUnavailable("the memory store is away");
    return change(tables, ...given);
  };
}

function workOver(tables: Tables): WorkStore {
  return {
    claim: call(tables, claim),
    heartbeat: call(tables, heartbeat),
    handBack: call(tables, handBack),
    steps: call(tables, steps),
    recordStep: call(tables, recordStep),
    context: call(tables, context),
    keepContext: call(tables, keepContext),
    checkpoint: call(tables, checkpoint),
    history: call(tables, history),
    loopTokens: call(tables, loopTokens),
    beginLoop: call(tables, enterLoop),
    resetLoop: call(tables, resetLoop),
    appendLog: call(tables, appendLog),
    commitIteration: call(tables, commitIteration),
    commitNested: call(tables, commitNested),
    finishRun: call(tables, finishRun),
    appendEvents: call(tables, appendEvents),
    trimTimeline: call(tables, trimTimeline),
    wakeOfKeptResume: call(tables, wakeOfKeptResume),
    wakesBehind: call(tables, wakesBehind),
    sweep: call(tables, sweep),
  };
}

function requestsOver(tables: Tables): RequestStore {
  return {
    registerFlow: call(tables, registerFlow),
    saveLayout: call(tables, saveLayout),
    flowVersion: call(tables, flowVersion),
    flowVersionById: call(tables, flowVersionById),
    bundle: call(tables, bundle),
    startRun: call(tables, startRun),
    forkRun: call(tables, forkRun),
    resumeRun: call(tables, resumeRun),
    withdrawResume: call(tables, withdrawResume),
    setFlowLimits: call(tables, setFlowLimits),
    cancelRun: call(tables, cancelRun),
    runHead: call(tables, runHead),
    resetRun: call(tables, resetRun),
    deleteRun: call(tables, deleteRun),
    archiveFlow: call(tables, archiveFlow),
  };
}

function readsOver(tables: Tables): Reads {
  return {
    run: call(tables, runView),
    runs: call(tables, runs),
    state: call(tables, state),
    history: call(tables, historyPage),
    keptStates: call(tables, keptStates),
    flows: call(tables, flows),
    flowVersionView: call(tables, flowVersionView),
    flow: call(tables, flowView),
    counts: call(tables, counts),
    stuck: call(tables, stuck),
    activity: call(tables, activity),
    oldestParked: call(tables, oldestParked),
    events: call(tables, events),
    eventHeads: call(tables, eventHeads),
    logs: call(tables, logs),
    audit: call(tables, audits),
    standing: call(tables, standing),
  };
}
