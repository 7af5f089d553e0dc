import type { Reads } from "@agentflow/engine";
import { atOneMoment, openDrizzle } from "./connection/drizzle.ts";
import { translating } from "./connection/failures.ts";
import type { Pools } from "./connection/pools.ts";
import { readAudit } from "./reads/audit.ts";
import { readActivity, readCounts, readStuck } from "./reads/counts.ts";
import { readEventHeads, readEvents } from "./reads/events.ts";
import { readFlow, readFlows, readFlowVersionView } from "./reads/flows.ts";
import { readLogs } from "./reads/logs.ts";
import { readHistoryPage, readState } from "./reads/loops.ts";
import { readRun } from "./reads/run.ts";
import { readRuns } from "./reads/runs.ts";
import { readKeptStates } from "./reads/timeline.ts";
import { readOldestParked, readStanding } from "./reads/standing.ts";

/** Pages on real Postgres; they never read a state but where it is asked for (S-13). */
export function createReads({ requests: pool }: Pools): Reads {
  const db = openDrizzle(pool);
  return {
    run: (id) => translating(() => atOneMoment(pool, (moment) => readRun(moment, id))),
    runs: (filter) => translating(() => readRuns(db, filter)),
    state: (runId, path) => translating(() => readState(db, runId, path)),
    history: (runId, query) => translating(() => readHistoryPage(db, runId, query)),
    keptStates: (runId, loop, asked) =>
      translating(() => atOneMoment(pool, (moment) => readKeptStates(moment, runId, loop, asked))),
    flows: (page) => translating(() => readFlows(db, page)),
    flowVersionView: (flow, version) => translating(() => readFlowVersionView(db, flow, version)),
    stuck: () => translating(() => readStuck(db)),
    counts: () => translating(() => readCounts(db)),
    flow: (flow) => translating(() => atOneMoment(pool, (moment) => readFlow(moment, flow))),
    activity: () => translating(() => readActivity(db)),
    oldestParked: () => translating(() => readOldestParked(db)),
    eventHeads: (runIds) => translating(() => readEventHeads(db, runIds)),
    audit: (filter) => translating(() => readAudit(db, filter)),
    logs: (runId, query) => translating(() => readLogs(db, runId, query)),
    standing: (runId) => translating(() => atOneMoment(pool, (moment) => readStanding(moment, runId))),
    events: (runId, query) => translating(() => readEvents(db, runId, query)),
  };
}
