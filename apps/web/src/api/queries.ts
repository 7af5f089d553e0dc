import { run as runShape } from "@agentflow/contract";
import type { ListRunsQuery, RunAnswer, RunStatusWord } from "@agentflow/contract";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { QueryClient } from "@tanstack/react-query";
import { client } from "./client.ts";
import { completeHistory, longest } from "./history.ts";
import type { Known } from "./history.ts";

const LIVE_MS = 1000;
const LIST_MS = 2500;
const HISTORY_PAGE = 500;
/** How long what a running loop outdates every second is kept when nobody looks at it. */
const SHORT_MS = 5000;

const ENDED: ReadonlySet<RunStatusWord> = new Set(["succeeded", "failed", "cancelled"]);

/** Terminal states never change again. */
export function hasEnded({ status }: { readonly status: RunStatusWord }): boolean {
  return ENDED.has(status);
}

/** A run with the answer's exact text, from which inputs keep their spelling (L-46). */
export type ShownRun = { readonly run: RunAnswer; readonly text: string };

async function fetchRun(id: string, signal: AbortSignal): Promise<ShownRun> {
  const text = await client.getRunText(id, { signal });
  return { run: runShape.parse(JSON.parse(text)), text };
}

/** A run on show: asked for every second while it can move, so that its end shows within 2 s (K-5). */
export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ["run", id],
    queryFn: ({ signal }) => fetchRun(id, signal),
    refetchInterval: ({ state: { data } }) => (data !== undefined && hasEnded(data.run) ? false : LIVE_MS),
  });

/** A run beside others: fetched again only when its line in the list says that it changed. */
export const runAsOfQuery = (id: string, updatedAt: string) =>
  queryOptions({
    queryKey: ["run-as-of", id, updatedAt],
    queryFn: async ({ signal }) => (await fetchRun(id, signal)).run,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });

export type RunsQuery = Partial<ListRunsQuery>;

/** One page of runs, kept up to date; the page before stays on show while the next one comes. */
export const runsQuery = (query: RunsQuery) =>
  queryOptions({
    queryKey: ["runs", query],
    queryFn: ({ signal }) => client.listRuns(query, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: LIST_MS,
  });

export const statsQuery = queryOptions({
  queryKey: ["stats"],
  queryFn: ({ signal }) => client.getStats({ signal }),
  refetchInterval: LIST_MS,
});

/** Exact state text of a loop; `version` is anything that changes with the checkpoint. */
export const stateQuery = (id: string, loop: string, version: string) =>
  queryOptions({
    queryKey: ["state", id, loop, version],
    queryFn: ({ signal }) => client.getRunState(id, loop, { signal }),
    staleTime: Infinity,
    gcTime: SHORT_MS,
    placeholderData: keepPreviousData,
  });

/** Exact state text after an iteration of the loop's present epoch; it never changes. */
export const pastStateQuery = (
  id: string,
  { path, epoch }: { readonly path: string; readonly epoch: number },
  iteration: number,
) =>
  queryOptions({
    queryKey: ["state-at", id, path, epoch, iteration],
    queryFn: ({ signal }) => client.getRunStateAt(id, { iteration, loop: path }, { signal }),
    staleTime: Infinity,
    gcTime: SHORT_MS,
  });

/**
 * All completed iterations of a loop. Entries never change, so only the last page is asked for again when `iterations` moved.
 */
export const historyQuery = (
  queries: QueryClient,
  id: string,
  { path, epoch, iterations }: { readonly path: string; readonly epoch: number; readonly iterations: number },
) =>
  growing(
    queries,
    ["history", id, path, String(epoch)],
    String(iterations),
    (cursor, signal) =>
      client.getRunHistory(id, { loop: path, epoch, limit: HISTORY_PAGE, cursor }, { signal }),
    { staleTime: Infinity },
  );

/** Why a run stands where it stands, in the server's words; asked for again when the run changed. */
export const explainQuery = ({ id, status, updatedAt }: RunAnswer) =>
  queryOptions({
    queryKey: ["explain", id, status, updatedAt],
    queryFn: ({ signal }) => client.explainRun(id, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: hasEnded({ status }) ? false : LIST_MS,
    gcTime: SHORT_MS,
  });

/** All events of a run, those that are new each time it changed. */
export const eventsQuery = (queries: QueryClient, { id, updatedAt }: RunAnswer) =>
  growing(queries, ["events", id], updatedAt, (cursor, signal) =>
    client.listRunEvents(id, { limit: HISTORY_PAGE, ...(cursor !== undefined && { cursor }) }, { signal }),
  );

/** What the run's commands wrote to stderr; also while a step runs, without a change of the run. */
export const logsQuery = (queries: QueryClient, run: RunAnswer) =>
  growing(
    queries,
    ["logs", run.id],
    run.updatedAt,
    (cursor, signal) => client.getRunLogs(run.id, { limit: HISTORY_PAGE, cursor }, { signal }),
    { refetchInterval: hasEnded(run) ? false : LIST_MS },
  );

function growing<Item>(
  queries: QueryClient,
  list: readonly string[],
  version: string,
  page: (
    cursor: string | undefined,
    signal: AbortSignal,
  ) => Promise<{ readonly items: readonly Item[]; readonly nextCursor: string | null }>,
  more: { readonly staleTime?: number; readonly refetchInterval?: number | false } = {},
) {
  return queryOptions({
    queryKey: [...list, version],
    queryFn: ({ signal }) => {
      const known = queries.getQueriesData<Known<Item>>({ queryKey: list }).map(([, data]) => data);
      return completeHistory(longest(known), (cursor) => page(cursor, signal));
    },
    gcTime: SHORT_MS,
    placeholderData: keepPreviousData,
    ...more,
  });
}

export const flowsQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ["flows", cursor ?? ""],
    queryFn: ({ signal }) => client.listFlows({ limit: 100, cursor }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 5 * LIST_MS,
  });

/** The newest version when `version` is null; a version never changes. */
export const flowQuery = (name: string, version: number | null) =>
  queryOptions({
    queryKey: ["flow", name, version],
    queryFn: ({ signal }) =>
      version === null ? client.getFlow(name, { signal }) : client.getFlowVersion(name, version, { signal }),
    ...(version !== null && { staleTime: Infinity }),
  });
