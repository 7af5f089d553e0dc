import { isOutage } from "./failures.ts";

export type Grouping<Item, Result> = {
  readonly maxItems: number;
  readonly maxInFlight: number;
  /** For how many ms a statement under way is waited for before another is sent beside it; a full one does not wait. */
  readonly patienceMs: number;
  /** Sends items as one statement; results in the same order. */
  readonly send: (items: readonly Item[]) => Promise<readonly Result[]>;
};

type Waiting<Item, Result> = {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Group commit: an item goes out at once when no statement is in flight; what comes meanwhile shares the next one, which
 * costs the server one commit instead of many. A second one beside the first is for a first one that hangs, behind a lock
 * say: two at a time halve the groups and cost the server twice as much (measured).
 */
export function grouping<Item, Result>({ maxItems, maxInFlight, patienceMs, send }: Grouping<Item, Result>) {
  const waiting: Waiting<Item, Result>[] = [];
  let inFlight = 0;
  let sentAtMs = 0;
  let timer: NodeJS.Timeout | undefined;

  async function sendGroup(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await send(group.map(({ item }) => item));
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result);
    } catch (error) {
      // One value the server refuses must not fail its neighbours: each is sent again alone.
      if (group.length > 1 && !isOutage(error)) await Promise.all(group.map((one) => sendGroup([one])));
      else for (const { reject } of group) reject(error);
    }
  }

  function pump(): void {
    while (inFlight < maxInFlight && waiting.length > 0) {
      const restMs = sentAtMs + patienceMs - performance.now();
      if (inFlight > 0 && waiting.length < maxItems && restMs > 0) {
        timer ??= setTimeout(pumpLate, restMs);
        return;
      }
      inFlight += 1;
      sentAtMs = performance.now();
      void sendGroup(waiting.splice(0, maxItems)).then(() => {
        inFlight -= 1;
        pump();
      });
    }
  }

  function pumpLate(): void {
    timer = undefined;
    pump();
  }

  return (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // After the current turn, so that commits made in the same turn go together.
      queueMicrotask(pump);
    });
}
