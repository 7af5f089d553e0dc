import type { RunSummaryAnswer } from "@agentflow/contract";
import { client, problemOf } from "../api/client.ts";
import { hasEnded } from "../api/queries.ts";
import type { RunsQuery } from "../api/queries.ts";

export type BulkAction = "resume" | "cancel" | "rerun";

const AT_ONCE = 4;
const PAGE = 500;
/** More than a person can mean; a script does that better. */
const MAX_RUNS = 5000;

/** The runs an action is meant for, as their status was when they were seen. */
export function fitting(action: BulkAction, runs: Iterable<RunSummaryAnswer>): RunSummaryAnswer[] {
  const fits: Record<BulkAction, (run: RunSummaryAnswer) => boolean> = {
    resume: ({ status }) => status === "waiting",
    cancel: (run) => !hasEnded(run),
    rerun: hasEnded,
  };
  return [...runs].filter(fits[action]);
}

export type BulkResult = {
  readonly done: number;
  readonly refused: readonly { id: string; message: string }[];
};

/** Does it to each run, a few at a time; a refusal of one keeps none of the others from it. */
export async function perform(
  runs: readonly RunSummaryAnswer[],
  act: (id: string) => Promise<unknown>,
  progress: (done: number) => void,
): Promise<BulkResult> {
  const refused: { id: string; message: string }[] = [];
  const rest = runs.map(({ id }) => id);
  let ended = 0;
  const work = async () => {
    for (let id = rest.shift(); id !== undefined; id = rest.shift()) {
      try {
        await act(id);
      } catch (error) {
        refused.push({ id, message: problemOf(error).message });
      }
      progress(++ended);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { done: ended - refused.length, refused };
}

/** Every run a filter matches, page by page, at most 5,000. */
export async function allMatching(query: RunsQuery, signal?: AbortSignal): Promise<RunSummaryAnswer[]> {
  const found: RunSummaryAnswer[] = [];
  let cursor: string | undefined;
  do {
    const { cursor: _, ...filter } = query;
    const page = await client.listRuns(
      { ...filter, limit: PAGE, ...(cursor !== undefined && { cursor }) },
      signal === undefined ? {} : { signal },
    );
    found.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && found.length < MAX_RUNS);
  return found.slice(0, MAX_RUNS);
}
