import type { EventHead, Reads } from "@agentflow/engine";

/** How a wait ended: there may be something to read, nothing came in time, or nobody waits any more. */
export type Waited = "moved" | "timeout" | "aborted";

type Waiter = { readonly beyond: number; readonly wake: (end: Waited) => void };

/** Tells streams when their runs have moved: one small query for all of them at a time, and none while nobody waits. */
export interface EventFeed {
  /** Waits until the run has an event above `beyond` or has ended or gone, at most `timeoutMs`. */
  wait(runId: string, beyond: number, timeoutMs: number, signal: AbortSignal): Promise<Waited>;
  /** Streams open now. */
  readonly open: number;
  /** Counts a stream in until the returned function is called. */
  enter(): () => void;
}

/** Looks every `pollMs`; an outage of the database is sat out, the next look tells. */
export function createEventFeed(reads: Pick<Reads, "eventHeads">, pollMs: number): EventFeed {
  const waiting = new Map<string, Set<Waiter>>();
  let timer: NodeJS.Timeout | null = null;
  let open = 0;

  async function look(): Promise<void> {
    const heads = await reads.eventHeads([...waiting.keys()]).catch(() => null);
    if (heads !== null) {
      for (const [runId, waiters] of waiting) {
        for (const { beyond, wake } of waiters) if (hasMoved(heads.get(runId), beyond)) wake("moved");
      }
    }
    timer = null;
    schedule();
  }

  function schedule(): void {
    if (timer === null && waiting.size > 0) timer = setTimeout(() => void look(), pollMs);
  }

  return {
    get open() {
      return open;
    },
    enter: () => {
      open += 1;
      return () => void (open -= 1);
    },
    wait: (runId, beyond, timeoutMs, signal) =>
      new Promise((resolve) => {
        const waiters = waiting.get(runId) ?? new Set();
        const wake = (end: Waited): void => {
          clearTimeout(limit);
          signal.removeEventListener("abort", aborted);
          waiters.delete(waiter);
          if (waiters.size === 0 && waiting.get(runId) === waiters) waiting.delete(runId);
          resolve(end);
        };
        const aborted = () => wake("aborted");
        const limit = setTimeout(() => wake("timeout"), timeoutMs);
        const waiter = { beyond, wake };
        if (signal.aborted) return wake("aborted");
        signal.addEventListener("abort", aborted);
        waiters.add(waiter);
        waiting.set(runId, waiters);
        schedule();
      }),
  };
}

function hasMoved(head: EventHead | undefined, beyond: number): boolean {
  return head === undefined || head.ended || head.newest > beyond;
}
