import type { Reads } from "@agentflow/engine";
import { atOneMoment, openDrizzle } from "./connection/drizzle.ts";
import { translating } from "./connection/failures.ts";
import type { Pools } from "./connection/pools.ts";
import { readCounts, readStuck } from "./reads/counts.ts";
import { readEvents, type EventPage } from "./reads/events.ts";
import { readFlows, readFlowVersionView } from "./reads/flows.ts";
import { readHistoryPage, readState } from "./reads/loops.ts";
import { readRun } from "./reads/run.ts";
import { readRuns } from "./reads/runs.ts";

/** The Reads, with what the console and streams ask beyond them. */
export type PostgresReads = Reads & {
  /** Live runs that nothing has moved for 30 s although they are due: 0 in a sound service (S-9). */
  stuck(): Promise<number>;
  /** Events numbered above `after`, in order and without gaps, at least `limit` of them if there are as many (L-50). */
  events(runId: string, query: { after: number; limit: number }): Promise<EventPage | "no_run">;
};

/** Pages on real Postgres; they never read a state but where it is asked for (S-13). */
export function createReads({ requests: pool }: Pools): PostgresReads {
  const db = openDrizzle(pool);
  return {
    run: (id) => translating(() => atOneMoment(pool, (moment) => readRun(moment, id))),
    runs: (filter) => translating(() => readRuns(db, filter)),
    state: (runId, path) => translating(() => readState(db, runId, path)),
    history: (runId, query) => translating(() => readHistoryPage(db, runId, query)),
    flows: (page) => translating(() => readFlows(db, page)),
    flowVersionView: (flow, version) => translating(() => readFlowVersionView(db, flow, version)),
    stuck: () => translating(() => readStuck(db)),
    counts: () => translating(() => readCounts(db)),
    events: (runId, query) => translating(() => readEvents(db, runId, query)),
  };
}
