import { StoreUnavailable } from "@agentflow/engine";
import type { EventPage, Reads, StoredEvent } from "@agentflow/engine";
import type { EventFeed } from "./feed.ts";

/** Events read at a time: a slow reader keeps no more of them in memory. */
const PAGE_EVENTS = 100;
/** How soon a browser connects again; it names the last event it has seen then. */
const RETRY_MS = 1000;

export type StreamSource = {
  readonly reads: Pick<Reads, "events">;
  readonly feed: EventFeed;
  /** Silence after which a comment shows that the stream is alive. */
  readonly heartbeatMs: number;
};

/**
 * A run's events above `after` as server-sent events, without gaps (L-50), until the run has ended and all are told, or the signal
 * is aborted. Read page by page as the reader takes them; an outage of the database is sat out.
 */
export async function* eventStream(
  { reads, feed, heartbeatMs }: StreamSource,
  runId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield `retry: ${RETRY_MS}\n\n`;
  for (let last = after; !signal.aborted;) {
    const page = await readPage(reads, runId, last);
    if (page === "no_run") return;
    if (page !== "away") {
      last = page.items.at(-1)?.seq ?? last;
      if (page.items.length > 0) yield page.items.map(messageOf).join("");
      if (last < page.newest) continue;
      if (page.ended) return;
    }
    if ((await feed.wait(runId, last, heartbeatMs, signal)) === "timeout") yield ":\n\n";
  }
}

async function readPage(
  reads: Pick<Reads, "events">,
  runId: string,
  after: number,
): Promise<EventPage | "no_run" | "away"> {
  try {
    return await reads.events(runId, { after, limit: PAGE_EVENTS });
  } catch (error) {
    if (error instanceof StoreUnavailable) return "away";
    throw error;
  }
}

/** JSON holds no line break, so the data is one line. */
function messageOf(event: StoredEvent): string {
  return `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`;
}
