import { isOutage } from "./failures.ts";

export type Grouping<Item, Result> = {
  readonly maxItems: number;
  readonly maxInFlight: number;
  /** Sends items as one statement; results in the same order. */
  readonly send: (items: readonly Item[]) => Promise<readonly Result[]>;
};

type Waiting<Item, Result> = {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Group commit: an item goes out at once while few statements are in flight; what comes meanwhile shares the next
 * statement, which costs the server one commit instead of many. Items never wait for company.
 */
export function grouping<Item, Result>({ maxItems, maxInFlight, send }: Grouping<Item, Result>) {
  const waiting: Waiting<Item, Result>[] = [];
  let inFlight = 0;

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
      inFlight += 1;
      void sendGroup(waiting.splice(0, maxItems)).then(() => {
        inFlight -= 1;
        pump();
      });
    }
  }

  return (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // After the current turn, so that commits made in the same turn go together.
      queueMicrotask(pump);
    });
}
