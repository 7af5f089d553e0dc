import type { HistoryEntryAnswer } from "@agentflow/contract";
import { expect, test } from "vitest";
import { completeHistory, longest } from "./history.ts";

const PAGE = 3;

/** A server whose loop has so many iterations; cursors are the last iteration before the page. */
function server(iterations: number) {
  const asked: (string | undefined)[] = [];
  const page = async (cursor: string | undefined) => {
    asked.push(cursor);
    const from = Number(cursor ?? 0) + 1;
    const to = Math.min(iterations, from + PAGE - 1);
    const items = Array.from(
      { length: to - from + 1 },
      (_, at) => ({ iteration: from + at }) as HistoryEntryAnswer,
    );
    return { items, nextCursor: to < iterations ? String(to) : null };
  };
  return { asked, page };
}

const iterationsOf = ({ entries }: { entries: readonly HistoryEntryAnswer[] }) =>
  entries.map(({ iteration }) => iteration);
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

test("K-2: a history that grows is whole at every length, and settled pages are not asked for again", async () => {
  let known = null;
  for (let length = 0; length <= 14; length += 1) {
    const { asked, page } = server(length);
    known = await completeHistory(known, page);
    expect(iterationsOf(known)).toEqual(upTo(length));
    expect(asked.length).toBeLessThanOrEqual(2);
  }
});

test("K-2: a first look takes all pages, in order", async () => {
  const { asked, page } = server(7);
  expect(iterationsOf(await completeHistory(null, page))).toEqual(upTo(7));
  expect(asked).toEqual([undefined, "3", "6"]);
});

test("K-2: the longest history known is the one to go on from", async () => {
  const [short, long] = [
    await completeHistory(null, server(2).page),
    await completeHistory(null, server(5).page),
  ];
  expect(longest([undefined, short, long, short])).toBe(long);
  expect(longest([undefined])).toBeNull();
});
